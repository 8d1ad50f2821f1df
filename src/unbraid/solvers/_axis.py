"""The axis of one branch: sorted, distinct abscissae with cuts and flat segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index
from ..errors import DegenerateBranch

TIE = 1e-10  # gaps below this fraction of the range of z are ties: one abscissa serves them all


@dataclass(frozen=True)
class Axis:
    """Sorted distinct abscissae of one branch, and where each point sits among them.

    ``cuts`` are the first abscissae of its segments, beginning with 0: no window leaves its
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
        """Average what is known at the points over the points that share an abscissa."""
        size = self.abscissae.size
        if size == self.position.size:
            result = np.empty_like(values)
            result[self.position] = values
            return result
        count = np.bincount(self.position, minlength=size)
        if values.ndim == 1:
            return np.bincount(self.position, values, size) / count
        columns = [np.bincount(self.position, column, size) / count for column in values.T]
        return np.stack(columns, axis=1)


def make_axis(
    z: Array,
    breaks: Sequence[float] = (),
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> Axis:
    """Sort z, merge ties, and cut the axis at ``breaks`` and ``limits``.

    Ties: neighbours closer than ``TIE`` times the range of z share one abscissa.
    A cut that leaves a single abscissa without a limit beyond it is dropped, since no slope
    lives there.

    >>> make_axis(np.array([2.0, 0.0, 1.0, 1.0])).abscissae
    array([0., 1., 2.])
    """
    order = np.argsort(z, kind="stable")
    ordered = z[order]
    gaps = np.diff(ordered)
    width = ordered[-1] - ordered[0]
    scale = max(abs(ordered[0]), abs(ordered[-1]))
    if not width > 1e-13 * scale:
        raise DegenerateBranch(
            "z = v.p is the same at every point, so no branch can be seen along v; "
            "use points that vary in that direction, or fewer branches"
        )
    fresh = np.concatenate([[True], gaps > TIE * width])
    abscissae = ordered[fresh]
    position = np.empty(z.size, dtype=np.intp)
    position[order] = np.cumsum(fresh) - 1
    low, high = limits
    edges = sorted({float(b) for b in (*breaks, low, high) if np.isfinite(b)})
    cuts = _cuts(abscissae, edges, limits)
    starts = (0, *sorted(cuts))
    stops = (*starts[1:], abscissae.size)
    flat = tuple(
        bool(abscissae[stop - 1] < low or abscissae[start] >= high)
        for start, stop in zip(starts, stops, strict=True)
    )
    return Axis(abscissae, position, starts, flat, tuple(cuts[start] for start in starts[1:]))


def _cuts(
    abscissae: Array, edges: Sequence[float], limits: tuple[float, float]
) -> dict[int, float]:
    """Edges by the abscissa that they cut before; limits go first, what does not fit is dropped."""
    cuts: dict[int, float] = {}
    for edge in sorted(edges, key=lambda edge: edge not in limits):
        cut = int(np.searchsorted(abscissae, edge, side="left"))
        before = cut - max((c for c in (0, *cuts) if c <= cut), default=0)
        after = min(c for c in (*cuts, abscissae.size) if c >= cut) - cut
        least_before = 1 if edge == limits[0] else 2
        least_after = 1 if edge == limits[1] else 2
        if before >= least_before and after >= least_after:
            cuts[cut] = edge
    return cuts


def integrate(axis: Axis, slopes: Array, derivative: Array) -> Array:
    """Values of g on the abscissae from its slopes, zero at the first.

    A slope across an edge belongs to no window. There g goes straight on from either side
    to the edge, with the derivative it has on that side. Nor does a slope that is held flat.
    """
    gaps = axis.gaps
    rises = slopes * gaps
    for first, stop, flat in axis.segments:
        if flat:
            rises[first : stop - 1] = 0.0
    for cut, edge in zip(axis.cuts[1:], axis.edges, strict=True):
        before, after = edge - axis.abscissae[cut - 1], axis.abscissae[cut] - edge
        rises[cut - 1] = derivative[cut - 1] * before + derivative[cut] * after
    return np.concatenate([[0.0], np.cumsum(rises)])
