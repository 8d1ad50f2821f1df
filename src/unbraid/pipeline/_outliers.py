"""Stage 8: points with a wrong value or Jacobian, seen by their residuals.

Where f has a feature that the branches miss, values and Jacobians are off together. A mistake in
the data is in one of them.
"""

from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index, Mask
from ..data._samples import Samples
from ..model._function import DecoupledFunction


@dataclass(frozen=True)
class OutlierSettings:
    """What counts as a gross error; ratios are to the usual residual (median)."""

    gross: float = 12.0  # ratio of the residual of the wrong part
    value_over_jacobian: float = 2.0  # least ratio of both residuals where the value is wrong
    jacobian_over_value: float = 20.0  # and where the Jacobian is: narrow features are steep
    min_share: float = 0.3  # of the spread of the outputs
    gap: float = 1.5  # ratio of the least gross residual to the largest other one
    max_outliers: float = 0.05  # of the points: more are not outliers
    tail: float = 0.02  # share of the points at each end of a branch, where slopes are uncertain
    clustered: float = 0.1  # of the rank of the nearest outlier that is expected at random
    min_points: int = 20


OUTLIER_SETTINGS = OutlierSettings()
MIN_CLUSTER_ROWS, MAX_CLUSTER_ROWS = 4, 100  # of which the neighbours are looked at


def find_outliers(function: DecoupledFunction, samples: Samples) -> Index:
    """Rows of the samples whose value or Jacobian is grossly wrong."""
    none = np.array([], dtype=np.intp)
    if len(samples) < OUTLIER_SETTINGS.min_points or samples.estimated:
        return none
    by_value, by_jacobian = _measure_residuals(function, samples)
    settings = OUTLIER_SETTINGS
    wrong = _is_gross(by_jacobian) & (by_jacobian > settings.jacobian_over_value * by_value)
    wrong &= ~_is_sparse(function.transform(samples.points))
    wrong |= _is_gross(by_value) & (by_value > settings.value_over_jacobian * by_jacobian)
    rows = np.flatnonzero(wrong)
    if rows.size > settings.max_outliers * len(samples) + 1 or _are_clustered(samples.points, rows):
        return none
    return rows


def _measure_residuals(function: DecoupledFunction, samples: Samples) -> tuple[Array, Array]:
    """Residuals of values and Jacobians at every point, over the outputs' spread."""
    points = samples.points
    spread, reach = samples.values.std(axis=0), points.std(axis=0)
    scale = np.where(spread > 0, spread, np.inf)
    by_value = np.abs(samples.values - function(points)) / scale
    rest = samples.jacobians - np.nan_to_num(function.jacobian(points))
    by_jacobian = np.linalg.norm(rest * reach, axis=2) / scale
    return by_value.max(axis=1), by_jacobian.max(axis=1)


def _is_gross(size: Array) -> Mask:
    """Where a residual is grossly larger than usual; a gap separates these."""
    limit = max(OUTLIER_SETTINGS.gross * float(np.median(size)), OUTLIER_SETTINGS.min_share)
    ordered = np.sort(size)
    gaps = ordered[1:] >= OUTLIER_SETTINGS.gap * ordered[:-1]
    least = np.min(ordered[1:][gaps & (ordered[1:] > limit)], initial=np.inf)
    return np.asarray(size >= least)


def _is_sparse(z: Array) -> Mask:
    """Which points are at an end of the data of a branch."""
    low, high = np.quantile(z, (OUTLIER_SETTINGS.tail, 1 - OUTLIER_SETTINGS.tail), axis=0)
    return np.asarray(np.any((z < low) | (z > high), axis=1))


def _are_clustered(points: Array, rows: Index) -> bool:
    """Whether these points are close to each other, as those of a missed feature.

    Of points at random, N / F others are closer than the nearest of F.
    """
    if rows.size < MIN_CLUSTER_ROWS:
        return False
    spread = points.std(axis=0)
    scaled = points / np.where(spread > 0, spread, 1.0)
    ranks = []
    for k in rows[:MAX_CLUSTER_ROWS]:
        distance = np.sum((scaled - scaled[k]) ** 2, axis=1)
        distance[k] = np.inf
        ranks.append(np.sum(distance < distance[rows].min()))
    return bool(np.median(ranks) < OUTLIER_SETTINGS.clustered * len(points) / rows.size)
