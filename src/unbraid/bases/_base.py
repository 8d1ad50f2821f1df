"""A basis for a function of one variable, linear in its coefficients.

A basis spans functions *without* the constant: constants are not seen by Jacobians and belong to
the offset. ``bind`` fixes it on an interval; ``design`` then gives its functions, their
derivatives (order 1, 2, ...) at any z.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np

from .._typing import Array
from .._util.validation import as_float_array, check_integer, is_real
from ..errors import DegenerateBranchError, InvalidOptionError, InvalidSamplesError


@dataclass(frozen=True)
class Basis(ABC):
    """Functions phi_1 ... phi_K on an interval, none of them constant."""

    @property
    @abstractmethod
    def n_functions(self) -> int:
        """K, the number of functions."""

    @abstractmethod
    def bind(self, z: Array) -> Self:
        """A copy fixed on the range of the data z."""

    @abstractmethod
    def design(self, z: Array, order: int = 0) -> Array:
        """(len(z), K) functions, or their derivatives of this order."""

    def designs(self, z: Array, orders: Sequence[int]) -> list[Array]:
        """``design`` of several orders at z (N,), at once where that is faster."""
        return [self.design(z, order) for order in orders]

    def combined(self, z: Array, coefficients: Array, order: int = 0) -> Array:
        """The function with these coefficients, or a derivative of it, at z."""
        return np.asarray(self.design(z, order) @ coefficients)

    def linearised(self, z: Array, coefficients: Array) -> tuple[Array, Array]:
        """The function with these coefficients and its slope at z (N,)."""
        return self.combined(z, coefficients), self.combined(z, coefficients, 1)

    def moved(
        self, coefficients: Array, low: float, high: float, turned: bool
    ) -> tuple[Self, Array, float] | None:
        """The same function on another interval, turned or not; None where unknown.

        A basis, its coefficients, and the constant that they leave out.
        """
        return None

    def unbound(self) -> Self:
        """The basis as it was before ``bind``."""
        free = {name: None for name in ("low", "high", "knots") if hasattr(self, name)}
        return replace(self, **free)

    @property
    def smoothness(self) -> int:
        """Number of continuous derivatives; the search for W and V needs 2."""
        return 9

    @property
    def n_derivatives(self) -> int:
        """Largest order that ``design`` takes; refinement needs 2, uncertainty 3."""
        return self.smoothness

    def check_size(self, n_points: int) -> None:
        """Reject a basis with as many functions as there are points, or more."""
        if self.n_functions >= n_points:
            raise InvalidOptionError(
                f"{self} has {self.n_functions} coefficients but a branch has only "
                f"{n_points} distinct z; use a smaller basis or more points"
            )

    def reduced(self, n_distinct: int) -> Self:
        """A smaller basis of the same kind for few distinct z."""
        self.check_size(n_distinct)
        return self

    @property
    def interval(self) -> tuple[float, float]:
        low, high = getattr(self, "low", None), getattr(self, "high", None)
        if low is None or high is None:
            raise InvalidOptionError(f"{type(self).__name__} is not bound: call bind(z) first")
        return float(low), float(high)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": type(self).__name__, **asdict(self)}


@dataclass(frozen=True)
class IntervalBasis(Basis):
    """A basis that only needs to know the ends of the data."""

    def __post_init__(self) -> None:
        low, high = getattr(self, "low", None), getattr(self, "high", None)
        bound = low is not None or high is not None
        if bound and not (is_real(low) and is_real(high)):
            raise InvalidOptionError(f"low and high must be two numbers, got {low!r} and {high!r}")

    def bind(self, z: Array) -> Self:
        low, high = range_of(z)
        return replace(self, low=low, high=high)  # type: ignore[call-arg]

    def _unit(self, z: Array) -> tuple[Array, float]:
        """z on [-1, 1], and d(unit)/dz."""
        low, high = check_not_a_point(self.interval)
        rate = 2.0 / (high - low)
        return (as_float_array(z) - low) * rate - 1.0, rate


def store_integer(basis: Basis, name: str, least: int = 1) -> None:
    """A whole number of any kind becomes an int, so that it can be kept in a file."""
    object.__setattr__(basis, name, check_integer(name, getattr(basis, name), least))


def range_of(z: Any) -> tuple[float, float]:
    """Least and largest z."""
    z = as_float_array(z)
    if z.size == 0:
        raise InvalidSamplesError("z is empty: a basis is bound to the range of some data")
    low, high = float(np.min(z)), float(np.max(z))
    if not np.isfinite(high - low):
        raise InvalidSamplesError(
            f"z goes from {low:.3g} to {high:.3g}: a basis is bound to finite data"
        )
    return low, high


def check_not_a_point(interval: tuple[float, float]) -> tuple[float, float]:
    """The interval, unless it is a point."""
    if interval[0] == interval[1]:
        raise DegenerateBranchError(
            f"z is {interval[0]:.6g} at every point: bind the basis to data that vary"
        )
    return interval


def check_order(order: Any) -> None:
    if not isinstance(order, (int, np.integer)) or order < 0:
        raise InvalidOptionError(f"order is {order!r}: pass 0, a derivative 1, 2, ...")
