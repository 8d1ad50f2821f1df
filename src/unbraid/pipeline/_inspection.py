"""Stage 11: do values and Jacobians agree, and is f smooth?"""

from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array, Mask
from .._util.validation import count_noun
from ..data._consistency import constant_outputs, has_kinks, jacobians_inconsistent
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..model._error_summary import POOR_PERCENT, mean_error
from ..model._function import DecoupledFunction, with_extrapolation
from ..solvers._base import StopCriteria
from ._findings import Finding, FindingKind
from ._joint_fit import FitObjective, can_refit, fit_jointly, problem_for
from ._kinks import slopes_jump
from ._scores import mean_jacobian_error, mean_value_error
from ._state import FitState


@dataclass(frozen=True)
class InspectionSettings:
    """When an error of the Jacobians calls for an explanation; errors are in %."""

    suspicious_ratio: float = 5.0  # of two errors
    small_jacobian_error: float = 0.3  # needs no explanation
    large_jacobian_error: float = 30.0  # where the values are well met, a contradiction
    kink_jacobian_error: float = 1.0  # below it, kinks are not looked for
    well_met: float = 3.0  # error of the values
    # The residual of the Jacobians that scaling them leaves is 0.95 where f is hard to fit and
    # 0.8 where noise is overfitted. The stricter limit holds where the values are not well met.
    scaled_residual: float = 0.85
    scaled_residual_strict: float = 0.6
    max_unexplained: float = 0.4  # of the Jacobians, left after scaling
    min_scale_error: float = 0.1  # wrong units are further from 1
    n_sweeps: int = 20  # of the factorisation of the scales
    relieved: float = 0.33  # ratio of the error of the values without and with the Jacobians
    min_points: int = 20  # of the fit on the values alone
    max_points: int = 1000
    max_iterations: int = 30


INSPECTION_SETTINGS = InspectionSettings()
MAX_ROWS_LISTED = 10


def inspect_data(state: FitState) -> FitState:
    """Look for a problem of the data that explains a poor fit."""
    samples, function = state.fitted, state.function
    by_value, by_jacobian = state.fitted_error, mean_jacobian_error(function, samples)
    finding = None
    if state.outliers:
        finding = _name_outliers(state.outliers)
    elif state.settings.capabilities.postprocess:
        finding = _find_in_data(samples, function, by_value, by_jacobian)
    elif state.solution.fit_on == "values" and by_value >= POOR_PERCENT:
        residual = 100 * min(state.solution.objective)
        finding = _find_in_branches(residual, by_value, by_jacobian)
    return replace(state, finding=finding)


def _name_outliers(rows: tuple[int, ...]) -> Finding:
    listed = ", ".join(map(str, rows[:MAX_ROWS_LISTED]))
    listed += ", ..." if len(rows) > MAX_ROWS_LISTED else ""
    return Finding(FindingKind.OUTLIERS, (count_noun(len(rows), "point"), listed))


def _find_in_data(
    samples: Samples, function: DecoupledFunction, by_value: float, by_jacobian: float
) -> Finding | None:
    """Check whether values and Jacobians agree and whether the Jacobian jumps."""
    if by_value == np.inf:  # values that do not vary are not known
        return None
    poor = max(by_jacobian, by_value) >= POOR_PERCENT
    contradicted = (
        by_value < INSPECTION_SETTINGS.well_met
        and by_jacobian > INSPECTION_SETTINGS.large_jacobian_error
    )
    if poor and not samples.estimated and (contradicted or jacobians_inconsistent(samples)):
        return Finding(FindingKind.MISMATCH, (by_jacobian, by_value))
    if by_jacobian > INSPECTION_SETTINGS.small_jacobian_error and not samples.estimated:
        scale = _find_wrong_scale(samples, function, by_value)
        scale = scale or _find_wrong_scale_by_values(samples, function, by_value)
        if scale is not None:
            return scale
    if by_jacobian > INSPECTION_SETTINGS.kink_jacobian_error and (
        has_kinks(samples) or slopes_jump(samples, function)
    ):
        return Finding(FindingKind.KINKS)
    return None


