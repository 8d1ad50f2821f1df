"""Curves: functions of one variable on an interval, without extrapolation."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from .._typing import Array
from ..bases import Basis, BSpline, SignedSquare
from ..bases._piecewise import Pieces, pieces_of_hermite, pieces_of_spline
from ..errors import InvalidOptionError

ROWS_PER_BLOCK = 8192  # arguments that a basis is evaluated at in one call


class Curve(Protocol):
    """A function of z with derivatives, known on an interval."""

    @property
    def interval(self) -> tuple[float, float]: ...

    @property
    def n_parameters(self) -> int: ...

    def __call__(self, z: Array, order: int = 0) -> Array: ...


@dataclass(frozen=True, eq=False)
class Expansion:
    """A basis with coefficients."""

    basis: Basis
    coefficients: Array

    def __post_init__(self) -> None:
        if np.shape(self.coefficients) != (self.basis.n_functions,):
            raise InvalidOptionError(
                f"{type(self.basis).__name__} takes {self.basis.n_functions} coefficients, got "
                f"shape {np.shape(self.coefficients)}"
            )

    @property
    def interval(self) -> tuple[float, float]:
        return self.basis.interval

    @property
    def n_parameters(self) -> int:
        return int(self.coefficients.size)

    @cached_property
    def pieces(self) -> Pieces | None:
        """The same function as piecewise polynomials, for splines and signed squares."""
        if isinstance(self.basis, SignedSquare):
            return self.basis.pieces(self.coefficients)
        if not isinstance(self.basis, BSpline):
            return None
        return pieces_of_spline(
            np.asarray(self.basis.knots), np.append(0.0, self.coefficients), self.basis.degree
        )

    def __call__(self, z: Array, order: int = 0) -> Array:
        z = np.asarray(z, dtype=float)
        if self.pieces is not None:
            return self.pieces(z, order)
        if z.size <= ROWS_PER_BLOCK:
            return self.basis.combined(z, self.coefficients, order)
        parts = np.array_split(z.ravel(), -(-z.size // ROWS_PER_BLOCK))
        values = [self.basis.combined(part, self.coefficients, order) for part in parts]
        return np.concatenate(values).reshape(z.shape)

    def linearise(self, z: Array) -> tuple[Array, Array]:
        """The function and its slope at z (N,)."""
        parts = [
            self.basis.linearised(z[k : k + ROWS_PER_BLOCK], self.coefficients)
            for k in range(0, max(z.size, 1), ROWS_PER_BLOCK)
        ]
        if len(parts) == 1:
            return parts[0]
        value, slope = zip(*parts, strict=True)
        return np.concatenate(value), np.concatenate(slope)


@dataclass(frozen=True, eq=False)
class Nonparametric:
    """The estimate itself: a cubic Hermite interpolant of its values and slopes."""

    abscissae: Array
    values: Array
    slopes: Array

    @property
    def interval(self) -> tuple[float, float]:
        return float(self.abscissae[0]), float(self.abscissae[-1])

    @property
    def n_parameters(self) -> int:
        """Three per abscissa, less the constant."""
        return 3 * self.abscissae.size - 1

    @cached_property
    def pieces(self) -> Pieces:
        """The same function as cubics."""
        return pieces_of_hermite(self.abscissae, self.values, self.slopes)

    def __call__(self, z: Array, order: int = 0) -> Array:
        return self.pieces(z, order)
