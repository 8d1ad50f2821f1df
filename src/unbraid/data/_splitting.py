"""Splitting samples into fitted and held-out ones, and random subsets."""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from .._typing import Array, Index
from .._util.validation import is_real
from ..errors import InvalidOptionError
from ._samples import Samples

MIN_FITTED_POINTS = 4
MIN_POINTS_TO_SPLIT = 20
COPY_DISTANCE = 1e-3  # of the usual distance: closer points are copies
MAX_SPLITS = 20  # random splits that are tried
MIN_SPREAD = 0.02  # that a part must have, relative to the whole


def draw_subset(samples: Samples, most: int) -> Samples:
    """A random subset of the samples: regular steps may follow the lines of a grid."""
    if len(samples) <= most:
        return samples
    drawn = np.random.default_rng(len(samples)).permutation(len(samples))[:most]
    return samples.subset(np.sort(drawn))


def split_samples(samples: Samples, held_out: float) -> tuple[Samples, Samples | None]:
    """Fitted and held-out samples; the same for the same samples in any order.

    Every output that varies does so in both parts, or nothing is held out: an error relative to no
    spread is meaningless. Copies of a point stay together, since the error at fitted points is not
    a held-out error.
    """
    if not is_real(held_out) or not 0 <= held_out < 1:
        raise InvalidOptionError(
            f"held_out is {held_out!r}: pass the share of the points to keep for the error, from "
            f"0 to below 1, or Samples of your own"
        )
    count = round(held_out * len(samples))
    if len(samples) < MIN_POINTS_TO_SPLIT:
        return samples, None
    if len(samples) - count < MIN_FITTED_POINTS:
        raise InvalidOptionError(
            f"held_out = {held_out!r} leaves {len(samples) - count} points to fit: hold out fewer"
        )
    in_order = np.lexsort(samples.points.T)
    label = _label_copies(samples.points[in_order])
    n_labels = int(label.max()) + 1
    rng = np.random.default_rng(len(samples))
    for _ in range(MAX_SPLITS):
        rank = np.argsort(rng.permutation(n_labels))[label]
        order, rank = in_order[np.argsort(rank, kind="stable")], np.sort(rank)
        if not count or n_labels < MIN_POINTS_TO_SPLIT:
            break
        cut = int(np.searchsorted(rank, rank[count]))
        held, fitted = order[:cut], order[cut:]
        if (
            cut
            and min(_relative_spread(samples.values, rows) for rows in (held, fitted)) > MIN_SPREAD
        ):
            return samples.subset(fitted), samples.subset(held)
    return samples.subset(order), None


def assign_folds(points: Array, n_folds: int) -> Index:
    """The fold of each point; copies of a point share one, whatever the order.

    >>> sorted(np.bincount(assign_folds(np.arange(7.0)[:, None], 3)).tolist())
    [2, 2, 3]
    """
    in_order = np.lexsort(points.T)
    label = _label_copies(points[in_order])
    n_labels = int(label.max()) + 1
    folds = np.random.default_rng(n_labels).permutation(n_labels) % n_folds
    fold = np.empty(len(points), dtype=np.intp)
    fold[in_order] = folds[label]
    return fold


def _label_copies(points: Array) -> Index:
    """Labels of the points, the same for copies.

    Copies with a small perturbation count, too: within a thousandth of the typical distance of so
    many points.
    """
    low, first, third = np.quantile(points, (0, 0.25, 0.75), axis=0)
    size = COPY_DISTANCE * len(points) ** (-1 / points.shape[1]) * (third - first)
    with np.errstate(over="ignore"):
        label = (points - low) / np.where(size > 0, size, 1.0)
    cells = _label_rows(np.where(size > 0, np.floor(label), label))
    if cells[-1] == len(points) - 1:
        return cells
    moved = _label_rows(np.where(size > 0, np.floor(label + 0.5), label))
    others = len(points) + moved  # copies on both sides of a cell's edge share one of these
    ones = np.ones(len(points), dtype=bool)
    shape = (2 * len(points), 2 * len(points))
    graph = scipy.sparse.coo_array((ones, (cells, others)), shape=shape)
    label = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    return _label_rows(label[cells][:, None])


def _label_rows(rows: NDArray[Any]) -> Index:
    """Labels of the rows, equal for equal rows, in the order of first appearance."""
    order = np.lexsort(rows.T)
    new = np.append(True, np.any(rows[order[1:]] != rows[order[:-1]], axis=1))
    by_appearance = np.argsort(np.argsort(order[new]))
    number = np.empty(len(rows), dtype=np.intp)
    number[order] = by_appearance[np.cumsum(new) - 1]
    return number


def _relative_spread(values: Array, rows: Index) -> float:
    """Spread of the values at some rows relative to all rows, least over the outputs."""
    spread = values.std(axis=0)
    varies = spread > 1e-14 * np.abs(values).max(axis=0)
    return float(np.min(values[rows].std(axis=0)[varies] / spread[varies], initial=np.inf))