def _find_in_branches(residual: float, by_value: float, by_jacobian: float) -> Finding | None:
    """Where the Jacobians were matched and the values were not."""
    if by_jacobian > INSPECTION_SETTINGS.suspicious_ratio * max(residual, 1.0):
        return Finding(FindingKind.ROUGH_BRANCHES, (residual, by_jacobian))
    if by_value > INSPECTION_SETTINGS.suspicious_ratio * max(by_jacobian, 1.0):
        return Finding(FindingKind.MISMATCH, (by_jacobian, by_value))
    return None


def _find_wrong_scale(
    samples: Samples, function: DecoupledFunction, by_value: float
) -> Finding | None:
    """Check whether the Jacobians differ from those of the function by factors."""
    reach, spread = samples.points.std(axis=0), samples.values.std(axis=0)
    moving = (spread > 0) & ~constant_outputs(samples, np.where(reach > 0, reach, 1.0))
    size = reach * np.divide(1.0, spread, out=np.zeros_like(spread), where=moving)[:, None]
    given, own = samples.jacobians * size, function.jacobian(samples.points) * size
    energy = np.einsum("kol,kol->ol", own, own)
    scales = _fit_scales(np.einsum("kol,kol->ol", given, own), energy)
    well_met = by_value < INSPECTION_SETTINGS.well_met
    limit = (
        INSPECTION_SETTINGS.scaled_residual
        if well_met
        else INSPECTION_SETTINGS.scaled_residual_strict
    )
    before, after = np.linalg.norm(given - own), np.linalg.norm(given - scales * own)
    if after > min(limit * before, INSPECTION_SETTINGS.max_unexplained * np.linalg.norm(given)):
        return None
    worst = np.argmax((scales - 1) ** 2 * energy)
    output, column = np.unravel_index(worst, scales.shape)
    scale = float(scales[output, column])
    if abs(scale - 1) < INSPECTION_SETTINGS.min_scale_error:
        return None
    return Finding(FindingKind.WRONG_SCALE, (int(output) + 1, int(column) + 1, scale))


def _fit_scales(product: Array, energy: Array) -> Array:
    """Scales (n, m): a factor per output times one per input, as of wrong units.

    A scale for every entry would explain any constant Jacobian.
    """
    left, right = np.ones(len(product)), np.ones(product.shape[1])
    for _ in range(INSPECTION_SETTINGS.n_sweeps):
        left = product @ right / np.maximum(energy @ right**2, 1e-300)
        right = left @ product / np.maximum(left**2 @ energy, 1e-300)
    return np.outer(left, right)


def _find_wrong_scale_by_values(
    samples: Samples, function: DecoupledFunction, by_value: float
) -> Finding | None:
    """Compare the Jacobians with those of a fit on the values alone."""
    if not can_refit(function) or len(samples) < INSPECTION_SETTINGS.min_points:
        return None
    some = draw_subset(samples, INSPECTION_SETTINGS.max_points)
    fitted, judged = some.subset(slice(None, None, 2)), some.subset(slice(1, None, 2))
    begin = with_extrapolation(function, "linear")
    problem = problem_for(begin, fitted, None, compress=False)
    stop = StopCriteria(INSPECTION_SETTINGS.max_iterations)
    on_values, _ = fit_jointly(begin, fitted, problem, FitObjective(0.0), stop)
    inside = _inside(judged.points @ on_values.V, fitted.points @ on_values.V)
    if inside.sum() < INSPECTION_SETTINGS.min_points // 4:
        return None
    error = max(
        mean_error(on_values.fitted_error), mean_value_error(on_values, judged.subset(inside))
    )
    if error >= INSPECTION_SETTINGS.relieved * by_value:
        return None
    return _find_wrong_scale(some, on_values, error)


def _inside(z: Array, known: Array) -> Mask:
    """Rows of z that lie in the range of the known ones, in every column."""
    return np.asarray(np.all((z >= known.min(axis=0)) & (z <= known.max(axis=0)), axis=1))
