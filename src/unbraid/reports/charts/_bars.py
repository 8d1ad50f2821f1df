"""Weights as bars, one line each: a name, a bar to the left or the right, a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._markup import Markup, shortened, tag
from .._numbers import number
from ._draw import figure, text

WIDTH, LINE, THICK = 340, 20, 11
VALUES = 58  # pixels for numbers on the right
LETTERS, LETTER = 17, 6.9  # of a name at most, and pixels of one
TAIL = 6  # letters of the end of a name that are kept


class Weight(NamedTuple):
    """A name, the number that is written, and the length of its bar (-1 to 1)."""

    name: str
    value: float
    length: float


def weight_bars(weights: Sequence[Weight], title: str) -> Markup:
    """A picture of the weights, in the order they come."""
    names = [_both_ends(weight.name) for weight in weights]
    left = max(LETTER * max(map(len, names)), 20.0)
    low, high = left + 8.0, WIDTH - VALUES - 8.0
    both = any(w.length < 0 for w in weights)
    zero, reach = (0.5 * (low + high), 0.5 * (high - low)) if both else (low, high - low)
    height = LINE * len(weights) + 4
    lines = [_line(w, k, zero, reach, left) for k, w in enumerate(weights)]
    axis = tag("path", class_="axis", d=f"M{zero:.1f} 0V{height}")
    return figure(WIDTH, height, title, lines, axis)


def _both_ends(name: str) -> str:
    """A long name without its middle: long names tend to differ at their ends.

    >>> _both_ends("reading of sensor 12"), _both_ends("speed")
    ('reading of…sor 12', 'speed')
    """
    line = shortened(name, 300)
    if len(line) <= LETTERS:
        return line
    return f"{line[: LETTERS - TAIL - 1]}…{line[-TAIL:]}"


def _line(weight: Weight, place: int, zero: float, reach: float, left: float) -> list[Markup]:
    middle = LINE * place + 0.5 * LINE + 2
    size = max(reach * abs(weight.length), 0.5)
    start = zero if weight.length >= 0 else zero - size
    bar = tag(
        "rect",
        x=f"{start:.1f}",
        y=f"{middle - 0.5 * THICK:.1f}",
        width=f"{size:.1f}",
        height=THICK,
        class_="bar" if weight.length >= 0 else "bar negative",
    )
    name = [_both_ends(weight.name), tag("title", shortened(weight.name, 300))]
    return [
        bar,
        text(left, middle + 4, name, "name end"),
        text(WIDTH, middle + 4, number(weight.value, 2), "value end"),
    ]
