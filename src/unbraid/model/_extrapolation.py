"""How far a branch may be followed beyond the data: tried on the ends of the data themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..errors import UnbraidError
from ._branch import Branch, Expansion, fit_branch

SHARES = (0.2, 0.1, 0.05)  # of the range that are left out at either end
FEWEST = 4  # points that are left out
A_COEFFICIENT = 3  # points that are left, times the coefficients
BETTER = 0.7  # of the error of a straight line, and the curve is followed


def trial_margin(branch: Branch, furthest: float) -> float:
    """Share of the range up to which the curve goes on better than a straight line, at most.

    The curve is fitted without the ends of the data and judged on them; 0 where they do not tell.
    """
    if branch.estimate is None or not isinstance(branch.curve, Expansion):
        return 0.0
    z, g = branch.estimate.T
    for share in SHARES:
        margin = share / (1 - 2 * share)
        if margin <= furthest and _goes_on(branch.curve, z, g, share):
            return margin
    return 0.0


def _goes_on(curve: Expansion, z: Array, g: Array, share: float) -> bool:
    """Does the curve of the inner points meet the outer ones better than its tangents do?"""
    low, high = curve.interval
    room = share * (high - low)
    inner = (z >= low + room) & (z <= high - room)
    if np.sum(~inner) < FEWEST or np.sum(inner) < A_COEFFICIENT * curve.n_parameters:
        return False
    try:
        fitted = fit_branch(curve.basis.unbound(), z[inner], g[inner], extrapolate="basis")
    except UnbraidError:
        return False
    straight = replace(fitted, extrapolate="linear")
    level = np.mean(g[inner] - fitted(z[inner]))
    curved, plain = (np.sum((g[~inner] - level - b(z[~inner])) ** 2) for b in (fitted, straight))
    return bool(curved < BETTER**2 * plain)
