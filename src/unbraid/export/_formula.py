"""Branches as plain parameters and a rule, which every export translates."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..bases import RBF, Fourier, Polynomial
from ..bases._piecewise import Pieces
from ..errors import InvalidOptionError
from ..model._branch import Branch
from ..model._curves import Expansion
from ..model._function import DecoupledFunction

CANCELLATION_RATIO = 100.0  # powers of z are written about the middle if their terms grow by this
INTERVAL_TOLERANCE = 1e-9  # of the interval: a z this far outside counts as inside, as in Branch


@dataclass(frozen=True, eq=False)
class Legendre:
    """``c_1 P_1(t) + c_2 P_2(t) + ...`` with ``t = (z - low) * rate - 1``."""

    low: float
    rate: float
    coefficients: Array


@dataclass(frozen=True, eq=False)
class Harmonics:
    """A straight line plus sines and cosines of t.

    ``line t + sum of sines_k sin(frequencies_k t) + cosines_k cos(frequencies_k t)``
    """

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
    """Straight lines below ``low`` and above ``high``."""

    low: float
    high: float
    low_value: float
    high_value: float
    low_slope: float
    high_slope: float


@dataclass(frozen=True, eq=False)
class Formula:
    """One branch: a curve and its extrapolation.

    The curve holds everywhere, or between ``tails``, or between ``bounds`` (low, high) beyond
    which the branch is NaN. Pieces that extrapolate linearly contain their straight lines.

    >>> from unbraid.model._branch_fit import fit_branch
    >>> z = np.linspace(0.0, 4.0, 9)
    >>> formula = translate_branch(fit_branch(Polynomial(1), z, 3 * z))
    >>> formula.curve.rate, formula.curve.coefficients.round(9).tolist()
    (0.5, [6.0])
    >>> round(formula.tails.high_slope, 9)
    3.0
    """

    curve: Pieces | Smooth
    tails: Tails | None = None
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class FunctionFormula:
    """``linear p + W g(V' p) + offset``, with the formula of every branch."""

    V: Array  # (m, r)
    W: Array  # (n, r)
    offset: Array  # (n,)
    branches: tuple[Formula, ...]
    linear: Array | None = None  # (n, m); None is zero

    @property
    def n_inputs(self) -> int:
        return len(self.V)

    @property
    def n_outputs(self) -> int:
        return len(self.W)

    @property
    def n_branches(self) -> int:
        return len(self.branches)

    @property
    def curve_kinds(self) -> set[type]:
        """The kinds of curves in it: what helper functions a target needs."""
        return {type(formula.curve) for formula in self.branches}


def translate_function(d: DecoupledFunction) -> FunctionFormula:
    """Return a decoupled function as plain parameters and formulas."""
    return FunctionFormula(d.V, d.W, d.offset, translate_branches(d))


def translate_branches(d: DecoupledFunction) -> tuple[Formula, ...]:
    """Return the formulas of all branches; refuse branches made of Python functions."""
    return tuple(translate_branch(branch) for branch in d.branches)


def translate_branch(branch: Branch) -> Formula:
    """Return the formula of one branch."""
    if branch.pieces is not None:
        return Formula(branch.pieces)
    curve = translate_curve(branch)
    if branch.extrapolate in ("linear", "constant"):
        edges = np.array(branch.edges)
        ends = np.concatenate([edges, branch.curve(edges), branch.edge_slopes()])
        return Formula(curve, tails=Tails(*ends.tolist()))
    return Formula(curve, bounds=find_bounds(branch) if branch.extrapolate == "nan" else None)


def find_bounds(branch: Branch) -> tuple[float, float]:
    """Return the interval of the data, widened by the rounding error of z."""
    low, high = branch.interval
    room = INTERVAL_TOLERANCE * (high - low)
    return low - room, high + room


def translate_curve(branch: Branch) -> Pieces | Smooth:
    """Return the curve inside the range of the data, without its extrapolation."""
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
            return Bumps(low, rate, basis.width * 2.0 / (basis.n_centres - 1), centres, c)
    raise InvalidOptionError(
        f"{branch!r} is in a basis without a formula for other languages: refit it first, e.g. "
        f"with unbraid.refine(d, samples, basis=BSpline(12))"
    )


def expand_powers(series: Legendre) -> tuple[float, Array]:
    """Return a centre and the coefficients of 1, z - centre, (z - centre)^2, ...

    The centre is 0, or near the middle of a range so far from 0 that powers of z would cancel.

    >>> expand_powers(Legendre(0.0, 2.0, np.array([1.0])))
    (0.0, array([-1.,  2.]))
    >>> centre, c = expand_powers(Legendre(1000.2, 1.0, np.array([1.0, 1.0])))
    >>> round(centre, 9), c.round(9).tolist()
    (1001.2, [-0.5, 1.0, 1.5])
    """
    width = 2.0 / series.rate
    middle = series.low + 0.5 * width
    middle = round(middle, 1 - int(np.floor(np.log10(width))))  # few digits, for reading
    terms, coefficients = {}, {}
    for centre in (0.0, middle):
        low, high = series.low - centre, series.low - centre + width
        basis = Polynomial(series.coefficients.size, low, high)
        constant, rest = basis.monomials(series.coefficients)
        terms[centre] = np.abs(rest) @ max(abs(low), abs(high)) ** np.arange(1.0, rest.size + 1)
        coefficients[centre] = np.append(constant, rest)
    centre = middle if terms[0.0] > CANCELLATION_RATIO * terms[middle] else 0.0
    return centre, coefficients[centre]
