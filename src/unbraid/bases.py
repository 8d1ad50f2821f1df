"""Bases for a function of one variable, linear in their coefficients.

A basis spans functions *without* the constant: constants are not seen by Jacobians and belong to
the offset. ``bind`` fixes it on an interval; ``design`` then gives its functions, their
derivatives (order 1, 2, ...) or their antiderivatives (order -1) at any z.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy
from numpy.polynomial import legendre

from ._checks import is_real, numbers, positive_integer, real_array
from .errors import DegenerateBranch, InvalidFile, InvalidOption, InvalidSamples, SamplingError
from .knots import inner_knots
from .legendre import legendre_design
from .pieces import Pieces, from_spline
from .tensor import Array

NARROWEST, WIDEST = 1e-3, 1e6  # of a stretch or a width, in units of the interval or the spacing


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
        """(len(z), K) functions, derivatives (order > 0) or antiderivatives (order = -1)."""

    def combined(self, z: Array, coefficients: Array, order: int = 0) -> Array:
        """The function with these coefficients, or a derivative of it, at z."""
        return np.asarray(self.design(z, order) @ coefficients)

    def unbound(self) -> Self:
        """The basis as it was before ``bind``."""
        free = {name: None for name in ("low", "high", "knots") if hasattr(self, name)}
        return replace(self, **free)

    @property
    def smoothness(self) -> int:
        """How many derivatives are continuous and known."""
        return 9

    def reduced(self, n_distinct: int) -> Self:
        """A smaller basis of the same kind for few distinct z."""
        if self.n_functions >= n_distinct:
            raise InvalidOption(
                f"{self} has {self.n_functions} coefficients but a branch has only "
                f"{n_distinct} distinct z; use a smaller basis or more points"
            )
        return self

    @property
    def interval(self) -> tuple[float, float]:
        low, high = getattr(self, "low", None), getattr(self, "high", None)
        if low is None or high is None:
            raise InvalidOption(f"{type(self).__name__} is not bound: call bind(z) first")
        return float(low), float(high)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": type(self).__name__, **asdict(self)}


@dataclass(frozen=True)
class _IntervalBasis(Basis):
    """A basis that only needs to know the ends of the data."""

    def __post_init__(self) -> None:
        low, high = getattr(self, "low", None), getattr(self, "high", None)
        bound = low is not None or high is not None
        if bound and not (is_real(low) and is_real(high)):
            raise InvalidOption(f"low and high must be two numbers, got {low!r} and {high!r}")

    def bind(self, z: Array) -> Self:
        low, high = _ends(z)
        return replace(self, low=low, high=high)  # type: ignore[call-arg]

    def _unit(self, z: Array) -> tuple[Array, float]:
        """z on [-1, 1], and d(unit)/dz."""
        low, high = _wide(self.interval)
        rate = 2.0 / (high - low)
        return (numbers(z) - low) * rate - 1.0, rate


@dataclass(frozen=True)
class Polynomial(_IntervalBasis):
    """Polynomials up to a degree: Legendre on the data's interval inside, monomials outside.

    >>> Polynomial(3).n_functions
    3
    """

    degree: int
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _whole(self, "degree")

    @property
    def n_functions(self) -> int:
        return self.degree

    def design(self, z: Array, order: int = 0) -> Array:
        _check_order(order)
        t, rate = self._unit(z)
        return legendre_design(t, self.degree, order) * rate**order

    def combined(self, z: Array, coefficients: Array, order: int = 0) -> Array:
        t, rate = self._unit(z)
        series = np.concatenate([[0.0], coefficients])
        series = legendre.legint(series) if order < 0 else legendre.legder(series, order)
        return np.asarray(legendre.legval(t, series) * rate**order)

    def monomials(self, coefficients: Array) -> tuple[float, Array]:
        """Constant and coefficients of z, z^2, ... of the same polynomial."""
        low, high = self.interval
        series = legendre.Legendre([0.0, *coefficients], domain=[low, high])
        power = series.convert(kind=np.polynomial.Polynomial, domain=[-1, 1]).coef
        power = np.concatenate([power, np.zeros(self.degree + 1 - power.size)])
        return float(power[0]), np.asarray(power[1:], dtype=float)


@dataclass(frozen=True)
class BSpline(Basis):
    """B-splines with knots at quantiles of the data.

    The space has ``n_coefficients`` dimensions, one of which is the constant; the first
    spline is left out for it, so ``n_coefficients - 1`` numbers are stored. A fit takes half as
    many as there are distinct z at most, however many are asked for.

    >>> BSpline(10).bind(np.linspace(0, 1, 50)).design(np.array([0.5])).shape
    (1, 9)
    """

    n_coefficients: int
    degree: int = 3
    knots: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        _whole(self, "degree")
        _whole(self, "n_coefficients", least=self.degree + 1)
        if self.knots is not None and not _sound_knots(self):
            count = self.n_coefficients + self.degree + 1
            raise InvalidOption(f"knots must be {count} numbers that do not fall: call bind(z)")

    @property
    def n_functions(self) -> int:
        return self.n_coefficients - 1

    @property
    def smoothness(self) -> int:
        return self.degree - 1

    @property
    def interval(self) -> tuple[float, float]:
        if self.knots is None:
            raise InvalidOption(f"{type(self).__name__} is not bound: call bind(z) first")
        return self.knots[0], self.knots[-1]

    def bind(self, z: Array) -> Self:
        n_inner = self.n_coefficients - self.degree - 1
        low, high = _ends(z)
        ends = self.degree + 1
        inner = inner_knots(numbers(z), low, high, n_inner)
        return replace(self, knots=(*[low] * ends, *inner.tolist(), *[high] * ends))

    def reduced(self, n_distinct: int) -> Self:
        smaller = max(min(self.n_coefficients, n_distinct // 2), 2)
        if smaller == self.n_coefficients:
            return self
        degree = min(self.degree, smaller - 1)
        return replace(self, n_coefficients=smaller, degree=degree, knots=None)

    def design(self, z: Array, order: int = 0) -> Array:
        _wide(self.interval)
        _check_order(order)
        knots, degree = np.asarray(self.knots), self.degree
        z = numbers(z)
        if order < 0:
            spline = scipy.interpolate.BSpline(knots, np.eye(self.n_coefficients), degree)
            return np.asarray(spline.antiderivative()(z))[..., 1:]
        return self._functions(z, order)

    @cached_property
    def _functions(self) -> Pieces:
        """All functions as piecewise polynomials."""
        splines = np.eye(self.n_coefficients)[:, 1:]
        return from_spline(np.asarray(self.knots), splines, self.degree)


@dataclass(frozen=True)
class PiecewiseLinear(BSpline):
    """Straight lines between knots at quantiles of the data.

    >>> PiecewiseLinear(5).n_functions
    4
    """

    degree: int = 1


@dataclass(frozen=True)
class Fourier(_IntervalBasis):
    """A straight line and harmonics of a period of ``stretch`` times the data's interval.

    >>> Fourier(2).n_functions
    5
    """

    n_harmonics: int
    stretch: float = 1.5
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _whole(self, "n_harmonics")
        if not is_real(self.stretch) or not 1 <= self.stretch <= WIDEST:
            raise InvalidOption(
                f"stretch must be a number from 1 to {WIDEST:g}, got {self.stretch!r}"
            )

    @property
    def n_functions(self) -> int:
        return 2 * self.n_harmonics + 1

    def design(self, z: Array, order: int = 0) -> Array:
        _check_order(order)
        t, rate = self._unit(z)
        line = {-1: 0.5 * t**2 / rate, 0: t, 1: np.full_like(t, rate)}.get(order, np.zeros_like(t))
        columns = [line]
        for k in range(1, self.n_harmonics + 1):
            frequency = np.pi * k / self.stretch
            phase = frequency * t + 0.5 * np.pi * order  # each derivative is a quarter turn
            columns += [np.sin(phase) * (frequency * rate) ** order]
            columns += [np.cos(phase) * (frequency * rate) ** order]
        return np.stack(columns, axis=-1)


@dataclass(frozen=True)
class RBF(_IntervalBasis):
    """Gaussian bumps, evenly spread over the data's interval.

    >>> RBF(8).n_functions
    8
    """

    n_centres: int
    width: float = 1.5
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _whole(self, "n_centres", least=2)
        if not is_real(self.width) or not NARROWEST <= self.width <= WIDEST:
            raise InvalidOption(
                f"width (in spacings of the centres) must be a number from {NARROWEST:g} to "
                f"{WIDEST:g}, got {self.width!r}"
            )

    @property
    def n_functions(self) -> int:
        return self.n_centres

    def design(self, z: Array, order: int = 0) -> Array:
        from scipy.special import erf, eval_hermitenorm

        _check_order(order)
        t, rate = self._unit(z)
        spacing = 2.0 / (self.n_centres - 1)
        scale = self.width * spacing
        x = (t[..., None] - np.linspace(-1, 1, self.n_centres)) / scale
        if order < 0:
            return np.asarray(np.sqrt(np.pi / 2) * erf(x / np.sqrt(2)) * scale / rate)
        with np.errstate(under="ignore"):
            bump = np.exp(-0.5 * x**2) * eval_hermitenorm(order, x)
        return np.asarray(bump * (-rate / scale) ** order)


@dataclass(frozen=True)
class CustomBasis(Basis):
    """The user's own functions of z and their derivatives; it cannot be saved to a file.

    ``z = v.p`` with v of unit length in the user's units: tanh(2 p1 + p2) is tanh(sqrt(5) z).

    >>> CustomBasis([np.tanh], [lambda z: 1 / np.cosh(z) ** 2]).n_functions
    1
    """

    functions: Sequence[Callable[[Array], Array]]
    derivatives: Sequence[Callable[[Array], Array]]
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for name in ("functions", "derivatives"):
            given = getattr(self, name)
            if not isinstance(given, Sequence) or not all(callable(phi) for phi in given):
                raise InvalidOption(f"{name} must be a list of functions of z, got {given!r}")
        if not self.functions or len(self.functions) != len(self.derivatives):
            raise InvalidOption("CustomBasis needs as many derivatives as functions, at least one")

    @property
    def n_functions(self) -> int:
        return len(self.functions)

    @property
    def smoothness(self) -> int:
        return 1

    def bind(self, z: Array) -> Self:
        low, high = _ends(z)
        return replace(self, low=low, high=high)

    def design(self, z: Array, order: int = 0) -> Array:
        if order not in (0, 1):
            raise InvalidOption("CustomBasis knows values and first derivatives only")
        z = numbers(z)
        return np.stack([self._column(k, z, order) for k in range(self.n_functions)], axis=-1)

    def _column(self, k: int, z: Array, order: int) -> Array:
        """One function, or its derivative, checked: it is the user's."""
        what = f"function {k} of the CustomBasis" + (", its derivative," if order else "")
        try:
            with np.errstate(all="ignore"):
                found = (self.derivatives if order else self.functions)[k](z.copy())
            column = np.broadcast_to(real_array(what, found), z.shape)
        except InvalidSamples:
            raise
        except Exception as error:
            raise SamplingError(
                f"{what} failed on z of shape {z.shape}: {type(error).__name__}: {error}; it must "
                f"take an array and return one of the same shape"
            ) from error
        bad = np.isfinite(z) & ~np.isfinite(column)
        if np.any(bad):
            raise SamplingError(f"{what} is not finite at z = {z[bad][0]:.6g}; repair it there")
        return column

    def to_dict(self) -> dict[str, Any]:
        raise InvalidOption("a CustomBasis holds Python functions and cannot be saved")


