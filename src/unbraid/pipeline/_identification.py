"""Stage 10: standard errors of V that hold where the residual is more than noise.

The linearised fit takes the residual for independent noise. Three observations correct it:
residuals of values and Jacobians that belong together are a function that the branches miss; fits
of parts of the data may have other directions; and so may a fit without points that look wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from .._typing import Array
from ..data._consistency import measure_agreement
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..solvers._factors import unit_columns
from ._state import EXACT_FIT_PERCENT, FitState


@dataclass(frozen=True)
class IdentificationSettings:
    """When the residual counts as noise."""

    exact_fit: float = EXACT_FIT_PERCENT  # %: the residual is rounding
    min_t: float = 3.0  # correlations below so many standard deviations are chance


IDENTIFICATION_SETTINGS = IdentificationSettings()


def assess_identification(
    state: FitState,
    samples: Samples,
    parts: Sequence[DecoupledFunction] = (),
    clean: DecoupledFunction | None = None,
) -> FitState:
    """Enlarge the standard errors of V by misfit, spread of parts, and outliers.

    ``clean`` is the function fitted without outliers, if there are any.
    """
    uncertainty = state.uncertainty
    if uncertainty is None or state.fitted_error <= IDENTIFICATION_SETTINGS.exact_fit:
        return state
    kept = samples
    if state.outliers:
        kept = samples.subset(np.setdiff1d(np.arange(len(samples)), state.outliers))
    misfit = _measure_misfit(state, clean or state.function, kept)
    n_equations = samples.values.size + (samples.jacobians.size if state.jacobian_weight else 0)
    growth = float(np.sqrt(1 + misfit**2 * n_equations))
    spread, turn = _spread_of_directions(state.function, samples, parts)
    shift, shift_turn = _shift_of_directions(state.function, samples, clean)
    errors = np.maximum(growth * uncertainty.V_standard_errors, spread) + shift
    direction_error = max(growth * uncertainty.direction_error, turn) + shift_turn
    wider = replace(
        uncertainty, V_standard_errors=errors, direction_error=direction_error, misfit=misfit
    )
    return replace(state, uncertainty=wider)


def _measure_misfit(state: FitState, function: DecoupledFunction, samples: Samples) -> float:
    """Share of the residual that is a smooth function, 0 where it may be noise.

    The residuals of values then rise from point to point as those of Jacobians say.
    """
    if state.settings.fits_one_part:
        return 0.0
    points = samples.points
    residual = Samples(
        points,
        samples.values - function(points),
        samples.jacobians - np.nan_to_num(function.jacobian(points)),
    )
    correlation, n_pairs = measure_agreement(residual)
    significant = correlation > IDENTIFICATION_SETTINGS.min_t / np.sqrt(n_pairs)
    return correlation if significant else 0.0


def _spread_of_directions(
    function: DecoupledFunction, samples: Samples, parts: Sequence[DecoupledFunction]
) -> tuple[Array, float]:
    """Jackknife standard errors of V (m, r), and the largest in units of the spread."""
    if len(parts) < 2:
        return np.zeros_like(function.V), 0.0
    scale = _input_scale(samples)
    matched = np.stack([_match_columns(part.V, function.V, scale) for part in parts])
    standard = unit_columns(matched * scale)
    return _jackknife(matched), float(_jackknife(standard).max())


def _shift_of_directions(
    function: DecoupledFunction, samples: Samples, clean: DecoupledFunction | None
) -> tuple[Array | float, float]:
    """How far outliers turned V (m, r), and the most in units of the spread."""
    if clean is None or clean is function:
        return 0.0, 0.0
    scale = _input_scale(samples)
    matched = _match_columns(clean.V, function.V, scale)
    turn = unit_columns(matched * scale) - unit_columns(function.V * scale)
    return np.abs(matched - function.V), float(np.abs(turn).max())


def _input_scale(samples: Samples) -> Array:
    """Spread of every input as a column, 1 where it does not vary."""
    spread = samples.points.std(axis=0)
    return np.where(spread > 0, spread, 1.0)[:, None]


def _match_columns(V: Array, reference: Array, scale: Array) -> Array:
    """Columns of V in the order and with the signs of a reference."""
    cosine = unit_columns(reference * scale).T @ unit_columns(V * scale)
    rows, columns = scipy.optimize.linear_sum_assignment(-np.abs(cosine))
    return np.asarray(V[:, columns] * np.where(cosine[rows, columns] < 0, -1.0, 1.0))


def _jackknife(estimates: Array) -> Array:
    """Standard error of an estimate from those without each of K parts."""
    n_parts = len(estimates)
    return np.asarray(np.sqrt(n_parts - 1) * estimates.std(axis=0))
