"""Branches as plain numbers and a rule: what every export translates into its own language."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..bases import RBF, Fourier, Polynomial
from ..bases._piecewise import Pieces
from ..errors import InvalidOption
from ..model._branch import Branch, Expansion
from ..model._function import DecoupledFunction

CANCELLING = 100.0  # times the terms about the middle: powers of z that are not written
ROUNDING = 1e-9  # of the interval: a z this far outside still counts as inside


@dataclass(frozen=True, eq=False)
class Legendre:
    """``c_1 P_1(t) + c_2 P_2(t) + ...`` with ``t = (z - low) * rate - 1``."""

    low: float
    rate: float
    coefficients: Array


@dataclass(frozen=True, eq=False)
class Harmonics:
    """``line t + sum of sines_k sin(frequencies_k t) + cosines_k cos(frequencies_k t)``."""

    low: float
    rate: float
    line: float
    frequencies: Array
    sines: Array
    cosines: Array


@dataclass(frozen=True, eq=False)
class Bumps:
    """``sum of heights_k exp(-x_k^2 / 2)`` with ``x_k = (t - centres_k) / width``."""

    low: float
    rate: float
    width: float
    centres: Array
    heights: Array


Smooth = Legendre | Harmonics | Bumps


@dataclass(frozen=True, eq=False)
class Tails:
    """Straight lines from the edges on."""

    low: float
    high: float
    low_value: float
    high_value: float
    low_slope: float
    high_slope: float


@dataclass(frozen=True, eq=False)
class Formula:
    """One branch: a curve, and what holds beyond it.

    Attributes
    ----------
    curve : Pieces, Legendre, Harmonics or Bumps
    tails : Tails or None
        Where the curve is left for straight lines. Pieces hold their lines themselves.
    bounds : (low, high) or None
        The branch is NaN outside of them.

    Examples
    --------
    >>> from unbraid.model._branch import fit_branch
    >>> z = np.linspace(0.0, 4.0, 9)
    >>> formula = formula_of(fit_branch(Polynomial(1), z, 3 * z))
    >>> formula.curve.rate, formula.curve.coefficients.round(9).tolist()
    (0.5, [6.0])
    >>> round(formula.tails.high_slope, 9)
    3.0
    """

    curve: Pieces | Smooth
    tails: Tails | None = None
    bounds: tuple[float, float] | None = None


def formulas(d: DecoupledFunction) -> tuple[Formula, ...]:
    """How every branch is computed; branches of Python functions are refused."""
    return tuple(formula_of(branch) for branch in d.branches)


def formula_of(branch: Branch) -> Formula:
    """How one branch is computed."""
    if branch.pieces is not None:
        return Formula(branch.pieces)
    curve = curve_of(branch)
    if branch.extrapolate == "linear":
        return Formula(curve, tails=_tails(branch))
    if branch.extrapolate == "nan":
        return Formula(curve, bounds=bounds_of(branch))
    return Formula(curve)


def bounds_of(branch: Branch) -> tuple[float, float]:
    """The interval of the data, and room for the rounding of z."""
    low, high = branch.interval
    room = ROUNDING * (high - low)
    return low - room, high + room


def _tails(branch: Branch) -> Tails:
    edges = np.array(branch.edges)
    numbers = np.concatenate([edges, branch.curve(edges), branch.curve(edges, 1)])
    return Tails(*numbers.tolist())


def curve_of(branch: Branch) -> Pieces | Smooth:
    """The curve alone, as it is inside the range of the data."""
    pieces = getattr(branch.curve, "pieces", None)
    if isinstance(pieces, Pieces):
        return pieces
    if isinstance(branch.curve, Expansion):
        basis, c = branch.curve.basis, branch.curve.coefficients
        low, high = basis.interval
        rate = 2.0 / (high - low)
        if isinstance(basis, Polynomial):
            return Legendre(low, rate, c)
        if isinstance(basis, Fourier):
            frequencies = np.pi * np.arange(1.0, basis.n_harmonics + 1) / basis.stretch
            return Harmonics(low, rate, float(c[0]), frequencies, c[1::2], c[2::2])
        if isinstance(basis, RBF):
            centres = np.linspace(-1, 1, basis.n_centres)
            width = basis.width * 2.0 / (basis.n_centres - 1)
            return Bumps(low, rate, width, centres, c)
    raise InvalidOption(
        f"{branch!r} is made of Python functions, which no other language can run: refit it "
        f"first, e.g. with unbraid.refine(d, samples, basis=BSpline(12))"
    )


def powers(series: Legendre) -> tuple[float, Array]:
    """A place, and the coefficients of 1, z - place, (z - place)^2, ... of the same polynomial.

    The place is 0, or near the middle of a range so far from it that powers of z would cancel.

    >>> powers(Legendre(0.0, 2.0, np.array([1.0])))
    (0.0, array([-1.,  2.]))
    >>> place, c = powers(Legendre(1000.2, 1.0, np.array([1.0, 1.0])))
    >>> round(place, 9), c.round(9).tolist()
    (1001.2, [-0.5, 1.0, 1.5])
    """
    width = 2.0 / series.rate
    middle = series.low + 0.5 * width
    middle = round(middle, 1 - int(np.floor(np.log10(width))))  # few digits, for reading
    found = {}
    for place in (0.0, middle):
        low, high = series.low - place, series.low - place + width
        basis = Polynomial(series.coefficients.size, low, high)
        constant, rest = basis.monomials(series.coefficients)
        reach = np.abs(rest) @ max(abs(low), abs(high)) ** np.arange(1.0, rest.size + 1)
        found[place] = reach, np.append(constant, rest)
    place = middle if found[0.0][0] > CANCELLING * found[middle][0] else 0.0
    return place, found[place][1]


def further_digits(interval: tuple[float, float]) -> int:
    """Digits that places in an interval need beyond those of its width."""
    low, high = interval
    ratio = max(abs(low), abs(high)) / (high - low)
    return int(np.ceil(np.log10(max(ratio, 1.0))))
