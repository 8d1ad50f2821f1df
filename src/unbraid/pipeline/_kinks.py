"""Kinks of a function, seen along the branches that were found."""

import numpy as np

from .._typing import Array
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..model._function import DecoupledFunction

# A kink: this many points on either side, where the slope stays (within CALM of the rise) on two
# levels LARGE apart, of its range, and most of the rise is between two of them.
LEVEL, LARGE, SUDDEN, CALM, CELLS = 6, 0.15, 0.7, 0.3, 1000
TOLD_APART = 0.01  # least over largest singular value
MOST_POINTS = 1000
TINY = 1e-300


def slopes_jump(samples: Samples, d: DecoupledFunction) -> bool:
    """Does the slope of a branch, as the Jacobians have it, go from one level to another at once?

    Seen along the branches, where many more points are near each other than in all inputs.
    """
    some = draw_subset(samples, MOST_POINTS)
    reach, spread = some.points.std(axis=0), some.values.std(axis=0)
    size = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)[:, None] * reach
    products = np.einsum("ol,oi,li->oli", size, d.W, d.V).reshape(size.size, -1)
    products = products / np.maximum(np.linalg.norm(products, axis=0), TINY)
    singular = np.linalg.svd(products, compute_uv=False)
    if len(products) < d.n_branches or singular[-1] < TOLD_APART * singular[0]:
        return False  # a Jacobian does not tell the slopes of these branches apart
    slopes = (some.jacobians * size).reshape(len(some), -1) @ np.linalg.pinv(products).T
    return any(_jumps(z, slope) for z, slope in zip((some.points @ d.V).T, slopes.T, strict=True))


def _jumps(z: Array, slope: Array) -> bool:
    """Is there a place with two levels of the slope beside it? Near z count as one."""
    cell = ((z - z.min()) * (CELLS / max(float(np.ptp(z)), TINY))).astype(np.intp)
    count = np.bincount(cell)
    level = np.bincount(cell, slope)[count > 0] / count[count > 0]
    if level.size < 4 * LEVEL:
        return False
    windows = np.lib.stride_tricks.sliding_window_view(level, 2 * LEVEL)
    left, right = windows[:, :LEVEL], windows[:, LEVEL:]
    rise = np.abs(right.mean(axis=1) - left.mean(axis=1))
    at_once = np.abs(right[:, 0] - left[:, -1])
    moving = np.maximum(np.ptp(left, axis=1), np.ptp(right, axis=1))
    seen = (rise > LARGE * np.ptp(level)) & (at_once > SUDDEN * rise)
    return bool(np.any(seen & (moving < CALM * rise)))
