"""Polynomials with all cross terms in whitened inputs, for good conditioning."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from .._util.validation import finite_array
from ..errors import InvalidSamplesError
from ._batches import ROWS_PER_BATCH
from ._polynomial import CoefficientTable, PolynomialFunction, monomial_exponents

MIN_RELATIVE_SPREAD = 1e-13  # of the largest: directions below it do not vary


@dataclass(frozen=True, eq=False)
class HermiteTerms:
    """Products of normalised Hermite polynomials up to a total degree.

    The constant comes first. On normal inputs of unit covariance, the products are orthonormal.
    Each term is one multiplication from an earlier one, and each derivative is one term:
    h_k' = sqrt(k) h_(k-1).
    """

    n_inputs: int
    degree: int

    @cached_property
    def exponents(self) -> NDArray[np.int64]:
        return monomial_exponents(self.n_inputs, self.degree, lowest=0)

    @cached_property
    def _index(self) -> dict[tuple[int, ...], int]:
        return {tuple(row): k for k, row in enumerate(self.exponents.tolist())}

    @cached_property
    def _recursion(self) -> list[tuple[int, int, int]]:
        """The last input of each term, its power, and the index of the term without it."""
        recursion = []
        for row in self.exponents.tolist()[1:]:
            last = max(l for l, power in enumerate(row) if power)
            rest = [*row[:last], 0, *row[last + 1 :]]
            recursion.append((last, row[last], self._index[tuple(rest)]))
        return recursion

    def __len__(self) -> int:
        return len(self.exponents)

    def table(self, x: Array) -> Array:
        """All terms at whitened points x (N, m), one row per term: (T, N)."""
        single = np.empty((self.degree + 1, *x.T.shape))
        single[0] = 1.0
        single[1:2] = x.T
        for k in range(1, self.degree):
            above = x.T * single[k] - np.sqrt(k) * single[k - 1]
            single[k + 1] = above / np.sqrt(k + 1)
        terms = np.empty((len(self), len(x)))
        terms[0] = 1.0
        for row, (last, power, rest) in enumerate(self._recursion, start=1):
            np.multiply(terms[rest], single[power, last], out=terms[row])
        return terms

    def derivative(self, coefficients: Array) -> Array:
        """Coefficients (m, n, T) of the derivatives by each input, from (n, T)."""
        result = np.zeros((self.n_inputs, *coefficients.shape))
        for k, row in enumerate(self.exponents.tolist()):
            for l, power in enumerate(row):
                if power:
                    lower = [*row[:l], power - 1, *row[l + 1 :]]
                    result[l, :, self._index[tuple(lower)]] = np.sqrt(power) * coefficients[:, k]
        return result


@dataclass(frozen=True, eq=False)
class HermitePolynomial(CoefficientTable):
    """A polynomial ``coefficients @ terms((p - centre) @ whiten)``.

    Attributes
    ----------
    coefficients : (n, T)
        The constant first.
    terms : HermiteTerms
    centre : (m,), whiten : (m, m)
        Inputs to coordinates of zero mean and unit covariance.

    Examples
    --------
    >>> f = HermitePolynomial(np.array([[0.0, 1.0]]), HermiteTerms(1, 1), np.ones(1), np.eye(1))
    >>> f([[3.0]]), f.jacobian([[3.0]]), f.monomials().coefficients
    (array([[2.]]), array([[[1.]]]), array([[-1.,  1.]]))
    """

    coefficients: Array
    terms: HermiteTerms
    centre: Array
    whiten: Array

    def __call__(self, points: Any) -> Array:
        """Values (N, n)."""
        return self._evaluate(points, self.coefficients)

    @property
    def n_inputs(self) -> int:
        return self.terms.n_inputs

    @property
    def degree(self) -> int:
        return self.terms.degree

    def jacobian(self, points: Any) -> Array:
        """Exact Jacobians (N, n, m)."""
        return self.linearised(self._check(points), np.arange(self.n_inputs))[1]

    def linearised(self, points: Any, columns: Any) -> tuple[Array, Array]:
        """Values (N, n) and derivatives by the inputs of these columns (N, n, k)."""
        slopes = np.tensordot(self.whiten[columns], self._slopes, axes=1)
        both = np.concatenate([self.coefficients[None], slopes])
        table = self._evaluate(points, both.reshape(-1, len(self.terms)))
        table = table.reshape(len(table), -1, self.n_outputs)
        return table[:, 0], table[:, 1:].swapaxes(1, 2)

    def monomials(self) -> PolynomialFunction:
        """The same polynomial in powers of the inputs in their own units, for display.

        Powers of unscaled inputs can lose digits that the Hermite form keeps.
        """
        exponents = self.terms.exponents
        rows = self._make_points()
        powers = PolynomialFunction(np.eye(len(exponents)), exponents)(rows)
        size = np.abs(powers).max(axis=0)
        size[size == 0] = 1.0
        scaled = np.linalg.lstsq(powers / size, self(rows), rcond=None)[0]
        return PolynomialFunction(scaled.T / size, exponents)

    def _make_points(self) -> Array:
        """Points that determine the polynomial, also along directions that it ignores."""
        m = self.n_inputs
        draws = np.random.default_rng(0).standard_normal((4 * len(self.terms), 2, m))
        left, values, _ = np.linalg.svd(self.whiten)
        ignored = left[:, values <= MIN_RELATIVE_SPREAD * values.max(initial=1e-300)]
        within = draws[:, 0] @ np.linalg.pinv(self.whiten)
        size = np.sqrt(np.mean(within**2)) or 1.0
        return np.asarray(self.centre + within + size * draws[:, 1] @ ignored @ ignored.T)

    @cached_property
    def _slopes(self) -> Array:
        return self.terms.derivative(self.coefficients)

    def _evaluate(self, points: Any, coefficients: Array) -> Array:
        points = self._check(points)
        result = np.empty((len(points), len(coefficients)))
        for k in range(0, len(points), ROWS_PER_BATCH):
            x = (points[k : k + ROWS_PER_BATCH] - self.centre) @ self.whiten
            result[k : k + ROWS_PER_BATCH] = (coefficients @ self.terms.table(x)).T
        return result

    def _check(self, points: Any) -> Array:
        table = np.asarray(points, dtype=float)
        if table.ndim != 2 or table.shape[1] != self.n_inputs:
            table = finite_array("points", points)
            raise InvalidSamplesError(
                f"points has shape {table.shape} but the polynomial has {self.n_inputs} inputs"
            )
        return table


def compute_whitening(rows: Array, count: int) -> Array:
    """The matrix (m, m) that maps ``count`` centred points to unit covariance.

    Directions that do not vary are mapped to 0. ``rows`` are the points or their triangular factor.
    Singular values keep the digits of directions that hardly vary, such as those of lagged samples
    of a smooth signal. A covariance matrix would lose half of them.

    >>> compute_whitening(np.array([[2.0, 0.0], [-2.0, 0.0]]), 2)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    length = np.linalg.norm(rows, axis=0)
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    _, values, vectors = np.linalg.svd(rows * inverse, full_matrices=False)
    kept = values > MIN_RELATIVE_SPREAD * values.max(initial=1e-300)
    root = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    return np.asarray(np.sqrt(count) * inverse[:, None] * ((vectors.T * root) @ vectors))
