"""How far each branch is used beyond the data before it continues linearly."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis, BSpline, Polynomial
from ..model._curves import Expansion
from ..model._extrapolation import validated_margin
from ..model._function import DecoupledFunction
from ..solvers.varpro._joint import evaluate_branches
from ._linearisation import Linearisation

MAX_SPLINE_MARGIN = 0.15  # of the range of the data, for branches that are not one formula
FAR_MARGINS = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # ranges, for polynomials that are certain there
SMALLEST_NOISE = 1e-15  # of the outputs: the rounding of a fit
MAX_EXTRAPOLATION_ERROR = 0.005  # of the spread of the outputs, two standard errors of a branch


def with_margins(
    function: DecoupledFunction, linearisation: Linearisation, chosen: Sequence[int] | None = None
) -> DecoupledFunction:
    """The function with a margin on every branch, or on those chosen.

    The margin reaches as far as two standard errors are small, or as far as the curve continues
    better than a straight line at the ends of the data.
    """
    noise, relative = _noise_per_branch(linearisation)
    W = linearisation.problem.value_map @ linearisation.fit.W[0]
    weight = np.linalg.norm(W, axis=0) * relative
    branches = list(function.branches)
    for i in range(len(branches)) if chosen is None else chosen:
        branch = branches[i]
        assert isinstance(branch.curve, Expansion)
        basis = branch.curve.basis
        limit = _largest_margin(basis)
        margins = np.append(np.linspace(0, limit, 11), _far_margins(basis, noise[i]))
        outward = 1 + 2 * margins
        errors = linearisation.branch_errors(np.concatenate([-outward, outward]), i)
        worst = np.maximum(errors[: len(margins)], errors[len(margins) :])
        known = np.cumprod(2 * worst * weight[i] <= MAX_EXTRAPOLATION_ERROR)
        margin = float(margins[max(known.sum() - 1, 0)])
        if not known.all():
            margin = max(margin, validated_margin(branch, limit))
        branches[i] = replace(branch, margin=margin)
    return replace(function, branches=tuple(branches))


def with_unit_margins(function: DecoupledFunction) -> DecoupledFunction:
    """The function with margins of one range: for polynomials that fit exactly."""
    branches = tuple(replace(branch, margin=1.0) for branch in function.branches)
    return replace(function, branches=branches)


def _largest_margin(basis: Basis) -> float:
    """Largest margin of a bound basis, as a share of the range of the data.

    A polynomial is one formula; the last piece of a spline holds in its own neighbourhood only.
    """
    if isinstance(basis, BSpline):
        knots = np.unique(basis.knots or ())
        return float(min(MAX_SPLINE_MARGIN, 1.5 * min(np.diff(knots)[[0, -1]]) / np.ptp(knots)))
    return 1.0 if isinstance(basis, Polynomial) else MAX_SPLINE_MARGIN


def _far_margins(basis: Basis, noise: float) -> Array:
    """Margins beyond one range where a polynomial is still certain.

    The residual could be a term of the next degree: it must be negligible there.
    """
    if not isinstance(basis, Polynomial):
        return np.array([])
    margins = np.array(FAR_MARGINS)
    grown = np.cosh((basis.degree + 1) * np.arccosh(1 + 2 * margins))  # Chebyshev's polynomial
    return np.asarray(margins[max(noise, SMALLEST_NOISE) * grown <= MAX_EXTRAPOLATION_ERROR])


def _noise_per_branch(linearisation: Linearisation) -> tuple[Array, Array]:
    """Rms noise of the outputs of each branch, and relative to the mean; (r,)."""
    problem, fit = linearisation.problem, linearisation.fit
    g, _ = evaluate_branches(fit, problem.points)
    W = problem.value_map @ fit.W[0]
    rest = g @ W.T - (problem.values - problem.values.mean(axis=0))
    noise = np.mean(rest**2, axis=0)
    share = W**2 / np.maximum(np.sum(W**2, axis=0), 1e-300)
    return np.sqrt(noise @ share), np.sqrt(noise @ share / max(noise.mean(), 1e-300))
