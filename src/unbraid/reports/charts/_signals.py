"""Measured and simulated outputs over time, the error below, and a close-up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._typing import Array
from .._markup import Markup, tag
from ._draw import Panel, area, dots, figure, line, padded, panel

WIDTH, HEIGHT, LOW = 720, 240, 150
COLUMNS = 660  # stretches of samples, each drawn from its least to its greatest
CLOSE = 160  # samples of the close-up


def overview(measured: Array, simulated: Array, ends: Sequence[int], name: str) -> list[Markup]:
    """The whole record, and the error on the same axis of time; ``ends`` of records are marked."""
    x = (0.0, float(max(measured.size - 1, 1)))
    top = panel(WIDTH, HEIGHT, x, padded(np.concatenate([measured, simulated])))
    error = measured - simulated
    low = panel(WIDTH, LOW, x, padded(error, zero=True))
    return [
        figure(
            WIDTH,
            HEIGHT,
            f"{name}: measured and simulated over time",
            top.axes("sample", "output", (8, 4)),
            _breaks(top, ends),
            _extremes(top, simulated, "simulated"),
            _extremes(top, measured, "measured"),
        ),
        figure(
            WIDTH,
            LOW,
            f"{name}: measured less simulated over time",
            low.axes("sample", "error, measured less simulated", (8, 3)),
            _breaks(low, ends),
            _extremes(low, error, "error"),
        ),
    ]


def close_up(measured: Array, simulated: Array, name: str) -> Markup | None:
    """Some samples around the largest error; None where they are all the samples."""
    error = np.abs(measured - simulated)
    if measured.size <= 1.5 * CLOSE or not np.any(np.isfinite(error)):
        return None
    worst = int(np.nanargmax(np.where(np.isfinite(error), error, -1.0)))
    first = min(max(worst - CLOSE // 2, 0), measured.size - CLOSE)
    time = np.arange(first, first + CLOSE)
    y, guess = measured[time], simulated[time]
    p = panel(WIDTH, HEIGHT, (float(time[0]), float(time[-1])), padded(np.concatenate([y, guess])))
    return figure(
        WIDTH,
        HEIGHT,
        f"{name}: measured and simulated around the largest error",
        p.axes("sample", "around the largest error", (8, 4)),
        tag("path", class_="simulated", d=line(p.x(time), p.y(guess))),
        tag("path", class_="marks strong", d=dots(p.x(time), p.y(y))),
    )


def _extremes(p: Panel, signal: Array, class_: str) -> Markup:
    """A line through few samples; of many, the least and greatest of every stretch."""
    if signal.size <= 2 * COLUMNS:
        return tag("path", class_=class_, d=line(p.x(np.arange(signal.size)), p.y(signal)))
    edges = np.linspace(0, signal.size, COLUMNS + 1).astype(int)[:-1]
    finite = np.isfinite(signal)
    least = np.minimum.reduceat(np.where(finite, signal, np.inf), edges)
    most = np.maximum.reduceat(np.where(finite, signal, -np.inf), edges)
    kept = np.isfinite(least)
    middle = edges + 0.5 * signal.size / COLUMNS
    shape = area(p.x(middle[kept]), p.y(least[kept]), p.y(most[kept]))
    return tag("path", class_=f"{class_} filled", d=shape)


def _breaks(p: Panel, ends: Sequence[int]) -> Markup | None:
    """A line where one record ends and the next begins."""
    if len(ends) < 2:
        return None
    strokes = "".join(line(p.x([end, end]), [p.y.start, p.y.end]) for end in ends[:-1])
    return tag("path", class_="guide", d=strokes)
