"""Plots of branches in a terminal, with braille characters or ASCII."""

import os
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._typing import Array, Index, Mask
from ..model._branch import Branch
from ..model._shape_texts import number
from ._output import to_printable

PLOT_COLUMNS, PLOT_ROWS = 60, 12  # characters
BRAILLE_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # of the dots
CURVE_COLOUR, POINT_COLOUR, RESET_COLOUR = "\033[31m", "\033[34m", "\033[0m"
CURVE_POINTS_PER_DOT = 8
ZERO_SHARE = 1e-3  # of the range of an axis: an end that is closer to zero is labelled 0

Range = tuple[float, float]


@dataclass(frozen=True)
class Pen:
    """The characters and colours of a plot."""

    braille: bool = True
    colour: bool = False


def choose_pen(ascii_only: bool) -> Pen:
    """Choose Braille and colours where standard output supports them."""
    braille = not ascii_only and to_printable("⣿┤└") == "⣿┤└"
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return Pen(braille, colour and os.environ.get("TERM") != "dumb")


def draw_branch(
    branch: Branch, pen: Pen, columns: int = PLOT_COLUMNS, rows: int = PLOT_ROWS
) -> list[str]:
    """Return the lines of a text plot of a branch over the range of its data.

    >>> from unbraid.model._branch_fit import fit_branch
    >>> from unbraid.bases import Polynomial
    >>> z = np.linspace(-1.0, 1.0, 5)
    >>> branch = fit_branch(Polynomial(2), z, z**2)
    >>> print(*draw_branch(branch, Pen(braille=False), 20, 4), sep="\\n")
     0.667 +**                **
           | ***            ***
           |   ****      ****
    -0.333 +      ********
           +--------------------
           -1                  1
    """
    z, g, points = _sample_curve(branch, 2 * CURVE_POINTS_PER_DOT * columns)
    return draw_curve(z, g, points, pen, columns, rows)


def draw_curve(
    z: Array,
    g: Array,
    points: Array | None,
    pen: Pen,
    columns: int = PLOT_COLUMNS,
    rows: int = PLOT_ROWS,
) -> list[str]:
    """Return the lines of a text plot of values g at many z, with points (K, 2)."""
    fine = np.linspace(z[0], z[-1], max(2 * CURVE_POINTS_PER_DOT * columns, len(z)))
    g = np.interp(fine, z, g) if len(fine) > len(z) else g
    z = fine if len(fine) > len(z) else z
    points = np.empty((0, 2)) if points is None else points
    z_range, g_range = (z[0], z[-1]), _value_range(np.concatenate([g, points[:, 1]]))
    shape = (4 * rows, 2 * columns) if pen.braille else (rows, columns)
    curve = _set_dots(z, g, z_range, g_range, shape)
    marks = _set_dots(points[:, 0], points[:, 1], z_range, g_range, shape)
    return _add_axes(_render(curve, marks, pen), columns, z_range, g_range, pen)


def _sample_curve(branch: Branch, count: int) -> tuple[Array, Array, Array]:
    """The curve on a fine grid, and the estimates at the data."""
    low, high = branch.interval
    points = np.empty((0, 2)) if branch.estimate is None else branch.estimate
    if len(points):
        low, high = min(low, points[:, 0].min()), max(high, points[:, 0].max())
    z = np.linspace(low, high, count)
    return z, np.nan_to_num(branch(z)), points


def _value_range(values: Array) -> Range:
    """The range of the values, widened if they are all the same."""
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        margin = max(abs(low), 1.0) * 0.5
        return low - margin, high + margin
    return low, high


def _set_dots(z: Array, g: Array, z_range: Range, g_range: Range, shape: tuple[int, int]) -> Mask:
    """A grid of dots that is true where a point lies."""
    grid = np.zeros(shape, dtype=bool)
    column = _dot_index(z, z_range, shape[1])
    row = shape[0] - 1 - _dot_index(g, g_range, shape[0])
    inside = (row >= 0) & (row < shape[0]) & (column >= 0) & (column < shape[1])
    grid[row[inside], column[inside]] = True
    return grid


def _dot_index(values: Array, ends: Range, count: int) -> Index:
    share = (values - ends[0]) / max(ends[1] - ends[0], 1e-300)
    return np.rint(share * (count - 1)).astype(np.intp)


def _render(curve: Mask, points: Mask, pen: Pen) -> list[str]:
    """Dots as lines of characters; a character of the curve shows no data points."""
    if not pen.braille:
        cells = np.where(curve, "*", np.where(points, ".", " "))
        return [_colour_line(row, curve[k], pen) for k, row in enumerate(cells)]
    rows, columns = curve.shape[0] // 4, curve.shape[1] // 2
    on_curve: Mask = np.asarray(curve.reshape(rows, 4, columns, 2).any(axis=(1, 3)))
    dots = np.where(np.kron(on_curve, np.ones((4, 2), dtype=bool)), curve, points)
    codes = np.einsum("ajbk,jk->ab", dots.reshape(rows, 4, columns, 2).astype(int), BRAILLE_BITS)
    cells = np.vectorize(chr)(0x2800 + codes)
    cells[codes == 0] = " "
    return [_colour_line(row, on_curve[k], pen) for k, row in enumerate(cells)]


def _colour_line(row: NDArray[np.str_], on_curve: Mask, pen: Pen) -> str:
    bare = "".join(row.tolist()).rstrip()
    if not pen.colour:
        return bare
    text, last = "", ""
    for character, is_curve in zip(bare, on_curve.tolist(), strict=False):
        colour = last if character == " " else CURVE_COLOUR if is_curve else POINT_COLOUR
        text += character if colour == last else colour + character
        last = colour
    return text + (RESET_COLOUR if last else "")


def _add_axes(body: list[str], columns: int, z_range: Range, g_range: Range, pen: Pen) -> list[str]:
    """The plot with its axes, which have labels at their ends."""
    tick, side, corner, floor = "┤│└─" if pen.braille else "+|+-"
    bottom, top = _label_ends(*g_range)
    left, right = _label_ends(*z_range)
    indent = max(len(top), len(bottom))
    ends = {0: top, len(body) - 1: bottom}
    lines = [
        f"{ends.get(k, ''):>{indent}} {tick if k in ends else side}{line}"
        for k, line in enumerate(body)
    ]
    lines.append(f"{'':>{indent}} {corner}{floor * columns}")
    lines.append(f"{'':>{indent}} {left}{right:>{max(columns + 1 - len(left), len(right) + 1)}}")
    return lines


def _label_ends(low: float, high: float) -> tuple[str, str]:
    smallest = ZERO_SHARE * (high - low)
    low, high = (0.0 if abs(end) < smallest else end for end in (low, high))
    return number(low), number(high)
