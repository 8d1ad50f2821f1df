"""How far a branch is valid beyond the data: tested at the ends of the data."""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..errors import UnbraidError
from ._branch import Branch
from ._branch_fit import fit_branch
from ._curves import Expansion

LEFT_OUT_SHARES = (0.3, 0.2, 0.1, 0.05)  # of the range, at either end
MIN_POINTS_LEFT_OUT = 4
MIN_POINTS_PER_COEFFICIENT = 3  # among the points that are fitted
MAX_ERROR_RATIO = 0.7  # of the curve to linear extrapolation


def validated_margin(branch: Branch, furthest: float) -> float:
    """Share of the range up to which the curve is better than linear extrapolation.

    The curve is fitted without the ends of the data and tested on them. 0 with too few points.
    """
    if branch.estimate is None or not isinstance(branch.curve, Expansion):
        return 0.0
    z, g = branch.estimate.T
    for share in LEFT_OUT_SHARES:
        margin = share / (1 - 2 * share)
        if margin <= furthest and _continues_better(branch.curve, z, g, share):
            return margin
    return 0.0


def _continues_better(curve: Expansion, z: Array, g: Array, share: float) -> bool:
    """Whether a curve extrapolates to the outer points better than its tangents.

    The curve is fitted to the inner points.
    """
    low, high = curve.interval
    room = share * (high - low)
    inner = (z >= low + room) & (z <= high - room)
    if (
        np.sum(~inner) < MIN_POINTS_LEFT_OUT
        or np.sum(inner) < MIN_POINTS_PER_COEFFICIENT * curve.n_parameters
    ):
        return False
    try:
        fitted = fit_branch(curve.basis.unbound(), z[inner], g[inner], extrapolate="basis")
    except UnbraidError:
        return False
    straight = replace(fitted, extrapolate="linear")
    level = np.mean(g[inner] - fitted(z[inner]))
    curved, plain = (np.sum((g[~inner] - level - b(z[~inner])) ** 2) for b in (fitted, straight))
    return bool(curved < MAX_ERROR_RATIO**2 * plain)
