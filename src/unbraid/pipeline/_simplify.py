"""Stage 5: an equivalent form that is easier to read, where it fits as well."""

from dataclasses import dataclass, replace

from ..data._samples import Samples
from ..data._splitting import draw_subset
from ._canonical import measure_cancellation, separate_linear_part
from ._refit import COEFFICIENTS_ONLY, refit, with_problem, with_uncertainty
from ._scores import mean_value_error
from ._state import EXACT_FIT_PERCENT, FitState


@dataclass(frozen=True)
class SimplifySettings:
    """When branches cancel, how that is penalised, and the accepted loss."""

    max_cancellation: float = 2.0  # variance of the branches over that of an output
    penalties: tuple[float, ...] = (1e-2, 1e-4, 1e-6)  # weights, one after the other
    equations_per_parameter: int = 10  # of the points that these fits use; the last one uses all
    min_points: int = 200  # for them in any case
    as_good: float = 1.05  # times the error before
    negligible: float = 1e-3  # %: an error that is accepted in any case
    exact_fit: float = EXACT_FIT_PERCENT  # %: a fit that is worse is not exact
    exact_function: float = 1e-9  # %: this is the function itself


SIMPLIFY_SETTINGS = SimplifySettings()


def simplify(state: FitState) -> FitState:
    """Remove cancellation between branches, and separate the linear part."""
    if not state.can_postprocess:
        return state
    return _separate_linear_part(_reduce_cancellation(state))


def _reduce_cancellation(state: FitState) -> FitState:
    """Refit with a penalty on the variance of the branches, which then fades out."""
    if measure_cancellation(state.function, state.fitted) <= SIMPLIFY_SETTINGS.max_cancellation:
        return state
    if state.fitted_error <= SIMPLIFY_SETTINGS.exact_function:
        state = with_uncertainty(state, state.fitted, state.settings.jacobian_weight)
        if state.uncertainty is not None and state.uncertainty.identified:
            return state
    samples = _draw_points(state)
    trial = with_problem(replace(state, fitted=samples))
    for penalty in SIMPLIFY_SETTINGS.penalties:
        trial = refit(trial, samples, state.jacobian_weight, cancellation=penalty)
    trial = replace(trial, fitted=state.fitted, known_problem=state.known_problem)
    trial = refit(trial, state.fitted, state.jacobian_weight)
    return trial if _is_as_good(trial, state) else state


def _draw_points(state: FitState) -> Samples:
    """As many fitted points as determine the parameters."""
    n_equations = SIMPLIFY_SETTINGS.equations_per_parameter * state.function.n_parameters
    per_point = state.fitted.n_outputs * (1 + min(state.fitted.n_inputs, state.function.n_branches))
    return draw_subset(state.fitted, max(SIMPLIFY_SETTINGS.min_points, n_equations // per_point))


def _separate_linear_part(state: FitState) -> FitState:
    V = separate_linear_part(state.function, state.fitted)
    if V is None:
        return state
    turned = state.with_function(V=V)
    trial = refit(turned, state.fitted, state.jacobian_weight, stop=COEFFICIENTS_ONLY)
    return trial if _is_as_good(trial, state) else state


def _is_as_good(trial: FitState, state: FitState) -> bool:
    """Whether the trial is no worse, except for what is negligible."""
    was_exact = state.fitted_error <= SIMPLIFY_SETTINGS.exact_function
    if was_exact and trial.fitted_error > SIMPLIFY_SETTINGS.exact_fit:
        return False
    before = mean_value_error(state.function, state.validation)
    after = mean_value_error(trial.function, state.validation)
    return after <= max(SIMPLIFY_SETTINGS.as_good * before, SIMPLIFY_SETTINGS.negligible)
