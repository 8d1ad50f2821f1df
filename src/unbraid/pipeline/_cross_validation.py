"""Stage 9: the error to expect on new points.

It is cross-validated: every point is predicted by a fit without it. A few new points will lie
further outside the range of the data than any point did in this. There a branch continues as a
straight line, which is off by about as much as the curve would bend.
"""

from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index, Mask
from ..data._resampling import resample_points
from ..data._samples import Samples
from ..data._splitting import assign_folds
from ..errors import UnbraidError
from ..metrics import FLAT, relative_error
from ..model._branch import Branch
from ..model._function import DecoupledFunction
from ..solvers._base import StopCriteria
from ..solvers._problem import Problem
from ._joint_fit import FitObjective, fit_jointly
from ._refit import refit_problem
from ._state import FitState


@dataclass(frozen=True)
class CrossValidationSettings:
    """Size of the cross-validation, and of the sample of new points."""

    n_folds: int = 5
    max_points: int = 5000  # with more, the held-out points say enough
    max_iterations: int = 10  # of the fit without a fold, which begins at the full fit
    n_new_points: int = 4000
    max_resampled_inputs: int = 50  # with more, the z are resampled in place of the inputs
    max_outside: float = 6.0  # times 1 / (N + 1): share of new z outside the range, 2 on average


CROSS_VALIDATION_SETTINGS = CrossValidationSettings()
N_BEND_NODES = 101  # at which the range of a branch is measured


@dataclass(frozen=True, eq=False)
class Parts:
    """The fold of every point, and the function fitted without each fold."""

    folds: Index
    functions: tuple[DecoupledFunction, ...]


def fit_parts(state: FitState, samples: Samples) -> Parts | None:
    """Fit the function without each fold; None where that is not needed or fails."""
    if not state.can_postprocess or len(samples) > CROSS_VALIDATION_SETTINGS.max_points:
        return None
    folds = assign_folds(samples.points, CROSS_VALIDATION_SETTINGS.n_folds)
    problem = refit_problem(state, samples)
    try:
        functions = tuple(
            _fit_part(state, samples, problem, np.flatnonzero(folds != fold))
            for fold in range(int(folds.max()) + 1)
        )
    except (UnbraidError, np.linalg.LinAlgError):
        return None
    return Parts(folds, functions)


def fit_without_outliers(state: FitState, samples: Samples) -> DecoupledFunction:
    """Fit without points that look wrong; the function itself if that fails."""
    if not state.outliers or not state.can_postprocess:
        return state.function
    rows = np.setdiff1d(np.arange(len(samples)), state.outliers)
    try:
        return _fit_part(state, samples, refit_problem(state, samples), rows)
    except (UnbraidError, np.linalg.LinAlgError):
        return state.function


def cross_validate(state: FitState, samples: Samples, parts: Parts) -> FitState:
    """Replace the error on the held-out points by an estimate that uses all points."""
    values, inside = np.empty_like(samples.values), np.empty(len(samples), dtype=bool)
    for fold, function in enumerate(parts.functions):
        rows = parts.folds == fold
        values[rows], inside[rows] = function(samples.points[rows], return_inside=True)
    if not np.all(np.isfinite(values)):
        return state
    right = np.setdiff1d(np.arange(len(samples)), state.outliers)
    bend = _expected_bend(state.function, samples)
    errors = estimate_errors(samples.values[right], values[right], inside[right], bend)
    return state.with_function(**errors)


def estimate_errors(
    values: Array, predictions: Array, inside: Mask, bend: Array | float = 0.0
) -> dict[str, Array]:
    """Fields of the error on new points: in %, with its standard error.

    ``bend`` is the mean square error per output, relative to its variance, that is expected of
    points further outside than the given ones.
    """
    error = relative_error(values, predictions)
    scale = _spread(values)
    varies = np.isfinite(scale)
    squares = ((values - predictions) / scale) ** 2
    mean = squares.mean(axis=0) + bend
    variance = squares.var(axis=0) / len(squares) + np.square(bend)
    within = squares[inside] if np.any(inside) else squares
    return {
        "held_out_error": np.where(varies, 100 * np.sqrt(mean), error),
        "held_out_error_se": 100 * np.sqrt(variance / np.maximum(mean, 1e-300)) / 2,
        "held_out_error_inside": np.where(varies, 100 * np.sqrt(within.mean(axis=0)), error),
    }


def _spread(values: Array) -> Array:
    """Standard deviation of every output; inf where that is rounding."""
    spread = values.std(axis=0)
    return np.where(spread > FLAT * np.abs(values).max(axis=0), spread, np.inf)


def _fit_part(
    state: FitState, samples: Samples, problem: Problem, rows: Index
) -> DecoupledFunction:
    """Fit the function to a part of the samples, in the same basis."""
    stop = StopCriteria(CROSS_VALIDATION_SETTINGS.max_iterations if state.settings.refine else 0)
    objective = FitObjective(state.jacobian_weight, 1.0, state.smoothing)
    part = samples.subset(rows), problem.select_samples(rows)
    return fit_jointly(state.function, *part, objective, stop)[0]


def _expected_bend(function: DecoupledFunction, samples: Samples) -> Array:
    """Mean square of the bend beyond the data, relative to the variance, (n,)."""
    z = _resample_z(function.transform(samples.points), samples.points, function)
    bends = [_bend(branch, z[:, i]) for i, branch in enumerate(function.branches)]
    W = function.W.T / _spread(samples.values)
    return np.asarray(np.mean((np.column_stack(bends) @ W) ** 2, axis=0))


def _resample_z(known: Array, points: Array, function: DecoupledFunction) -> Array:
    """z of new points; drawn branch by branch where the inputs are too entangled.

    That shows where more new points than expected are outside the range.
    """
    settings, n_points = CROSS_VALIDATION_SETTINGS, len(points)
    rng = np.random.default_rng(n_points)
    if points.shape[1] <= settings.max_resampled_inputs:
        z = function.transform(resample_points(points, settings.n_new_points, rng))
    else:
        z = resample_points(known, settings.n_new_points, rng)
    outside = np.mean((z < known.min(axis=0)) | (z > known.max(axis=0)), axis=0)
    for i in np.flatnonzero(outside > settings.max_outside / (n_points + 1)):
        z[:, i] = resample_points(known[:, [i]], settings.n_new_points, rng)[:, 0]
    return z


def _bend(branch: Branch, z: Array) -> Array:
    """Deviation of a curve from its linear continuation, to second order.

    It is limited to what would bring the branch to rest or across its range.
    """
    edges = np.array(branch.edges)
    beyond = np.maximum(np.maximum(edges[0] - z, z - edges[1]), 0.0)
    side = (z > edges[1]).astype(int)
    values = branch.curve(np.linspace(edges[0], edges[1], N_BEND_NODES))
    bend = 0.5 * branch.curve(edges, 2)[side] * beyond**2
    limit = np.abs(branch.curve(edges, 1))[side] * beyond + np.ptp(values)
    return np.asarray(np.clip(bend, -limit, limit))