def _whole(basis: Basis, name: str, least: int = 1) -> None:
    """A whole number of any kind becomes an int, so that it can be kept in a file."""
    object.__setattr__(basis, name, positive_integer(name, getattr(basis, name), least))


def _ends(z: Any) -> tuple[float, float]:
    """Least and largest z."""
    z = numbers(z)
    if z.size == 0:
        raise InvalidSamples("z is empty: a basis is bound to the range of some data")
    low, high = float(np.min(z)), float(np.max(z))
    if not np.isfinite(high - low):
        raise InvalidSamples(
            f"z goes from {low:.3g} to {high:.3g}: a basis is bound to finite data"
        )
    return low, high


def _wide(interval: tuple[float, float]) -> tuple[float, float]:
    """The interval, unless it is a point."""
    if interval[0] == interval[1]:
        raise DegenerateBranch(
            f"z is {interval[0]:.6g} at every point: bind the basis to data that vary"
        )
    return interval


def _check_order(order: Any) -> None:
    if not isinstance(order, (int, np.integer)) or order < -1:
        raise InvalidOption(
            f"order is {order!r}: pass 0, a derivative 1, 2, ..., or -1 for the antiderivative"
        )


KINDS: dict[str, type[Basis]] = {
    kind.__name__: kind for kind in (Polynomial, BSpline, PiecewiseLinear, Fourier, RBF)
}


def basis_from_dict(description: Any) -> Basis:
    """The basis that ``to_dict`` described, or InvalidFile."""
    try:
        arguments = dict(description)
        kind = KINDS[arguments.pop("kind")]
        if arguments.get("knots") is not None:
            arguments["knots"] = tuple(float(k) for k in arguments["knots"])
        basis = kind(**arguments)
        low, high = basis.interval
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ValueError(f"interval ({low}, {high})")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidFile(f"the file describes no basis that unbraid knows: {error}") from None
    return basis


def _sound_knots(basis: BSpline) -> bool:
    try:
        knots = np.asarray(basis.knots, dtype=float)
    except (TypeError, ValueError):
        return False
    fits = knots.size == basis.n_coefficients + basis.degree + 1
    return bool(fits and np.all(np.isfinite(knots)) and np.all(np.diff(knots) >= 0))
