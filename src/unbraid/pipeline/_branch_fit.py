"""Stage 2: branches are fitted to the estimate, and the best candidate is kept."""

from dataclasses import replace

import numpy as np

from ..bases import Basis, BSpline
from ..data._samples import Samples
from ..model._branch_fit import fit_branch
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..solvers._base import Candidate, Run, Solution
from ._fitted_function import with_offset
from ._joint_fit import can_refit
from ._refit import refit_problem, with_margins_at, with_problem, with_uncertainty
from ._state import FitSettings, FitState

DEFAULT_BASIS = BSpline(12)  # of solvers that work without one, as in the paper


def fit_branches(
    settings: FitSettings, fitted: Samples, held_out: Samples | None, solution: Solution
) -> FitState:
    """Make the function with the least error from the candidates of a solver."""
    basis = settings.basis if settings.basis != "auto" else solution.basis or DEFAULT_BASIS
    candidates = solution.candidates or (
        Candidate(solution.factors, Run(None, solution.objective, solution.status)),
    )
    functions = [_make_function(fitted, c, solution.fit_on, basis) for c in candidates]
    best = int(np.argmin([mean_error(function.fitted_error) for function in functions]))
    function, chosen = functions[best], candidates[best]
    solution = replace(
        solution,
        factors=chosen.factors,
        objective=chosen.run.objective,
        start_objectives=chosen.start_objectives or solution.start_objectives,
        status=chosen.run.status,
        details={**solution.details, **chosen.details},
    )
    state = FitState(
        settings,
        fitted,
        held_out,
        solution,
        function,
        solution.smoothing,
        settings.jacobian_weight,
    )
    if not settings.capabilities.postprocess:
        return state
    if not can_refit(function):
        return with_uncertainty(state, fitted, settings.jacobian_weight)
    state = with_problem(state)
    if settings.basis == "auto" and not state.stopped:
        return state  # the margins are found in the basis to be selected
    weight, problem = settings.jacobian_weight, refit_problem(state, fitted)
    return with_margins_at(state, state.validation.points, fitted, weight, problem)


def _make_function(
    samples: Samples, candidate: Candidate, fit_on: str, basis: Basis | None
) -> DecoupledFunction:
    factors = candidate.factors
    branches = tuple(
        fit_branch(
            basis,
            factors.z[:, i],
            factors.G[:, i] if fit_on == "values" else None,
            factors.derivatives[:, i],
            estimate=factors.G[:, i],
        )
        for i in range(factors.n_branches)
    )
    plain = DecoupledFunction(factors.W, factors.V, branches, np.zeros(samples.n_outputs))
    return with_offset(plain, samples)
