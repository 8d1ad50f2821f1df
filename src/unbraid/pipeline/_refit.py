"""Fit the function of a state again, for several stages."""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..solvers._base import StopCriteria
from ..solvers._problem import Problem, max_input_directions
from ._extrapolation import with_margins
from ._joint_fit import FitObjective, fit_jointly, problem_for
from ._linearisation import linearise
from ._partial_residuals import with_partial_residuals
from ._pattern import has_pattern
from ._state import FitState, KnownProblem
from ._uncertainty import estimate_uncertainty, with_bands

POLISH_STOP = StopCriteria(50)
COEFFICIENTS_ONLY = StopCriteria(0)


def refit(
    state: FitState,
    samples: Samples,
    jacobian_weight: float,
    *,
    basis: Basis | None = None,
    stop: StopCriteria = POLISH_STOP,
    cancellation: float = 0.0,
) -> FitState:
    """Fit the function to samples, without the uncertainty."""
    problem = refit_problem(state, samples)
    objective = FitObjective(jacobian_weight, 1.0, state.smoothing, cancellation)
    function, _ = fit_jointly(state.function, samples, problem, objective, stop, basis=basis)
    fitted = replace(state, function=function, uncertainty=None)
    return with_margins_at(fitted, state.validation.points, samples, jacobian_weight, problem)


def refit_problem(state: FitState, samples: Samples) -> Problem:
    """The samples in the coordinates of a refit."""
    settings, function, known = state.settings, state.function, state.known_problem
    if known is not None and known.samples is samples and _is_for(known.problem, function):
        return known.problem
    compress = settings.jacobian_weight > 0
    return problem_for(function, samples, settings.output_weights, compress)


def _is_for(problem: Problem, function: DecoupledFunction) -> bool:
    """Whether a problem made for another function serves this one."""
    all_directions = problem.shape[2] < max_input_directions(problem.n_branches)
    as_many = problem.n_branches == function.n_branches
    return all_directions and as_many and not has_pattern(function)


def with_problem(state: FitState) -> FitState:
    """The state with its fitted samples in the coordinates of a refit."""
    problem = refit_problem(state, state.fitted)
    return replace(state, known_problem=KnownProblem(state.fitted, problem))


def refit_coefficients(
    state: FitState,
    samples: Samples,
    problem: Problem,
    jacobian_weight: float,
    basis: Basis | None = None,
) -> FitState:
    """Fit the coefficients to samples, W and V as they are, without the uncertainty."""
    objective = FitObjective(jacobian_weight, 1.0, state.smoothing)
    how = problem, objective, COEFFICIENTS_ONLY
    function, _ = fit_jointly(state.function, samples, *how, basis=basis)
    return replace(state, function=function)


def with_uncertainty(
    state: FitState, samples: Samples, jacobian_weight: float, problem: Problem | None = None
) -> FitState:
    """The state with partial residuals and, if possible, uncertainty and margins."""
    state = replace(state, function=with_partial_residuals(state.function, samples))
    if not state.settings.capabilities.postprocess:
        return state
    weights = state.settings.output_weights
    linearisation = linearise(
        state.function, samples, state.smoothing, weights, jacobian_weight, problem
    )
    if linearisation is None:
        return state
    uncertainty = estimate_uncertainty(state.function, samples, linearisation)
    function = with_margins(with_bands(state.function, uncertainty), linearisation)
    return replace(state, function=function, uncertainty=uncertainty)


def with_margins_at(
    state: FitState, points: Array, samples: Samples, jacobian_weight: float, problem: Problem
) -> FitState:
    """The state with the margins of the branches that end before the points do.

    For trials that are evaluated at the points only: ``with_uncertainty`` takes longer.
    """
    if not state.settings.capabilities.postprocess:
        return state
    z = state.function.transform(points)
    low, high = np.transpose([branch.interval for branch in state.function.branches])
    beyond = np.flatnonzero(np.any((z < low) | (z > high), axis=0)).tolist()
    if not beyond:
        return state
    function = with_partial_residuals(state.function, samples)
    weights = state.settings.output_weights
    linearisation = linearise(function, samples, state.smoothing, weights, jacobian_weight, problem)
    if linearisation is not None:
        function = with_margins(function, linearisation, beyond)
    return replace(state, function=function)
