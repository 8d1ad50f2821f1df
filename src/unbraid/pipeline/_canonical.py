"""Equivalent forms of a function that are easier to read.

Where a function has a linear part, two branches that are almost parallel can carry it as a small
difference of large slopes; and a linear branch may have any direction, as long as others
compensate. Both fit as well as what a person would write down.
"""

import numpy as np

from .._typing import Array, Mask
from ..data._samples import Samples
from ..model._function import DecoupledFunction

MAX_BEND = 1e-3  # of the spread of the outputs: deviation of a linear branch from a line
PARALLEL_COSINE = 1 - 1e-9  # of the columns of W of branches that feed the outputs alike
MIN_TURN = 1e-6  # relative length: smaller changes of a direction are rounding


def measure_cancellation(function: DecoupledFunction, samples: Samples) -> float:
    """Sum of the variances of the branches over that of an output; the largest.

    About 1 where the branches are independent; large where they cancel.
    """
    variance = samples.values.var(axis=0)
    moving = variance > 0
    branches = function.W**2 @ _branch_values(function, samples).var(axis=0)
    return float((branches[moving] / variance[moving]).max(initial=0.0))


def separate_linear_part(function: DecoupledFunction, samples: Samples) -> Array | None:
    """V with linear branches orthogonal to those that can carry a part of them.

    Inputs are in units of their spread. None where no direction changes.
    """
    spread = samples.points.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)[:, None]
    V = function.V * scale
    parallel = _parallel_branches(function)
    linear = find_linear_branches(function, samples)
    changed = False
    for i in np.flatnonzero(linear):
        others = V[:, parallel[i] & ~linear]
        if not others.size:
            continue
        rest = V[:, i] - others @ np.linalg.lstsq(others, V[:, i], rcond=None)[0]
        length = np.linalg.norm(rest)
        if MIN_TURN < length / np.linalg.norm(V[:, i]) < 1 - MIN_TURN:
            V[:, i], changed = rest, True
    return V / scale if changed else None


def count_movable_branches(function: DecoupledFunction, samples: Samples) -> int:
    """Count linear branches whose direction is a choice: others could carry a part."""
    linear = find_linear_branches(function, samples)
    return int(np.sum(linear & np.any(_parallel_branches(function)[:, ~linear], axis=1)))


def find_linear_branches(function: DecoupledFunction, samples: Samples) -> Mask:
    """Which branches are straight lines, as far as the outputs show; (r,)."""
    z, G = function.transform(samples.points), _branch_values(function, samples)
    spread, W = samples.values.std(axis=0), function.W
    size = np.divide(np.abs(W).T, spread, out=np.zeros_like(W.T), where=spread > 0).max(axis=1)
    z, G = z - z.mean(axis=0), G - G.mean(axis=0)
    slope = np.sum(z * G, axis=0) / np.maximum(np.sum(z**2, axis=0), 1e-300)
    return np.asarray(np.std(G - slope * z, axis=0) * size < MAX_BEND)


def _branch_values(function: DecoupledFunction, samples: Samples) -> Array:
    z = function.transform(samples.points)
    return np.column_stack([branch(z[:, i]) for i, branch in enumerate(function.branches)])


def _parallel_branches(function: DecoupledFunction) -> Mask:
    """Which branches feed the outputs in the same proportion, (r, r)."""
    length = np.linalg.norm(function.W, axis=0)
    weights = function.W / np.where(length > 0, length, 1.0)
    return np.abs(weights.T @ weights) > PARALLEL_COSINE
