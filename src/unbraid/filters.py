"""Finite-difference filters on a non-equidistant grid, in slope coordinates (appendix A).

A branch g is known through its values at the sorted, distinct abscissae of its ``Axis``.
Instead of values, the unknowns are the *slopes* ``d[k] = (g[k+1] - g[k]) / (u[k+1] - u[k])``.
The derivative of the Lagrange polynomial through a window of k points is then a combination
of k-1 neighbouring slopes with bounded weights, so a filter is a short stencil a row and the
constant that a derivative cannot see is gone from the problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ._checks import positive_integer
from .errors import DegenerateBranch, InvalidOption

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Window = Literal["left", "central", "right"]

TIE = 1e-10  # gaps below this fraction of the range of z are ties: one abscissa serves them all


@dataclass(frozen=True)
class Filter:
    """A sliding window of ``points`` neighbours, read at one of them.

    ``left`` windows end at the point where the derivative is wanted, ``right`` windows begin
    there, ``central`` windows surround it (an even window leans to the right). At an edge
    the window stops sliding and is read off-centre, as in the paper's boundary rows.

    >>> Filter("left", 3)
    Filter(window='left', points=3)
    """

    window: Window
    points: int = 3

    def __post_init__(self) -> None:
        if not isinstance(self.window, str) or self.window not in ("left", "central", "right"):
            raise InvalidOption(f"window is {self.window!r}: choose 'left', 'central' or 'right'")
        positive_integer("points of a filter", self.points, least=2)


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


def windows(filter_: Filter, axis: Axis) -> tuple[Index, Index]:
    """First abscissa and length of the window of every row; length 0 where held flat."""
    start = np.arange(axis.abscissae.size)
    length = np.zeros(start.size, dtype=np.intp)
    for first, stop, flat in axis.segments:
        size = min(filter_.points, stop - first)
        behind = {"left": size - 1, "central": (size - 1) // 2, "right": 0}[filter_.window]
        start[first:stop] = np.clip(start[first:stop] - behind, first, stop - size)
        length[first:stop] = 0 if flat else size
    return start, length


def stencil(filter_: Filter, axis: Axis) -> tuple[Index, Array]:
    """First slope and slope weights of every row: ``g'[j] = sum_q weights[j,q] d[start[j]+q]``.

    Divided differences of rising order, each a combination of slopes, times the derivative of
    the Newton polynomial that goes with it. Exact on polynomials of degree points - 1.
    """
    start, length = windows(filter_, axis)
    u = axis.abscissae
    if filter_.points == 3 and np.all(length == 3):  # the usual case, written out
        first, middle = u[start], u[start + 1]
        turn = ((u - first) + (u - middle)) / (u[start + 2] - first)
        return start, np.stack([1.0 - turn, turn], axis=1)
    top = u.size - 1
    n_terms = filter_.points - 1
    weights = np.zeros((u.size, n_terms))
    differences = [np.zeros((u.size, n_terms)) for _ in range(n_terms)]
    for q, difference in enumerate(differences):
        difference[:, q] = 1.0
    newton, newton_slope = u - u[start], np.ones(u.size)
    for order in range(1, filter_.points):
        inside = order < length
        weights += np.where(inside, newton_slope, 0.0)[:, None] * differences[0]
        ahead = u - u[np.minimum(start + order, top)]
        newton_slope = newton_slope * ahead + newton
        newton = newton * ahead
        differences = [
            (right - left) / _span(u, start + q, order + 1)[:, None]
            for q, (left, right) in enumerate(pairwise(differences))
        ]
    return start, weights


def _span(u: Array, start: Index, order: int) -> Array:
    """u[start+order] - u[start], and 1 where that leaves the grid (such rows are masked)."""
    end = start + order
    inside = end < u.size
    end = np.minimum(end, u.size - 1)
    return np.where(inside, u[end] - u[np.minimum(start, u.size - 1)], 1.0)


def filtered_with_tangent(
    filter_: Filter, axis: Axis, values: Array, points: Array
) -> tuple[Array, Array]:
    """Derivative estimates from values that stick to their points, and how they turn with v.

    ``values`` (M,) and ``points`` (M, m) live on the abscissae. Returns g' (M,) and its
    derivative with respect to v (M, m), through the gaps and through the stencil: the same
    recursion as ``stencil``, carried with tangents.
    """
    start, length = windows(filter_, axis)
    u, top = axis.abscissae, axis.abscissae.size - 1
    at = [np.minimum(start + q, top) for q in range(filter_.points)]
    lag = [u - u[index] for index in at]
    lag_tangent = [points - points[index] for index in at]
    differences = [values[index] for index in at]
    tangents = [np.zeros_like(points) for _ in at]
    derivative, derivative_tangent = np.zeros(u.size), np.zeros_like(points)
    newton, newton_slope = np.ones(u.size), np.zeros(u.size)
    newton_tangent, newton_slope_tangent = np.zeros_like(points), np.zeros_like(points)
    for order in range(1, filter_.points):
        span = [_span(u, start + q, order) for q in range(filter_.points - order)]
        span_tangent = [points[at[q + order]] - points[at[q]] for q in range(len(span))]
        differences = [(differences[q + 1] - differences[q]) / span[q] for q in range(len(span))]
        tangents = [
            (tangents[q + 1] - tangents[q] - differences[q][:, None] * span_tangent[q])
            / span[q][:, None]
            for q in range(len(span))
        ]
        step, step_tangent = lag[order - 1], lag_tangent[order - 1]
        newton_slope_tangent = (
            newton_slope_tangent * step[:, None]
            + newton_slope[:, None] * step_tangent
            + newton_tangent
        )
        newton_slope = newton_slope * step + newton
        newton_tangent = newton_tangent * step[:, None] + newton[:, None] * step_tangent
        newton = newton * step
        inside = order < length
        derivative += np.where(inside, newton_slope * differences[0], 0.0)
        change = (
            newton_slope_tangent * differences[0][:, None] + newton_slope[:, None] * tangents[0]
        )
        derivative_tangent += np.where(inside[:, None], change, 0.0)
    return derivative, derivative_tangent


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
