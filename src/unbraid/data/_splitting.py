"""Parts of the samples: some to fit and others to judge on, or fewer of many."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from .._typing import Array, Index
from .._util.validation import is_real
from ..errors import InvalidOption
from ._samples import Samples

LEFT = 4  # points that must be left to be fitted
FEWEST = 20  # points below which none can be spared
SAME = 1e-3  # of their usual distance: points that are nearer are copies
SPLITS, THIN = 20, 0.02  # draws of a split, and the spread that a part must have of the whole


def thinned(samples: Samples, most: int) -> Samples:
    """At most so many of the samples, drawn at random: even steps may walk along a grid."""
    if len(samples) <= most:
        return samples
    drawn = np.random.default_rng(len(samples)).permutation(len(samples))[:most]
    return samples.subset(np.sort(drawn))


def split(samples: Samples, held_out: float) -> tuple[Samples, Samples | None]:
    """Points to fit, and points to be kept for the error; the same for the same samples.

    Every output that varies does so in both parts, or none are kept: an error over no spread says
    nothing. Nor does one at places that were fitted, so copies of a point stay together.
    """
    if not is_real(held_out) or not 0 <= held_out < 1:
        raise InvalidOption(
            f"held_out is {held_out!r}: pass the share of the points to keep for the error, from "
            f"0 to below 1, or Samples of your own"
        )
    count = round(held_out * len(samples))
    if len(samples) < FEWEST:
        return samples, None
    if len(samples) - count < LEFT:
        raise InvalidOption(
            f"held_out = {held_out!r} leaves {len(samples) - count} points to fit: hold out fewer"
        )
    in_order = np.lexsort(samples.points.T)  # whatever order the points came in
    place = _places(samples.points[in_order])
    n_places = int(place.max()) + 1
    rng = np.random.default_rng(len(samples))
    for _ in range(SPLITS):
        rank = np.argsort(rng.permutation(n_places))[place]
        order, rank = in_order[np.argsort(rank, kind="stable")], np.sort(rank)
        if not count or n_places < FEWEST:
            break
        cut = int(np.searchsorted(rank, rank[count]))  # points of one place are held together
        held, fitted = order[:cut], order[cut:]
        if cut and min(_represented(samples.values, rows) for rows in (held, fitted)) > THIN:
            return samples.subset(fitted), samples.subset(held)
    return samples.subset(order), None


def _places(points: Array) -> Index:
    """Numbers of the places of points, the same for points that are copies of each other.

    Copies that were shaken a little are meant, too: to be within a thousandth of the distance that
    so many points have from each other.
    """
    low, first, third = np.quantile(points, (0, 0.25, 0.75), axis=0)
    size = SAME * len(points) ** (-1 / points.shape[1]) * (third - first)
    with np.errstate(over="ignore"):
        place = (points - low) / np.where(size > 0, size, 1.0)
    cells = _numbered(np.where(size > 0, np.floor(place), place))
    if cells[-1] == len(points) - 1:
        return cells
    moved = _numbered(np.where(size > 0, np.floor(place + 0.5), place))
    others = len(points) + moved  # copies on both sides of an edge are in one of these
    ones = np.ones(len(points), dtype=bool)
    shape = (2 * len(points), 2 * len(points))
    graph = scipy.sparse.coo_array((ones, (cells, others)), shape=shape)
    label = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    return _numbered(label[cells][:, None])


def _numbered(rows: NDArray[Any]) -> Index:
    """Equal rows have equal numbers, in the order of their first appearance."""
    order = np.lexsort(rows.T)
    new = np.append(True, np.any(rows[order[1:]] != rows[order[:-1]], axis=1))
    by_appearance = np.argsort(np.argsort(order[new]))
    number = np.empty(len(rows), dtype=np.intp)
    number[order] = by_appearance[np.cumsum(new) - 1]
    return number


def _represented(values: Array, rows: Index) -> float:
    """Spread of the values at some rows over that at all, least of the outputs that vary."""
    spread = values.std(axis=0)
    varies = spread > 1e-14 * np.abs(values).max(axis=0)
    return float(np.min(values[rows].std(axis=0)[varies] / spread[varies], initial=np.inf))
