"""B-splines and piecewise linear functions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from .._typing import Array
from .._util.validation import as_float_array
from ..errors import InvalidOptionError
from ._base import Basis, check_not_a_point, check_order, range_of, store_integer
from ._knots import inner_knots
from ._piecewise import Pieces, pieces_of_spline


@dataclass(frozen=True)
class BSpline(Basis):
    """B-splines with knots at quantiles of the data.

    The space has ``n_coefficients`` dimensions, one of which is the constant; the first
    spline is left out for it, so ``n_coefficients - 1`` parameters are stored. A fit takes half as
    many as there are distinct z at most, however many are asked for.

    >>> BSpline(10).bind(np.linspace(0, 1, 50)).design(np.array([0.5])).shape
    (1, 9)
    """

    n_coefficients: int
    degree: int = 3
    knots: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        store_integer(self, "degree")
        store_integer(self, "n_coefficients", least=self.degree + 1)
        if self.knots is not None and not _are_valid_knots(self):
            count = self.n_coefficients + self.degree + 1
            raise InvalidOptionError(
                f"knots must be {count} numbers that do not fall: call bind(z)"
            )

    @property
    def n_functions(self) -> int:
        return self.n_coefficients - 1

    @property
    def smoothness(self) -> int:
        return self.degree - 1

    @property
    def n_derivatives(self) -> int:
        return 9  # piecewise constant or zero beyond the degree

    @property
    def interval(self) -> tuple[float, float]:
        if self.knots is None:
            raise InvalidOptionError(f"{type(self).__name__} is not bound: call bind(z) first")
        return self.knots[0], self.knots[-1]

    def bind(self, z: Array) -> Self:
        n_inner = self.n_coefficients - self.degree - 1
        low, high = range_of(z)
        ends = self.degree + 1
        inner = inner_knots(as_float_array(z), low, high, n_inner)
        return replace(self, knots=(*[low] * ends, *inner.tolist(), *[high] * ends))

    def check_size(self, n_points: int) -> None:
        pass  # ``reduced`` makes it small enough

    def reduced(self, n_distinct: int) -> Self:
        smaller = max(min(self.n_coefficients, n_distinct // 2), 2)
        if smaller == self.n_coefficients:
            return self
        degree = min(self.degree, smaller - 1)
        return replace(self, n_coefficients=smaller, degree=degree, knots=None)

    def moved(
        self, coefficients: Array, low: float, high: float, turned: bool
    ) -> tuple[Self, Array, float] | None:
        if low >= high:
            return None
        first, last = self.interval
        shares = (np.asarray(self.knots) - first) / (last - first)
        shares = 1 - shares[::-1] if turned else shares
        ends = self.degree + 1
        inner = low + (high - low) * shares[ends:-ends]
        basis = replace(self, knots=(*[low] * ends, *inner.tolist(), *[high] * ends))
        coefficients = coefficients[: self.n_functions]
        if not turned:
            return basis, coefficients, 0.0
        # the last spline becomes the first one, which the constant replaces
        every = np.append(0.0, coefficients)[::-1]
        return basis, every[1:] - every[0], float(every[0])

    def design(self, z: Array, order: int = 0) -> Array:
        check_not_a_point(self.interval)
        check_order(order)
        return self._functions(as_float_array(z), order)

    def designs(self, z: Array, orders: Sequence[int]) -> list[Array]:
        check_not_a_point(self.interval)
        return self._functions.derivatives(as_float_array(z), orders)

    @cached_property
    def _functions(self) -> Pieces:
        """All functions as piecewise polynomials; the first is left out for the constant."""
        splines = np.eye(self.n_coefficients)[:, 1:]
        return pieces_of_spline(np.asarray(self.knots), splines, self.degree)


@dataclass(frozen=True)
class PiecewiseLinear(BSpline):
    """Straight lines between knots at quantiles of the data.

    >>> PiecewiseLinear(5).n_functions
    4
    """

    degree: int = 1


def _are_valid_knots(basis: BSpline) -> bool:
    try:
        knots = np.asarray(basis.knots, dtype=float)
    except (TypeError, ValueError):
        return False
    fits = knots.size == basis.n_coefficients + basis.degree + 1
    return bool(fits and np.all(np.isfinite(knots)) and np.all(np.diff(knots) >= 0))
