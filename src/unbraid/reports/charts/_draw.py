"""Scales, ticks, axes and paths. Colours are classes: the style sheet knows light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._typing import Array
from .._markup import Markup, tag
from .._numbers import power, tick_labels

FAR = 9999.0  # pixels beyond which nothing is drawn
STEPS = (1.0, 2.0, 5.0, 10.0, 20.0)


@dataclass(frozen=True)
class Scale:
    """From numbers to pixels. A logarithmic one takes the numbers as they are."""

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
        return np.asarray(np.clip(pixels, -FAR, FAR))

    def ticks(self, count: int) -> tuple[list[float], list[str], str]:
        """Where to write what, and what holds for all of it."""
        if self.log:
            return log_ticks(self.low, self.high, count)
        places = nice_ticks(self.low, self.high, count)
        return places, *tick_labels(places)


def padded(values: Any, room: float = 0.06, zero: bool = False) -> tuple[float, float]:
    """A range with some room that holds all finite values; one of no width is given some.

    >>> padded([1.0, 3.0], 0.1)
    (0.8, 3.2)
    """
    values = np.asarray(values, dtype=float).ravel()
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    size = max(abs(low), abs(high))
    if high - low <= 1e-12 * size:  # one number, up to rounding
        half = 0.1 * size or 1.0
        return low - half, high + half
    more = room * (high - low)
    return low - more, high + more


def nice_ticks(low: float, high: float, count: int) -> list[float]:
    """About so many round numbers from low to high.

    >>> nice_ticks(-0.9, 2.3, 3)
    [0.0, 1.0, 2.0]
    """
    size = 10.0 ** np.floor(np.log10((high - low) / count))
    choices = []
    for step in (factor * size for factor in STEPS):
        first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
        choices.append([float(k * step) + 0.0 for k in np.arange(first, last + 1)])
    return min(choices, key=lambda ticks: abs(len(ticks) - count))


def log_ticks(low: float, high: float, count: int) -> tuple[list[float], list[str], str]:
    """Powers of ten, not too many; 1, 2 and 5 of each where there are few.

    >>> log_ticks(0.01, 1000.0, 3)[1]
    ['0.01', '1', '100']
    """
    first, last = int(np.ceil(np.log10(low) - 1e-9)), int(np.floor(np.log10(high) + 1e-9))
    if last - first < 2:
        places = [f * 10.0**k for k in range(first - 1, last + 1) for f in (1, 2, 5)]
        places = [p for p in places if low * (1 - 1e-9) <= p <= high * (1 + 1e-9)]
        return places, [_small(p) for p in places], ""
    step = -(-(last - first + 1) // count)
    exponents = range(first, last + 1, step)
    return [10.0**k for k in exponents], [power(k) for k in exponents], ""


def _small(value: float) -> str:
    exponent = int(np.floor(np.log10(value) + 1e-9))
    if -3 <= exponent <= 4:
        return np.format_float_positional(float(f"{value:.2g}"), trim="-")
    factor = round(value / 10.0**exponent)
    return power(exponent) if factor == 1 else f"{factor}·{power(exponent)}"


@dataclass(frozen=True)
class Panel:
    """A drawing area with an x and a y axis."""

    x: Scale
    y: Scale

    def axes(
        self,
        x_label: Any,
        y_label: Any,
        counts: tuple[int, int] = (5, 4),
        x_ticks: Sequence[int] | None = None,
    ) -> list[Markup]:
        """Grid lines, numbers and names; ``x_ticks`` are whole numbers to be named one by one."""
        if x_ticks is None:
            x_places, x_texts, x_note = self.x.ticks(counts[0])
        else:
            x_places, x_texts, x_note = [*map(float, x_ticks)], [*map(str, x_ticks)], ""
        y_places, y_texts, y_note = self.y.ticks(counts[1])
        left, right = self.x.start, self.x.end
        top, bottom = self.y.end, self.y.start
        parts = [
            tag("path", class_="grid", d=segments([left], self.y(y_places), [right], None)),
            tag("path", class_="axis", d=f"M{_n(left)} {_n(bottom)}H{_n(right)}"),
            tag("path", class_="axis", d=segments(self.x(x_places), [bottom], None, [bottom + 4])),
        ]
        parts += [
            text(x, bottom + 17, label, "tick middle")
            for x, label in zip(self.x(x_places), x_texts, strict=True)
        ]
        parts += [
            text(left - 7, y + 4, label, "tick end")
            for y, label in zip(self.y(y_places), y_texts, strict=True)
        ]
        if x_note:
            parts.append(text(right, bottom + 36, x_note, "tick end"))
        parts.append(text(0.5 * (left + right), bottom + 36, x_label, "label middle"))
        parts.append(text(4, top - 16, y_label, "label"))
        if y_note:
            parts.append(text(right, top - 16, y_note, "tick end"))
        return parts


def panel(
    width: float,
    height: float,
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    left: float = 48,
    log: tuple[bool, bool] = (False, False),
) -> Panel:
    """A panel of this size, with room for numbers and names."""
    return Panel(
        Scale(*x, left, width - 12, log[0]),
        Scale(*y, height - 46, 34, log[1]),
    )


def figure(width: float, height: float, title: str, *parts: Any, **attributes: Any) -> Markup:
    """An SVG that fills its box; the title is what a screen reader says."""
    return tag(
        "svg",
        tag("title", title),
        parts,
        **{
            "viewBox": f"0 0 {_n(width)} {_n(height)}",
            "role": "img",
            "aria_label": title,
            "class": "chart",
            **attributes,
        },
    )


def text(x: float, y: float, content: Any, class_: str) -> Markup:
    """Text in a picture."""
    return tag("text", content, x=_n(x), y=_n(y), class_=class_)


def line(x: Any, y: Any) -> str:
    """A path through points, with gaps where one is not a number."""
    parts, pen = [], "M"
    for a, b in zip(np.asarray(x).tolist(), np.asarray(y).tolist(), strict=True):
        if not (np.isfinite(a) and np.isfinite(b)):
            pen = "M"
            continue
        parts.append(f"{pen}{_n(a)} {_n(b)}")
        pen = "L"
    return "".join(parts)


def area(x: Any, low: Any, high: Any) -> str:
    """A closed path between two curves."""
    around = line(
        np.concatenate([np.asarray(x), np.asarray(x)[::-1]]),
        np.concatenate([np.asarray(high), np.asarray(low)[::-1]]),
    )
    return around + "Z" if around else ""


def dots(x: Any, y: Any) -> str:
    """A path of points, which the style draws round; those that are no numbers are left out."""
    pairs = zip(np.asarray(x).tolist(), np.asarray(y).tolist(), strict=True)
    return "".join(f"M{_n(a)} {_n(b)}h0" for a, b in pairs if np.isfinite(a) and np.isfinite(b))


def segments(x: Any, y: Any, to_x: Any, to_y: Any) -> str:
    """Straight strokes: horizontal to ``to_x``, or vertical to ``to_y``."""
    pairs = np.broadcast(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    end = f"H{_n(to_x[0])}" if to_x is not None else f"V{_n(to_y[0])}"
    return "".join(f"M{_n(a)} {_n(b)}{end}" for a, b in pairs)


def bars(edges: Array, heights: Array, base: float) -> str:
    """A histogram as a path: pixels of the edges, and of the tops."""
    parts = []
    for a, b, top in zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True):
        if top != base:
            parts.append(f"M{_n(a)} {_n(base)}V{_n(top)}H{_n(b)}V{_n(base)}Z")
    return "".join(parts)


def _n(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough."""
    return f"{value:.1f}".removesuffix(".0")
