"""Measured and simulated outputs over time, their difference, and a close-up."""

from collections.abc import Sequence

import numpy as np

from ..._typing import Array
from ..._util.markup import Markup, tag
from ._draw import Panel, line_path, pad_range

SIGNAL_CHART_SIZE = 720, 240  # pixels
ERROR_CHART_SIZE = 720, 150  # pixels
SIGNAL_COLUMNS = 660  # blocks of samples, each drawn from its minimum to its maximum
CLOSE_UP_SAMPLES = 160


def overview(measured: Array, simulated: Array, ends: Sequence[int], name: str) -> list[Markup]:
    """Return charts of the signals and of the error; ``ends`` of records are marked."""
    time = (0.0, float(max(measured.size - 1, 1)))
    error = measured - simulated
    top = Panel(*SIGNAL_CHART_SIZE, time, pad_range([measured, simulated]))
    bottom = Panel(*ERROR_CHART_SIZE, time, pad_range(error, zero=True))
    return [
        top.draw(
            f"{name}: measured and simulated over time",
            top.axes("sample", "output", (8, 4)),
            _draw_breaks(top, ends),
            _draw_signal(top, simulated, "simulated"),
            _draw_signal(top, measured, "measured"),
        ),
        bottom.draw(
            f"{name}: measured minus simulated over time",
            bottom.axes("sample", "error, measured − simulated", (8, 3)),
            _draw_breaks(bottom, ends),
            _draw_signal(bottom, error, "error"),
        ),
    ]


def close_up(measured: Array, simulated: Array, name: str) -> Markup | None:
    """Return the samples around the largest error; None for a short record."""
    error = np.abs(measured - simulated)
    if measured.size <= 1.5 * CLOSE_UP_SAMPLES or not np.any(np.isfinite(error)):
        return None
    worst = int(np.argmax(np.where(np.isfinite(error), error, -1.0)))
    first = min(max(worst - CLOSE_UP_SAMPLES // 2, 0), measured.size - CLOSE_UP_SAMPLES)
    time = np.arange(first, first + CLOSE_UP_SAMPLES)
    y, simulated = measured[time], simulated[time]
    ends = (float(time[0]), float(time[-1]))
    p = Panel(*SIGNAL_CHART_SIZE, ends, pad_range([y, simulated]))
    return p.draw(
        f"{name}: measured and simulated around the largest error",
        p.axes("sample", "around the largest error", (8, 4)),
        p.line(time, simulated, "simulated"),
        p.dots(time, y, "marks strong"),
    )


def _draw_signal(p: Panel, signal: Array, class_: str) -> Markup:
    """Return a line through few samples, or the range of every block of many samples."""
    if signal.size <= 2 * SIGNAL_COLUMNS:
        return p.line(np.arange(signal.size), signal, class_)
    edges = np.linspace(0, signal.size, SIGNAL_COLUMNS + 1).astype(int)[:-1]
    finite = np.isfinite(signal)
    low = np.minimum.reduceat(np.where(finite, signal, np.inf), edges)
    high = np.maximum.reduceat(np.where(finite, signal, -np.inf), edges)
    kept = np.isfinite(low)
    middle = edges + 0.5 * signal.size / SIGNAL_COLUMNS
    return p.area(middle[kept], low[kept], high[kept], f"{class_} filled")


def _draw_breaks(p: Panel, ends: Sequence[int]) -> Markup | None:
    """Return vertical lines between records."""
    if len(ends) < 2:
        return None
    strokes = [line_path(p.x([end, end]), [p.y.start, p.y.end]) for end in ends[:-1]]
    return tag("path", class_="guide", d="".join(strokes))
