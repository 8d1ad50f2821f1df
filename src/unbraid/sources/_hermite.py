"""Polynomials of all cross terms in whitened inputs, well conditioned at any scale."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from .._util.validation import finite_array
from ..errors import InvalidSamples
from ._polynomial import PolynomialFunction, monomial_exponents

ROWS = 4096  # points whose terms are held at once
FLAT = 1e-13  # share of the largest spread below which a direction does not vary


@dataclass(frozen=True, eq=False)
class HermiteTerms:
    """Products of normalised Hermite polynomials up to a total degree, the constant first.

    On normal inputs of unit covariance they are orthonormal. Each term is one multiplication
    from an earlier one, and each derivative is one term: h_k' = sqrt(k) h_(k-1).
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
    def _plan(self) -> list[tuple[int, int, int]]:
        """Of each term its last input, the power of it, and the term without it."""
        plan = []
        for row in self.exponents.tolist()[1:]:
            last = max(l for l, power in enumerate(row) if power)
            rest = [*row[:last], 0, *row[last + 1 :]]
            plan.append((last, row[last], self._index[tuple(rest)]))
        return plan

    def __len__(self) -> int:
        return len(self.exponents)

    def table(self, x: Array) -> Array:
        """All terms at whitened points x (N, m), one row a term: (T, N)."""
        single = np.empty((self.degree + 1, *x.T.shape))
        single[0] = 1.0
        single[1:2] = x.T
        for k in range(1, self.degree):
            ahead = x.T * single[k] - np.sqrt(k) * single[k - 1]
            single[k + 1] = ahead / np.sqrt(k + 1)
        terms = np.empty((len(self), len(x)))
        terms[0] = 1.0
        for row, (last, power, rest) in enumerate(self._plan, start=1):
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
class HermitePolynomial:
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

    @property
    def n_inputs(self) -> int:
        return self.terms.n_inputs

    @property
    def n_outputs(self) -> int:
        return int(self.coefficients.shape[0])

    @property
    def n_parameters(self) -> int:
        return int(self.coefficients.size)

    @property
    def degree(self) -> int:
        return self.terms.degree

    def __call__(self, points: Any) -> Array:
        """Values (N, n)."""
        return self._summed(points, self.coefficients)

    def jacobian(self, points: Any) -> Array:
        """Exact Jacobians (N, n, m)."""
        return self.linearised(self._points(points), np.arange(self.n_inputs))[1]

    def linearised(self, points: Any, columns: Any) -> tuple[Array, Array]:
        """Values (N, n) and derivatives by the inputs of these columns (N, n, k)."""
        slopes = np.tensordot(self.whiten[columns], self._slopes, axes=1)
        both = np.concatenate([self.coefficients[None], slopes])
        table = self._summed(points, both.reshape(-1, len(self.terms)))
        table = table.reshape(len(table), -1, self.n_outputs)
        return table[:, 0], table[:, 1:].swapaxes(1, 2)

    def monomials(self) -> PolynomialFunction:
        """The same polynomial in powers of the inputs in their own units: to be read, not run.

        Products of powers of unscaled inputs can lose digits that this form keeps.
        """
        exponents = self.terms.exponents
        rows = self._nodes()
        powers = PolynomialFunction(np.eye(len(exponents)), exponents)(rows)
        size = np.abs(powers).max(axis=0)
        size[size == 0] = 1.0
        solved = np.linalg.lstsq(powers / size, self(rows), rcond=None)[0]
        return PolynomialFunction(solved.T / size, exponents)

    def _nodes(self) -> Array:
        """Points that determine the polynomial, also along inputs that it does not look at."""
        m = self.n_inputs
        draws = np.random.default_rng(0).standard_normal((4 * len(self.terms), 2, m))
        left, values, _ = np.linalg.svd(self.whiten)
        unseen = left[:, values <= FLAT * values.max(initial=1e-300)]
        within = draws[:, 0] @ np.linalg.pinv(self.whiten)
        size = np.sqrt(np.mean(within**2)) or 1.0
        return np.asarray(self.centre + within + size * draws[:, 1] @ unseen @ unseen.T)

    @cached_property
    def _slopes(self) -> Array:
        return self.terms.derivative(self.coefficients)

    def _summed(self, points: Any, coefficients: Array) -> Array:
        points = self._points(points)
        result = np.empty((len(points), len(coefficients)))
        for k in range(0, len(points), ROWS):
            x = (points[k : k + ROWS] - self.centre) @ self.whiten
            result[k : k + ROWS] = (coefficients @ self.terms.table(x)).T
        return result

    def _points(self, points: Any) -> Array:
        table = np.asarray(points, dtype=float)
        if table.ndim != 2 or table.shape[1] != self.n_inputs:
            table = finite_array("points", points)
            raise InvalidSamples(
                f"points has shape {table.shape} but the polynomial has {self.n_inputs} inputs"
            )
        return table


def whitening(rows: Array, count: int) -> Array:
    """(m, m) that takes ``count`` centred points to unit covariance, flat directions to 0.

    ``rows`` are the points or their triangle. Singular values keep the digits of directions that
    hardly vary, as lagged samples of a smooth signal do; a covariance would lose half of them.

    >>> whitening(np.array([[2.0, 0.0], [-2.0, 0.0]]), 2)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    length = np.linalg.norm(rows, axis=0)
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    _, values, vectors = np.linalg.svd(rows * inverse, full_matrices=False)
    kept = values > FLAT * values.max(initial=1e-300)
    root = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    turned = (vectors.T * root) @ vectors
    return np.asarray(np.sqrt(count) * inverse[:, None] * turned)
