"""Part of stage 5: zeros in V, where the fit stays as good."""

from dataclasses import dataclass

from ..data._splitting import draw_subset
from ..solvers.directions._problem import make_direction_problem
from ..solvers.directions._simplification import Simplifier
from ._refit import refit
from ._scores import is_nearly_as_good
from ._state import FitState


@dataclass(frozen=True)
class ZeroSettings:
    """How zeros are searched for, and what they may cost.

    Attributes
    ----------
    max_increase : float
        Growth of the error that zeros may cost, as a share of it.
    almost_exact : float
        Error in % below which nothing is changed.
    slope_weight : float
        Weight of the Jacobians relative to the values, in standardised units.
    max_fitted, max_validation : int
        Points that zeros are searched on.
    n_splines : int
        Coefficients per curve in this search.
    max_entries : int
        Size of V above which nothing is searched.
    """

    max_increase: float = 0.05
    almost_exact: float = 0.01
    slope_weight: float = 0.1
    max_fitted: int = 800
    max_validation: int = 800
    n_splines: int = 12
    max_entries: int = 150


ZERO_SETTINGS = ZeroSettings()


def set_zeros(state: FitState) -> FitState:
    """Set entries of V to zero and fit the rest again; all branches stay."""
    settings = ZERO_SETTINGS
    if not state.settings.simplify or state.held_out is None or not state.can_postprocess:
        return state
    too_many = state.function.V.size > settings.max_entries
    if too_many or state.function.n_inputs == 1 or state.fitted_error <= settings.almost_exact:
        return state
    problem = make_direction_problem(
        draw_subset(state.fitted, settings.max_fitted),
        draw_subset(state.held_out, settings.max_validation),
        settings.slope_weight,
    )
    simplifier = Simplifier(problem, settings.n_splines, settings.max_increase)
    V = state.function.V
    pattern = simplifier.run(problem.standardise_directions(V), may_remove=False).pattern
    if pattern.all():
        return state
    sparse = state.with_function(V=V * pattern.T)
    trial = refit(sparse, state.fitted, state.jacobian_weight)
    parts = state.fitted, state.held_out
    as_good = is_nearly_as_good(trial.function, state.function, settings.max_increase, *parts)
    return trial if as_good else state
