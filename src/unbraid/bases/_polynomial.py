"""Polynomials."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.polynomial import legendre

from .._typing import Array
from ._base import IntervalBasis, check_order, store_integer
from ._legendre import (
    differentiate_powers,
    evaluate_powers,
    legendre_design,
    legendre_powers,
)

MAX_POWERS = 8  # degree up to which sums of powers are as accurate as Legendre series


@dataclass(frozen=True)
class Polynomial(IntervalBasis):
    """Polynomials up to a degree, in Legendre form on the interval of the data.

    >>> Polynomial(3).n_functions
    3
    """

    degree: int
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        store_integer(self, "degree")

    @property
    def n_functions(self) -> int:
        return self.degree

    def reduced(self, n_distinct: int) -> Self:
        return replace(self, degree=max(1, min(self.degree, n_distinct - 1)))

    def design(self, z: Array, order: int = 0) -> Array:
        check_order(order)
        t, rate = self._unit(z)
        return legendre_design(t, self.degree, order) * rate**order

    def combined(self, z: Array, coefficients: Array, order: int = 0) -> Array:
        t, rate = self._unit(z)
        if self.degree <= MAX_POWERS:
            powers = legendre_powers(self.degree) @ coefficients
            for _ in range(order):
                powers = rate * differentiate_powers(powers)
            return evaluate_powers(powers, t)
        series = np.concatenate([[0.0], coefficients])
        return np.asarray(legendre.legval(t, legendre.legder(series, order)) * rate**order)

    def linearised(self, z: Array, coefficients: Array) -> tuple[Array, Array]:
        if self.degree > MAX_POWERS:
            return super().linearised(z, coefficients)
        t, rate = self._unit(z)
        powers = legendre_powers(self.degree) @ coefficients
        slope = evaluate_powers(rate * differentiate_powers(powers), t)
        return evaluate_powers(powers, t), slope

    def moved(
        self, coefficients: Array, low: float, high: float, turned: bool
    ) -> tuple[Self, Array, float] | None:
        if low >= high:
            return None
        signs = (-1.0) ** np.arange(1, self.degree + 1) if turned else 1.0
        coefficients = coefficients[: self.degree] * signs
        return replace(self, low=low, high=high), coefficients, 0.0

    def monomials(self, coefficients: Array) -> tuple[float, Array]:
        """Constant and coefficients of z, z^2, ... of the same polynomial."""
        low, high = self.interval
        series = legendre.Legendre([0.0, *coefficients], domain=[low, high])
        power = series.convert(kind=np.polynomial.Polynomial, domain=[-1, 1]).coef
        power = np.concatenate([power, np.zeros(self.degree + 1 - power.size)])
        return float(power[0]), np.asarray(power[1:], dtype=float)
