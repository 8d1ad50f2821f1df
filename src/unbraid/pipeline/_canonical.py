"""The same function in a form that can be read: branches that do not cancel, straight ones apart.

Where a function has a straight part, two branches that are almost parallel can carry it as a small
difference of large slopes; and a straight branch may point anywhere, as long as others make up for
it. Both fit as well as what a person would write down.
"""

from __future__ import annotations

import numpy as np

from .._typing import Array, Mask
from ..data._samples import Samples
from ..model._function import DecoupledFunction

STRAIGHT = 1e-3  # of the spread of the output: what a straight branch may bend
PARALLEL = 1e-9  # of the cosine: two branches that feed the outputs in the same proportion
NOTHING = 1e-6  # of a direction: what is left where others carry all of it


def cancellation(d: DecoupledFunction, samples: Samples) -> float:
    """Variance of the branches, each by itself, over that of the output; the largest of these.

    About 1 where they share the work.
    """
    variance = samples.values.var(axis=0)
    moving = variance > 0
    shares = (d.W**2 @ _curves(d, samples).var(axis=0))[moving] / variance[moving]
    return float(shares.max(initial=0.0))


def _curves(d: DecoupledFunction, samples: Samples) -> Array:
    z = d.transform(samples.points)
    return np.column_stack([branch(z[:, i]) for i, branch in enumerate(d.branches)])


def set_apart(d: DecoupledFunction, samples: Samples) -> Array | None:
    """V with each straight branch at right angles to those that can carry the rest of it.

    Inputs count by their spread. None where there is nothing to turn.
    """
    spread = samples.points.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)[:, None]
    V = d.V * scale
    together = _together(d)
    straight = straight_branches(d, samples)
    turned = False
    for i in np.flatnonzero(straight):
        others = V[:, together[i] & ~straight]
        if not others.size:
            continue
        rest = V[:, i] - others @ np.linalg.lstsq(others, V[:, i], rcond=None)[0]
        length = np.linalg.norm(rest)
        if NOTHING < length / np.linalg.norm(V[:, i]) < 1 - NOTHING:
            V[:, i], turned = rest, True
    return V / scale if turned else None


def _together(d: DecoupledFunction) -> Mask:
    """Which branches feed the outputs in the same proportion, (r, r)."""
    length = np.linalg.norm(d.W, axis=0)
    weights = d.W / np.where(length > 0, length, 1.0)
    return np.abs(weights.T @ weights) > 1 - PARALLEL


def n_movable(d: DecoupledFunction, samples: Samples) -> int:
    """Straight branches that others could carry a part of: their direction is a choice."""
    straight = straight_branches(d, samples)
    return int(np.sum(straight & np.any(_together(d)[:, ~straight], axis=1)))


def straight_branches(d: DecoupledFunction, samples: Samples) -> Mask:
    """Which branches bend by no more than the outputs do not see."""
    z, G = d.transform(samples.points), _curves(d, samples)
    spread = samples.values.std(axis=0)
    size = np.divide(np.abs(d.W).T, spread, out=np.zeros_like(d.W.T), where=spread > 0).max(axis=1)
    z, G = z - z.mean(axis=0), G - G.mean(axis=0)
    slope = np.sum(z * G, axis=0) / np.maximum(np.sum(z**2, axis=0), 1e-300)
    return np.asarray(np.std(G - slope * z, axis=0) * size < STRAIGHT)
