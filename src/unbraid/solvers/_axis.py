"""The axis of one branch: sorted, distinct abscissae with cuts and flat segments."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index
from ..errors import DegenerateBranchError

TIE_FRACTION = 1e-10  # of the range of z: points closer than this share one abscissa


@dataclass(frozen=True)
class Axis:
    """Sorted distinct abscissae of one branch, and the abscissa of each point.

    ``cuts`` are the first abscissae of the segments, beginning with 0: no filter window leaves its
    segment. In a ``flat`` segment the derivative is zero. ``edges`` lie before cuts[1:].
    """

    abscissae: Array
    position: Index
    cuts: tuple[int, ...] = (0,)
    flat: tuple[bool, ...] = (False,)
    edges: tuple[float, ...] = ()

    @property
    def n_slopes(self) -> int:
        return self.abscissae.size - 1

    @property
    def gaps(self) -> Array:
        return np.diff(self.abscissae)

    @property
    def segments(self) -> list[tuple[int, int, bool]]:
        """(first abscissa, one past the last, flat) of every segment."""
        stops = (*self.cuts[1:], self.abscissae.size)
        return list(zip(self.cuts, stops, self.flat, strict=True))

    def mean_over_ties(self, values: Array) -> Array:
        """Average values at the points over the points that share an abscissa."""
        size = self.abscissae.size
        if size == self.position.size:
            result = np.empty_like(values)
            result[self.position] = values
            return result
        count = np.bincount(self.position, minlength=size)
        columns = np.atleast_2d(values.T)
        means = [np.bincount(self.position, column, size) / count for column in columns]
        return np.stack(means, axis=1).reshape(size, *values.shape[1:])


def make_axis(
    z: Array,
    breaks: Sequence[float] = (),
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> Axis:
    """Sort z, merge ties, and cut the axis at ``breaks`` and ``limits``.

    Neighbours closer than ``TIE_FRACTION`` times the range of z share one abscissa. A cut is
    dropped where it would leave a single abscissa without a limit beyond it, because such a segment
    has no slope.

    >>> make_axis(np.array([2.0, 0.0, 1.0, 1.0])).abscissae
    array([0., 1., 2.])
    """
    order = np.argsort(z, kind="stable")
    ordered = z[order]
    width = ordered[-1] - ordered[0]
    if not width > 1e-13 * max(abs(ordered[0]), abs(ordered[-1])):
        raise DegenerateBranchError(
            "z = v.p is the same at every point, so no branch can be seen along v; "
            "use points that vary in that direction, or fewer branches"
        )
    is_new = np.concatenate([[True], np.diff(ordered) > TIE_FRACTION * width])
    abscissae = ordered[is_new]
    position = np.empty(z.size, dtype=np.intp)
    position[order] = np.cumsum(is_new) - 1
    low, high = limits
    edges = _place_edges(abscissae, breaks, limits)
    starts = (0, *sorted(edges))
    stops = (*starts[1:], abscissae.size)
    flat = tuple(
        bool(abscissae[stop - 1] < low or abscissae[start] >= high)
        for start, stop in zip(starts, stops, strict=True)
    )
    return Axis(abscissae, position, starts, flat, tuple(edges[start] for start in starts[1:]))


def _place_edges(
    abscissae: Array, breaks: Sequence[float], limits: tuple[float, float]
) -> dict[int, float]:
    """Return the edges by the abscissa that follows them.

    Limits are placed before breaks. An edge that leaves too few abscissae beside it is dropped.
    """
    finite = sorted({float(edge) for edge in (*breaks, *limits) if np.isfinite(edge)})
    edges: dict[int, float] = {}
    for edge in sorted(finite, key=lambda edge: edge not in limits):
        cut = int(np.searchsorted(abscissae, edge, side="left"))
        n_before = cut - max(c for c in (0, *edges) if c <= cut)
        n_after = min(c for c in (*edges, abscissae.size) if c >= cut) - cut
        if n_before >= 2 - (edge == limits[0]) and n_after >= 2 - (edge == limits[1]):
            edges[cut] = edge
    return edges


def integrate_slopes(axis: Axis, slopes: Array, derivative: Array) -> Array:
    """Return g on the abscissae, zero at the first, from its slopes.

    The slope across an edge belongs to no window. There g extrapolates linearly from either side
    to the edge, with the derivative on that side. In a flat segment g is constant.
    """
    rises = slopes * axis.gaps
    for first, stop, flat in axis.segments:
        if flat:
            rises[first : stop - 1] = 0.0
    for cut, edge in zip(axis.cuts[1:], axis.edges, strict=True):
        before, after = edge - axis.abscissae[cut - 1], axis.abscissae[cut] - edge
        rises[cut - 1] = derivative[cut - 1] * before + derivative[cut] * after
    return np.concatenate([[0.0], np.cumsum(rises)])
