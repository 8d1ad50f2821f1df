"""Curves in a terminal, in braille: two dots by four a letter; or in plain letters."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._typing import Array, Index, Mask
from ..model._branch import Branch
from ..model._shapes import number

WIDTH, HEIGHT = 60, 12  # letters of a picture
DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # of a braille letter
CURVE, MARK = "\033[31m", "\033[34m"  # colours of a line, and of cells with data alone
RESET = "\033[0m"
FINE = 8  # points of the curve a dot
NOTHING = 1e-3  # of the range of an axis


@dataclass(frozen=True)
class Pen:
    """What to draw with."""

    braille: bool = True
    colour: bool = False

    @property
    def corner(self) -> tuple[str, str, str, str]:
        """A tick, a side, a corner and a floor."""
        return ("┤", "│", "└", "─") if self.braille else ("+", "|", "+", "-")


def pen_for(plain: bool) -> Pen:
    """Braille where standard output has it, colours where a person looks and wants them."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        "⣿┤└".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        plain = True
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return Pen(not plain, colour and os.environ.get("TERM") != "dumb")


def picture(branch: Branch, pen: Pen, columns: int = WIDTH, rows: int = HEIGHT) -> list[str]:
    """Lines of text that show a branch over the range of its data, with numbers at the axes.

    >>> from unbraid.model._branch import fit_branch
    >>> from unbraid.bases import Polynomial
    >>> z = np.linspace(-1.0, 1.0, 5)
    >>> print(*picture(fit_branch(Polynomial(2), z, z**2), Pen(braille=False), 20, 4), sep="\\n")
     0.667 +**                **
           | ***            ***
           |   ****      ****
    -0.333 +      ********
           +--------------------
           -1                  1
    """
    z, g, marks = _drawn(branch, 2 * FINE * columns)
    low, high = _range(np.concatenate([g, marks[:, 1]]))
    across, down = (2, 4) if pen.braille else (1, 1)
    frame = _Frame((z[0], z[-1]), (low, high), (rows * down, columns * across))
    body = _letters(frame.dots(z, g), frame.dots(*marks.T), pen)
    return _framed(body, columns, (z[0], z[-1]), (low, high), pen)


def _drawn(branch: Branch, count: int) -> tuple[Array, Array, Array]:
    """The curve on a fine grid, and the estimate at the data."""
    low, high = branch.interval
    marks = np.empty((0, 2)) if branch.estimate is None else branch.estimate
    if len(marks):
        low, high = min(low, marks[:, 0].min()), max(high, marks[:, 0].max())
    z = np.linspace(low, high, count)
    return z, np.nan_to_num(branch(z)), marks


def _range(values: Array) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        room = max(abs(low), 1.0) * 0.5
        return low - room, high + room
    return low, high


@dataclass(frozen=True)
class _Frame:
    """A grid of dots over a range of z and of g."""

    across: tuple[float, float]
    upward: tuple[float, float]
    shape: tuple[int, int]

    def dots(self, z: Array, g: Array) -> Mask:
        """Which dots are set by these points; those outside are left out."""
        grid = np.zeros(self.shape, dtype=bool)
        column = self._place(z, self.across, self.shape[1])
        row = self.shape[0] - 1 - self._place(g, self.upward, self.shape[0])
        inside = (row >= 0) & (row < self.shape[0]) & (column >= 0) & (column < self.shape[1])
        grid[row[inside], column[inside]] = True
        return grid

    @staticmethod
    def _place(values: Array, ends: tuple[float, float], count: int) -> Index:
        share = (values - ends[0]) / max(ends[1] - ends[0], 1e-300)
        return np.rint(share * (count - 1)).astype(np.intp)


def _letters(curve: Mask, marks: Mask, pen: Pen) -> list[str]:
    """Dots as rows of letters; where a curve passes, the data beneath is left out."""
    if not pen.braille:
        cells = np.where(curve, "*", np.where(marks, ".", " "))
        return [_coloured(row, curve[k], pen) for k, row in enumerate(cells)]
    rows, columns = curve.shape[0] // 4, curve.shape[1] // 2
    drawn: Mask = np.asarray(curve.reshape(rows, 4, columns, 2).any(axis=(1, 3)))
    dots = np.where(np.kron(drawn, np.ones((4, 2), dtype=bool)), curve, marks)
    codes = np.einsum("ajbk,jk->ab", dots.reshape(rows, 4, columns, 2).astype(int), DOTS)
    cells = np.vectorize(chr)(0x2800 + codes)
    cells[codes == 0] = " "
    return [_coloured(row, drawn[k], pen) for k, row in enumerate(cells)]


def _coloured(row: NDArray[np.str_], curve: Mask, pen: Pen) -> str:
    bare = "".join(row.tolist()).rstrip()
    if not pen.colour:
        return bare
    text, last = "", ""
    for letter, on_curve in zip(bare, curve.tolist(), strict=False):
        colour = last if letter == " " else CURVE if on_curve else MARK
        text += letter if colour == last else colour + letter
        last = colour
    return text + (RESET if last else "")


def _framed(
    body: list[str],
    width: int,
    across: tuple[float, float],
    upward: tuple[float, float],
    pen: Pen,
) -> list[str]:
    """The picture with its axes: numbers at the ends of both."""
    tick, side, corner, floor = pen.corner
    bottom, top = _ends(*upward)
    left, right = _ends(*across)
    indent = max(len(top), len(bottom))
    ends = {0: top, len(body) - 1: bottom}
    lines = [
        f"{ends.get(k, ''):>{indent}} {tick if k in ends else side}{line}"
        for k, line in enumerate(body)
    ]
    lines.append(f"{'':>{indent}} {corner}{floor * width}")
    lines.append(f"{'':>{indent}} {left}{right:>{max(width + 1 - len(left), len(right) + 1)}}")
    return lines


def _ends(low: float, high: float) -> tuple[str, str]:
    """Numbers at the ends of an axis; one that is nothing beside the other is 0."""
    nothing = NOTHING * (high - low)
    return number(0.0 if abs(low) < nothing else low), number(0.0 if abs(high) < nothing else high)
