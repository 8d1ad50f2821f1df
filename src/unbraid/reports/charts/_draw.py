"""Scales, ticks, axes and paths.

Colours are CSS classes, for light and dark mode.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._typing import Array
from ..._util.markup import Markup, tag
from .._number_format import format_log_tick, format_ticks
from ._values import ChartValues

LARGEST_COORDINATE = 9999.0  # pixels; coordinates are clipped to it
TICK_FACTORS = (1.0, 2.0, 5.0, 10.0, 20.0)  # of a power of ten: candidates for the step
FLAT_RANGE = 1e-12  # of the largest value: a narrower range is widened


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic map from values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, values: Any) -> Array:
        values = np.asarray(values, dtype=float)
        low, high = self.low, self.high
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                values, low, high = np.log10(values), np.log10(low), np.log10(high)
        pixels = self.start + (values - low) * ((self.end - self.start) / (high - low))
        return np.asarray(np.clip(pixels, -LARGEST_COORDINATE, LARGEST_COORDINATE))

    def ticks(self, count: int) -> tuple[list[float], list[str], str]:
        """Return positions, labels, and a note that applies to all labels."""
        if self.log:
            ticks = choose_log_ticks(self.low, self.high, count)
            return ticks, [format_log_tick(tick) for tick in ticks], ""
        ticks = choose_ticks(self.low, self.high, count)
        return ticks, *format_ticks(ticks)


def pad_range(values: Any, room: float = 0.06, zero: bool = False) -> tuple[float, float]:
    """Return a range around all finite values, never of zero width.

    >>> pad_range([1.0, 3.0], 0.1)
    (0.8, 3.2)
    """
    values = np.asarray(values, dtype=float).ravel()
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    size = max(abs(low), abs(high))
    more = room * (high - low)
    if high - low <= FLAT_RANGE * size:
        more = 0.1 * size or 1.0
    return low - more, high + more


def choose_ticks(low: float, high: float, count: int) -> list[float]:
    """Return about ``count`` round numbers from low to high.

    >>> choose_ticks(-0.9, 2.3, 3)
    [0.0, 1.0, 2.0]
    """
    size = 10.0 ** np.floor(np.log10((high - low) / count))
    candidates = []
    for step in (factor * size for factor in TICK_FACTORS):
        first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
        candidates.append([float(k * step) + 0.0 for k in np.arange(first, last + 1)])
    return min(candidates, key=lambda ticks: abs(len(ticks) - count))


def choose_log_ticks(low: float, high: float, count: int) -> list[float]:
    """Return powers of ten, or 1, 2 and 5 times powers of ten in a short range.

    >>> choose_log_ticks(0.01, 1000.0, 3)
    [0.01, 1.0, 100.0]
    """
    first, last = int(np.ceil(np.log10(low) - 1e-9)), int(np.floor(np.log10(high) + 1e-9))
    if last - first < 2:
        ticks = [f * 10.0**k for k in range(first - 1, last + 1) for f in (1, 2, 5)]
        return [t for t in ticks if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]
    return [10.0**k for k in range(first, last + 1, -(-(last - first + 1) // count))]


class Panel:
    """A drawing area with an x and a y axis and room for labels; its paths take data."""

    def __init__(
        self,
        width: float,
        height: float,
        x: tuple[float, float],
        y: tuple[float, float],
        log: tuple[bool, bool] = (False, False),
        right: float = 12,
    ) -> None:
        self.width, self.height = width, height
        self.x, self.y = Scale(*x, 48, width - right, log[0]), Scale(*y, height - 46, 34, log[1])

    def draw(self, title: str, *parts: Any, values: ChartValues, over: Any = None) -> Markup:
        """Return the chart; ``over`` stays where the script draws the other parts again."""
        content = values.to_json(
            box=[self.x.start, self.x.end, self.y.start, self.y.end],
            x=[self.x.low, self.x.high, int(self.x.log)],
            y=[self.y.low, self.y.high, int(self.y.log)],
        )
        still = tag("g", parts, class_="still")
        role = "group" if over else "img"
        return frame_chart(
            draw_svg(self.width, self.height, title, still, over, role=role), content
        )

    def axes(
        self,
        x_label: Any,
        y_label: Any,
        counts: tuple[int, int] = (5, 4),
        x_ticks: Sequence[int] | None = None,
        has_grid: bool = True,
    ) -> list[Markup]:
        """Return grid lines, ticks and labels; ``x_ticks`` are integers to show."""
        if x_ticks is None:
            x_places, x_texts, x_note = self.x.ticks(counts[0])
        else:
            x_places, x_texts, x_note = [*map(float, x_ticks)], [*map(str, x_ticks)], ""
        y_places, y_texts, y_note = self.y.ticks(counts[1])
        left, right, top, bottom = self.x.start, self.x.end, self.y.end, self.y.start
        x, y = self.x(x_places), self.y(y_places)
        grid = "".join(f"M{_round(left)} {_round(b)}H{_round(right)}" for b in y)
        marks = "".join(f"M{_round(a)} {_round(bottom)}V{_round(bottom + 4)}" for a in x)
        x_labels = zip(x, x_texts, strict=True)
        y_labels = zip(y, y_texts, strict=True)
        return [
            *([tag("path", class_="grid", d=grid)] if has_grid else []),
            tag("path", class_="axis", d=f"M{_round(left)} {_round(bottom)}H{_round(right)}"),
            tag("path", class_="axis", d=marks),
            *(write_text(a, bottom + 17, label, "tick middle") for a, label in x_labels),
            *(write_text(left - 7, b + 4, label, "tick end") for b, label in y_labels),
            *([write_text(right, bottom + 36, x_note, "tick end")] if x_note else []),
            write_text(0.5 * (left + right), bottom + 36, x_label, "label middle"),
            write_text(4, top - 16, y_label, "label"),
            *([write_text(right, top - 16, y_note, "tick end")] if y_note else []),
        ]

    def line(self, x: Any, y: Any, class_: str) -> Markup:
        """Return a line through points, with gaps where one is not finite."""
        return tag("path", class_=class_, d=line_path(self.x(x), self.y(y)))

    def dots(self, x: Any, y: Any, class_: str) -> Markup:
        """Return points as dots; those that are not finite are left out."""
        pairs = np.column_stack([self.x(x), self.y(y)])
        finite = pairs[np.isfinite(pairs).all(axis=1)].tolist()
        path = "".join(f"M{_round(a)} {_round(b)}h0" for a, b in finite)
        return tag("path", class_=class_, d=path)

    def area(self, x: Array, low: Array, high: Array, class_: str) -> Markup:
        """Return the area between two curves."""
        pixels = self.x(x)
        around = np.append(self.y(high), self.y(low)[::-1])
        path = line_path(np.append(pixels, pixels[::-1]), around)
        return tag("path", class_=class_, d=path + "Z" if path else "")

    def histogram(self, edges: Array, heights: Array, class_: str) -> Markup:
        """Return a histogram; ``heights`` are in pixels above the x axis."""
        x, base = self.x(edges).tolist(), _round(self.y.start)
        bars = zip(x[:-1], x[1:], (self.y.start - heights).tolist(), strict=True)
        path = [
            f"M{_round(a)} {base}V{_round(top)}H{_round(b)}V{base}Z"
            for a, b, top in bars
            if top != self.y.start
        ]
        return tag("path", class_=class_, d="".join(path))


def frame_chart(svg: Markup, content: str) -> Markup:
    """Return a chart with its values, which the script of the page reads."""
    return tag("div", tag("div", svg, class_="plot", data_chart=content), class_="frame")


def draw_svg(width: float, height: float, title: str, *parts: Any, **attributes: Any) -> Markup:
    """Return an SVG that fills its box; screen readers read the title."""
    defaults = {
        "viewBox": f"0 0 {_round(width)} {_round(height)}",
        "role": "img",
        "aria_label": title,
        "class": "chart",
    }
    return tag("svg", tag("title", title), parts, **{**defaults, **attributes})


def write_text(x: float, y: float, content: Any, class_: str) -> Markup:
    """Return text at a position in pixels."""
    return tag("text", content, x=_round(x), y=_round(y), class_=class_)


def line_path(x: Any, y: Any) -> str:
    """Return a path through points in pixels, with gaps where one is not finite."""
    parts, pen = [], "M"
    for a, b in np.column_stack([x, y]).tolist():
        if not (np.isfinite(a) and np.isfinite(b)):
            pen = "M"
            continue
        parts.append(f"{pen}{_round(a)} {_round(b)}")
        pen = "L"
    return "".join(parts)


def _round(value: float) -> str:
    """Return a coordinate, rounded to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")
