"""Stage 4: refine all parameters, with balanced weights."""

from dataclasses import dataclass, replace

import numpy as np

from ._joint_fit import can_refit
from ._refit import refit
from ._scores import mean_jacobian_error, mean_value_error
from ._state import EXACT_FIT_PERCENT, FitState


@dataclass(frozen=True)
class PolishSettings:
    """Weights of the trials, and when a trial is kept."""

    n_rounds: int = 2
    small_jacobian_weight: float = 0.01  # relative to the values: keeps branches smooth
    value_share: float = 0.9  # exponent of the error of the values when trials are compared
    required_improvement: float = 0.99  # ratio of errors below which a trial is kept
    exact_fit: float = EXACT_FIT_PERCENT  # %: nothing is left to refine


POLISH_SETTINGS = PolishSettings()


def polish(state: FitState) -> FitState:
    """Refine the function where that lowers the error on the validation points.

    So noise in one of values and Jacobians does not spoil the information in the other.
    """
    settings = state.settings
    if not settings.refine or not can_refit(state.function):
        return state
    if settings.fits_one_part or state.stopped or _is_exact(state):
        return state
    for _ in range(POLISH_SETTINGS.n_rounds):
        before = state
        for weight in (_balancing_weight(state), POLISH_SETTINGS.small_jacobian_weight):
            if _is_exact(state):
                return state
            trial = refit(state, state.fitted, weight)
            if _improves(trial, state):
                state = replace(trial, jacobian_weight=weight)
        if state is before:  # another round would try the same
            break
    return state


def _is_exact(state: FitState) -> bool:
    return state.fitted_error <= POLISH_SETTINGS.exact_fit


def _balancing_weight(state: FitState) -> float:
    """Weight of the Jacobians at which both parts count by how well they are met."""
    by_value = mean_value_error(state.function, state.validation)
    by_jacobian = max(
        mean_jacobian_error(state.function, state.validation), POLISH_SETTINGS.exact_fit
    )
    small = POLISH_SETTINGS.small_jacobian_weight
    return float(np.clip(by_value / by_jacobian, small**0.5, 1 / small) ** 2)


def _improves(trial: FitState, state: FitState) -> bool:
    """Whether the trial is better: mainly in the values, also in the Jacobians."""
    samples, least = state.validation, POLISH_SETTINGS.exact_fit
    ratios = [
        max(error(trial.function, samples), least) / max(error(state.function, samples), least)
        for error in (mean_value_error, mean_jacobian_error)
    ]
    combined = ratios[0] ** POLISH_SETTINGS.value_share * ratios[1] ** (
        1 - POLISH_SETTINGS.value_share
    )
    return bool(combined < POLISH_SETTINGS.required_improvement)
