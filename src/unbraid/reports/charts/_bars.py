"""Weights as horizontal bars, each with a name and a number."""

from collections.abc import Sequence
from typing import NamedTuple

from ..._util.markup import Markup, shorten, tag
from .._number_format import format_number
from ._draw import draw_svg, frame_chart, write_text
from ._values import ChartValues

BAR_CHART_WIDTH, LINE_HEIGHT, BAR_HEIGHT = 340, 20, 11  # pixels
VALUE_WIDTH = 58  # pixels for numbers on the right
MOST_LETTERS, LETTER_WIDTH = 22, 6.9  # letters of a name, and pixels of one
LAST_LETTERS = 6  # letters at the end of a name that are kept


class Weight(NamedTuple):
    """A name, the number that is written, and the length of its bar (-1 to 1).

    ``remark`` is read out behind the name.
    """

    name: str
    value: float
    length: float
    remark: str = ""


def weight_bars(weights: Sequence[Weight], title: str) -> Markup:
    """Return a chart of the weights, in their order."""
    names = [_shorten_middle(weight.name) for weight in weights]
    left = max(LETTER_WIDTH * max(map(len, names)), 20.0)
    low, high = left + 8.0, BAR_CHART_WIDTH - VALUE_WIDTH - 8.0
    both = any(w.length < 0 for w in weights)
    zero, reach = (0.5 * (low + high), 0.5 * (high - low)) if both else (low, high - low)
    height = LINE_HEIGHT * len(weights) + 4
    lines = []
    for k, (name, weight) in enumerate(zip(names, weights, strict=True)):
        y = LINE_HEIGHT * (k + 0.5) + 2
        lines += [
            _draw_bar(zero, reach * weight.length, y),
            write_text(left, y + 4, name, "name end"),
            write_text(BAR_CHART_WIDTH, y + 4, format_number(weight.value, 2), "value end"),
        ]
    axis = tag("path", class_="axis", d=f"M{zero:.1f} 0V{height}")
    values = ChartValues(
        names=("name", "number"), bars=[(shorten(w.name, 80) + w.remark, w.value) for w in weights]
    )
    content = values.to_json(pitch=LINE_HEIGHT)
    return frame_chart(draw_svg(BAR_CHART_WIDTH, height, title, lines, axis), content)


def _shorten_middle(name: str) -> str:
    """Return a long name without its middle: long names tend to differ at their ends.

    >>> _shorten_middle("reading of temperature 12"), _shorten_middle("speed")
    ('reading of temp…ure 12', 'speed')
    """
    line = shorten(name, 300)
    if len(line) <= MOST_LETTERS:
        return line
    return f"{line[: MOST_LETTERS - LAST_LETTERS - 1]}…{line[-LAST_LETTERS:]}"


def _draw_bar(zero: float, length: float, y: float) -> Markup:
    size = max(abs(length), 0.5)
    return tag(
        "rect",
        x=f"{zero if length >= 0 else zero - size:.1f}",
        y=f"{y - 0.5 * BAR_HEIGHT:.1f}",
        width=f"{size:.1f}",
        height=BAR_HEIGHT,
        class_="bar" if length >= 0 else "bar negative",
    )
