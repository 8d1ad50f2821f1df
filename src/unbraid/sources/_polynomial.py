"""Polynomials in the monomial basis, with exact Jacobians."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from .._util.validation import check_overflow, finite_array
from ..errors import InvalidOptionError, InvalidSamplesError
from ..metrics import monomial_count
from ._batches import check_width

MAX_POWER = 1000  # of an input: higher powers of 2 overflow
MAX_MONOMIALS = 1_000_000


class CoefficientTable:
    """Coefficients (n, T) of any terms, one row per output."""

    coefficients: Array

    @property
    def n_outputs(self) -> int:
        return int(self.coefficients.shape[0])

    @property
    def n_parameters(self) -> int:
        return int(self.coefficients.size)


@dataclass(frozen=True, eq=False, init=False)
class PolynomialFunction(CoefficientTable):
    """``f(p) = coefficients @ [p^e for e in exponents]``.

    Parameters
    ----------
    coefficients : (n, T) or (T,)
        One row per output, one column per monomial.
    exponents : (T, m)
        One row per monomial: the power of each input.

    Examples
    --------
    ``f = 3 p1^2 p2 - p2``:

    >>> f = PolynomialFunction([[3.0, -1.0]], [[2, 1], [0, 1]])
    >>> f([[2.0, 1.0]]), f.jacobian([[2.0, 1.0]]), f.degree
    (array([[11.]]), array([[[12., 11.]]]), 3)
    """

    coefficients: Array
    exponents: NDArray[np.int64]

    def __init__(self, coefficients: Any, exponents: Any) -> None:
        table = np.atleast_2d(finite_array("coefficients", coefficients))
        powers = finite_array("exponents", exponents, ndim=2)
        if np.any(powers < 0) or np.any(powers != np.round(powers)):
            raise InvalidSamplesError("exponents must be whole numbers of at least 0")
        if powers.max(initial=0.0) > MAX_POWER:
            raise InvalidSamplesError(
                f"exponents reach {powers.max():g}, and powers above {MAX_POWER} overflow: use less"
            )
        if table.ndim != 2 or table.shape[1] != powers.shape[0]:
            raise InvalidSamplesError(
                f"coefficients {table.shape} and exponents {powers.shape} need one column of "
                f"coefficients for each row of exponents"
            )
        if table.size == 0 or powers.size == 0:
            raise InvalidSamplesError(
                f"coefficients {table.shape} and exponents {powers.shape} hold no polynomial: give "
                f"at least one output, one monomial and one input"
            )
        object.__setattr__(self, "coefficients", table)
        object.__setattr__(self, "exponents", powers.astype(np.int64))

    @property
    def n_inputs(self) -> int:
        return int(self.exponents.shape[1])

    @property
    def degree(self) -> int:
        """Largest total degree among monomials that have a coefficient."""
        used = np.any(self.coefficients != 0, axis=0)
        return int(self.exponents[used].sum(axis=1).max(initial=0))

    def __call__(self, points: Any) -> Array:
        """Values (N, n)."""
        table = self._check(points)
        with np.errstate(all="ignore"):
            values = evaluate_monomials(table, self.exponents) @ self.coefficients.T
        return check_overflow("the polynomial", values, table)

    def jacobian(self, points: Any) -> Array:
        """Exact Jacobians (N, n, m)."""
        table = self._check(points)
        result = np.empty((len(table), self.n_outputs, self.n_inputs))
        with np.errstate(all="ignore"):
            for l in range(self.n_inputs):
                weighted = self.coefficients * self.exponents[:, l]
                lowered = lower_exponents(self.exponents, l)
                result[:, :, l] = evaluate_monomials(table, lowered) @ weighted.T
        return check_overflow("the polynomial's Jacobian", result, table)

    def _check(self, points: Any) -> Array:
        table = finite_array("points", points, ndim=2)
        return check_width(table, self.n_inputs, f"the polynomial has {self.n_inputs} inputs")


def evaluate_monomials(points: Array, exponents: NDArray[np.int64]) -> Array:
    """Every monomial at every point (N, T), from one table of powers per input."""
    result = np.ones((len(points), len(exponents)))
    for x, power in zip(points.T, exponents.T, strict=True):
        powers = np.vander(x, int(power.max(initial=0)) + 1, increasing=True)
        result *= powers[:, power]
    return result


def lower_exponents(exponents: NDArray[np.int64], l: int) -> NDArray[np.int64]:
    """The exponents (T, m) of the derivatives by input ``l``."""
    lowered = exponents.copy()
    lowered[:, l] = np.maximum(exponents[:, l] - 1, 0)
    return lowered


def monomial_exponents(n_inputs: int, degree: int, lowest: int = 1) -> NDArray[np.int64]:
    """All exponents of total degree ``lowest`` to ``degree``, low degrees first.

    >>> monomial_exponents(2, 2).tolist()
    [[1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    """
    count = monomial_count(n_inputs, degree, lowest)
    if count > MAX_MONOMIALS:
        raise InvalidOptionError(
            f"{n_inputs} inputs of degree {degree} make {count} monomials: lower the degree"
        )
    rows = [
        np.bincount(np.asarray(chosen, dtype=np.intp), minlength=n_inputs)
        for total in range(lowest, degree + 1)
        for chosen in combinations_with_replacement(range(n_inputs), total)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, n_inputs)
