"""Stage 7: fit the function to all points, after the held-out error is known."""

from dataclasses import dataclass, replace

from ..data._samples import Samples
from ..model._function import HELD_OUT_FIELDS
from ..solvers._base import StopCriteria
from ._fitted_function import with_offset
from ._joint_fit import FitObjective, can_refit, fit_jointly
from ._refit import COEFFICIENTS_ONLY, refit_coefficients, refit_problem, with_uncertainty
from ._state import EXACT_FIT_PERCENT, FitState, KnownProblem


@dataclass(frozen=True)
class AllPointsSettings:
    """How long the last fit takes, and when a fit counts as exact; errors are in %."""

    max_iterations: int = 10  # the start is almost at the minimum
    many_points: int = 10_000  # from which one iteration without gain is the last
    exact_fit: float = EXACT_FIT_PERCENT
    rounding: float = 1e-10
    degraded: float = 1.25  # times the error of the fit before: the held-out points are different
    required_improvement: float = 0.99  # ratio of errors below which a new search is kept


ALL_POINTS_SETTINGS = AllPointsSettings()


def refit_on_all_points(state: FitState, samples: Samples) -> FitState:
    """Fit the function to all points; the held-out error stays as it was measured."""
    if not can_refit(state.function):
        function = with_offset(state.function, samples)
        fitted = replace(state, function=function)
    elif state.fitted_error > ALL_POINTS_SETTINGS.exact_fit:
        stop = _stop_criteria(len(samples)) if state.settings.refine else COEFFICIENTS_ONLY
        fitted = _refit_all(state, samples, stop)
    else:
        fitted = _refit_exact(state, samples)
    return copy_held_out_errors(state, replace(fitted, fitted=samples))


def _refit_all(state: FitState, samples: Samples, stop: StopCriteria) -> FitState:
    """Fit all parameters, and estimate the uncertainty."""
    weight, problem = state.jacobian_weight, refit_problem(state, samples)
    objective = FitObjective(weight, 1.0, state.smoothing)
    function, _ = fit_jointly(state.function, samples, problem, objective, stop)
    known = KnownProblem(samples, problem)
    fitted = replace(state, function=function, known_problem=known)
    return with_uncertainty(fitted, samples, weight, problem)


def copy_held_out_errors(source: FitState, state: FitState) -> FitState:
    """The state with the errors on new points that another one has."""
    return state.with_function(**{name: getattr(source.function, name) for name in HELD_OUT_FIELDS})


def _stop_criteria(n_points: int) -> StopCriteria:
    stop = StopCriteria(ALL_POINTS_SETTINGS.max_iterations)
    return replace(stop, patience=1) if n_points > ALL_POINTS_SETTINGS.many_points else stop


def _refit_exact(state: FitState, samples: Samples) -> FitState:
    """Fit the coefficients; with the Jacobians only where they agree with the values."""
    weight = state.jacobian_weight
    problem = refit_problem(state, samples)
    fitted = refit_coefficients(state, samples, problem, weight)
    if not state.settings.fits_one_part and fitted.fitted_error > ALL_POINTS_SETTINGS.rounding:
        on_values = refit_coefficients(state, samples, problem, 0.0)
        if on_values.fitted_error < fitted.fitted_error:
            fitted, weight = on_values, 0.0
    known = KnownProblem(samples, problem)
    return with_uncertainty(replace(fitted, known_problem=known), samples, weight, problem)


def is_degraded(before: FitState, after: FitState) -> bool:
    """Whether all points are fitted much worse, so that a new search is needed.

    They may contain rare large values that the fitted points do not.
    """
    limit = max(ALL_POINTS_SETTINGS.degraded * before.fitted_error, ALL_POINTS_SETTINGS.exact_fit)
    return after.can_postprocess and after.fitted_error > limit


def is_clearly_better(fresh: FitState, state: FitState) -> bool:
    return fresh.fitted_error <= ALL_POINTS_SETTINGS.required_improvement * state.fitted_error
