"""Finite-difference filters on a non-equidistant grid (appendix A).

A branch g is known through its values at the sorted, distinct abscissae of its ``Axis``.
Instead of values, the unknowns are the *slopes* ``d[k] = (g[k+1] - g[k]) / (u[k+1] - u[k])``.
The derivative of the Lagrange polynomial through a window of k points is then a combination
of k-1 neighbouring slopes with bounded weights. So a filter is a short stencil per row, and the
constant that a derivative does not determine is no unknown of the problem.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from ..._typing import Array, Index
from ..._util.validation import check_integer
from ...errors import InvalidOptionError
from .._axis import Axis

Window = Literal["left", "central", "right"]
Dual = tuple[Array, Array]  # values (M,) and their derivatives by v (M, m)


@dataclass(frozen=True)
class Filter:
    """A sliding window of ``points`` neighbours, evaluated at one of them.

    ``left`` windows end at the point where the derivative is wanted, ``right`` windows begin
    there, ``central`` windows surround it (an even one has more points to the right). At an edge
    the window stops sliding and is evaluated off-centre, as in the paper's boundary rows.

    >>> Filter("left", 3)
    Filter(window='left', points=3)
    """

    window: Window
    points: int = 3

    def __post_init__(self) -> None:
        if not isinstance(self.window, str) or self.window not in get_args(Window):
            raise InvalidOptionError(
                f"window is {self.window!r}: choose 'left', 'central' or 'right'"
            )
        check_integer("points of a filter", self.points, least=2)


def place_windows(filter_: Filter, axis: Axis) -> tuple[Index, Index]:
    """Return first abscissa and length of every window; length 0 if flat."""
    start = np.arange(axis.abscissae.size)
    length = np.zeros(start.size, dtype=np.intp)
    for first, stop, flat in axis.segments:
        size = min(filter_.points, stop - first)
        behind = {"left": size - 1, "central": (size - 1) // 2, "right": 0}[filter_.window]
        start[first:stop] = np.clip(start[first:stop] - behind, first, stop - size)
        length[first:stop] = 0 if flat else size
    return start, length


def compute_stencil(filter_: Filter, axis: Axis) -> tuple[Index, Array]:
    """Return start and weights: ``g'[j] = sum_q weights[j,q] d[start[j]+q]``.

    The stencil sums divided differences of rising order, each a combination of slopes, times the
    derivative of their Newton polynomial. It is exact on polynomials of degree points - 1.
    """
    start, length = place_windows(filter_, axis)
    u = axis.abscissae
    if filter_.points == 3 and np.all(length == 3):  # the default, faster than the recursion
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
            (right - left) / _compute_span(u, start + q, order + 1)[:, None]
            for q, (left, right) in enumerate(pairwise(differences))
        ]
    return start, weights


def _compute_span(u: Array, start: Index, order: int) -> Array:
    """Return u[start+order] - u[start], and 1 outside the grid (masked rows)."""
    end = start + order
    inside = end < u.size
    end = np.minimum(end, u.size - 1)
    return np.where(inside, u[end] - u[np.minimum(start, u.size - 1)], 1.0)


def filter_with_tangent(
    filter_: Filter, axis: Axis, values: Array, points: Array
) -> tuple[Array, Array]:
    """Return g' (M,) of fixed values, and its derivative by v (M, m).

    ``values`` (M,) and ``points`` (M, m) are given on the abscissae. The derivative by v goes
    through the gaps and through the stencil: the recursion of ``compute_stencil`` with tangents.
    """
    start, length = place_windows(filter_, axis)
    u, zeros = axis.abscissae, np.zeros_like(points)
    at = [np.minimum(start + q, u.size - 1) for q in range(filter_.points)]
    lags = [(u - u[index], points - points[index]) for index in at]
    differences = [(values[index], zeros) for index in at]
    derivative, tangent = np.zeros(u.size), zeros.copy()
    newton, newton_slope = (np.ones(u.size), zeros), (np.zeros(u.size), zeros)
    for order in range(1, filter_.points):
        differences = [
            _divide_difference(
                differences[q],
                differences[q + 1],
                _compute_span(u, start + q, order),
                points[at[q + order]] - points[at[q]],
            )
            for q in range(filter_.points - order)
        ]
        value, change = _multiply(newton_slope, lags[order - 1])
        newton_slope = value + newton[0], change + newton[1]
        newton = _multiply(newton, lags[order - 1])
        value, change = _multiply(newton_slope, differences[0])
        inside = order < length
        derivative += np.where(inside, value, 0.0)
        tangent += np.where(inside[:, None], change, 0.0)
    return derivative, tangent


def _multiply(a: Dual, b: Dual) -> Dual:
    return a[0] * b[0], a[1] * b[0][:, None] + a[0][:, None] * b[1]


def _divide_difference(a: Dual, b: Dual, span: Array, span_tangent: Array) -> Dual:
    """Return (b - a) / span."""
    value = (b[0] - a[0]) / span
    return value, (b[1] - a[1] - value[:, None] * span_tangent) / span[:, None]
