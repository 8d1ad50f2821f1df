"""Kinks of a function, seen along the branches that were found."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..model._function import DecoupledFunction


@dataclass(frozen=True)
class KinkSettings:
    """What counts as a kink: a sudden change between two levels of the slope."""

    bins_per_side: int = 6  # of z, over which each level extends
    min_rise: float = 0.15  # difference of the levels, of the range of the slope
    min_jump_share: float = 0.7  # of the rise, between two neighbouring bins
    max_variation: float = 0.3  # of a level, relative to the rise
    n_bins: int = 1000  # of z
    min_singular_value: float = 0.01  # of the largest: below it, slopes are not separable
    max_points: int = 1000


KINK_SETTINGS = KinkSettings()
TINY = 1e-300


def slopes_jump(samples: Samples, d: DecoupledFunction) -> bool:
    """Whether the slope of a branch, according to the Jacobians, changes suddenly.

    Along a branch, points are much closer to each other than in all inputs.
    """
    some = draw_subset(samples, KINK_SETTINGS.max_points)
    reach, spread = some.points.std(axis=0), some.values.std(axis=0)
    size = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)[:, None] * reach
    products = np.einsum("ol,oi,li->oli", size, d.W, d.V).reshape(size.size, -1)
    products = products / np.maximum(np.linalg.norm(products, axis=0), TINY)
    singular = np.linalg.svd(products, compute_uv=False)
    if (
        len(products) < d.n_branches
        or singular[-1] < KINK_SETTINGS.min_singular_value * singular[0]
    ):
        return False  # a Jacobian does not determine the slopes of these branches
    slopes = (some.jacobians * size).reshape(len(some), -1) @ np.linalg.pinv(products).T
    return any(_jumps(z, slope) for z, slope in zip((some.points @ d.V).T, slopes.T, strict=True))


def _jumps(z: Array, slope: Array) -> bool:
    """Whether the slope has two levels side by side; close z are averaged."""
    cell = ((z - z.min()) * (KINK_SETTINGS.n_bins / max(float(np.ptp(z)), TINY))).astype(np.intp)
    count = np.bincount(cell)
    level = np.bincount(cell, slope)[count > 0] / count[count > 0]
    side = KINK_SETTINGS.bins_per_side
    if level.size < 4 * side:
        return False
    windows = np.lib.stride_tricks.sliding_window_view(level, 2 * side)
    left, right = windows[:, :side], windows[:, side:]
    rise = np.abs(right.mean(axis=1) - left.mean(axis=1))
    at_once = np.abs(right[:, 0] - left[:, -1])
    moving = np.maximum(np.ptp(left, axis=1), np.ptp(right, axis=1))
    seen = rise > KINK_SETTINGS.min_rise * np.ptp(level)
    seen &= at_once > KINK_SETTINGS.min_jump_share * rise
    return bool(np.any(seen & (moving < KINK_SETTINGS.max_variation * rise)))
