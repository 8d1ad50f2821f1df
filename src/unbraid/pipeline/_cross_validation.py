"""Stage 9: the error to expect on new points.

Within the range of the data it is cross-validated: every point is predicted by a fit without it.
What new points beyond that range add is estimated in ``_extrapolation_error``.
"""

from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index, Mask
from ..data._samples import Samples
from ..data._splitting import assign_folds
from ..errors import UnbraidError
from ..metrics import relative_error
from ..model._function import DecoupledFunction
from ..solvers._base import StopCriteria
from ..solvers._problem import Problem
from ._extrapolation_error import expected_extrapolation_error
from ._joint_fit import FitObjective, fit_jointly
from ._refit import refit_problem
from ._scores import output_spread
from ._state import FitState


@dataclass(frozen=True)
class CrossValidationSettings:
    """Size of the cross-validation."""

    n_folds: int = 5
    max_points: int = 5000  # with more, the held-out points say enough
    max_iterations: int = 10  # of the fit without a fold, which begins at the full fit


CROSS_VALIDATION_SETTINGS = CrossValidationSettings()


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
    beyond = expected_extrapolation_error(state, samples)
    errors = estimate_errors(samples.values[right], values[right], inside[right], beyond)
    return state.with_function(**errors)


def add_extrapolation_error(state: FitState, samples: Samples) -> FitState:
    """Add what points beyond the data contribute to the error on the held-out points."""
    function = state.function
    if function.held_out_error is None or len(samples) > CROSS_VALIDATION_SETTINGS.max_points:
        return state
    beyond = 100 * np.sqrt(expected_extrapolation_error(state, samples))
    return state.with_function(held_out_error=np.hypot(function.held_out_error, beyond))


def estimate_errors(
    values: Array, predictions: Array, inside: Mask, beyond: Array | None = None
) -> dict[str, Array]:
    """Fields of the error on new points: in %, with its standard error.

    ``beyond`` is the mean square error per output, relative to its variance, that is expected of
    points beyond the range of the data. It replaces the error of the given points that are not
    inside the range of the fit that predicts them.
    """
    error = relative_error(values, predictions)
    scale = output_spread(values)
    varies = np.isfinite(scale)
    squares = ((values - predictions) / scale) ** 2
    within = squares[inside] if np.any(inside) else squares
    counted = squares if beyond is None else within
    mean, variance = counted.mean(axis=0), counted.var(axis=0) / len(counted)
    if beyond is not None:
        mean, variance = mean + beyond, variance + beyond**2
    return {
        "held_out_error": np.where(varies, 100 * np.sqrt(mean), error),
        "held_out_error_se": 100 * np.sqrt(variance / np.maximum(mean, 1e-300)) / 2,
        "held_out_error_inside": np.where(varies, 100 * np.sqrt(within.mean(axis=0)), error),
    }


def _fit_part(
    state: FitState, samples: Samples, problem: Problem, rows: Index
) -> DecoupledFunction:
    """Fit the function to a part of the samples, in the same basis."""
    stop = StopCriteria(CROSS_VALIDATION_SETTINGS.max_iterations if state.settings.refine else 0)
    objective = FitObjective(state.jacobian_weight, 1.0, state.smoothing)
    part = samples.subset(rows), problem.select_samples(rows)
    return fit_jointly(state.function, *part, objective, stop)[0]
