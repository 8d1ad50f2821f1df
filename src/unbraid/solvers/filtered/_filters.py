"""Finite-difference filters on a non-equidistant grid, in slope coordinates (appendix A).

A branch g is known through its values at the sorted, distinct abscissae of its ``Axis``.
Instead of values, the unknowns are the *slopes* ``d[k] = (g[k+1] - g[k]) / (u[k+1] - u[k])``.
The derivative of the Lagrange polynomial through a window of k points is then a combination
of k-1 neighbouring slopes with bounded weights, so a filter is a short stencil a row and the
constant that a derivative cannot see is gone from the problem.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ..._typing import Array, Index
from ..._util.validation import positive_integer
from ...errors import InvalidOption
from .._axis import Axis

Window = Literal["left", "central", "right"]


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
