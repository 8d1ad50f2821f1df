"""Measured and simulated outputs over time, their difference, and a close-up."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..._typing import Array, Index
from ..._util.markup import Markup, tag
from ._draw import Panel, line_path, pad_range
from ._values import ChartValues, Guide, Line

SIGNAL_CHART_SIZE = 720, 240  # pixels
ERROR_CHART_SIZE = 720, 150  # pixels
SIGNAL_COLUMNS = 660  # blocks of samples, each drawn from its minimum to its maximum
CLOSE_UP_SAMPLES = 160
MOST_SAMPLES = 16_000  # of a signal in the page
EXTREMES_PER_BLOCK = 6  # minimum and maximum of two signals and of their difference


def overview(
    measured: Array, simulated: Array, ends: Sequence[int], name: str, most: int = MOST_SAMPLES
) -> list[Markup]:
    """Return charts of the signals and of the error; ``ends`` of records are marked.

    At most about ``most`` samples of a long record are in the page, among them all peaks.
    """
    time = (0.0, float(max(measured.size - 1, 1)))
    error = measured - simulated
    kept = select_samples([measured, simulated, error], most)
    signals = [
        Line("measured", measured[kept], "measured"),
        Line("simulated", simulated[kept], "simulated"),
    ]
    return [
        _draw_signals(SIGNAL_CHART_SIZE, time, signals[::-1], kept, ends, name, "output"),
        _draw_signals(
            ERROR_CHART_SIZE,
            time,
            [Line("measured − simulated", error[kept], "error")],
            kept,
            ends,
            name,
            "error, measured − simulated",
        ),
    ]


def _draw_signals(
    size: tuple[int, int],
    time: tuple[float, float],
    lines: Sequence[Line],
    kept: Index,
    ends: Sequence[int],
    name: str,
    label: str,
) -> Markup:
    """Return a chart of signals over time, which can be zoomed along it."""
    alone = len(lines) == 1
    p = Panel(*size, time, pad_range([line.y for line in lines], zero=alone))
    breaks = [Guide([end, end], [p.y.low, p.y.high]) for end in ends[:-1]]
    return p.draw(
        f"{name}: {' and '.join(line.name for line in lines[::-1])} over time",
        p.axes("sample", label, (8, 3 if alone else 4)),
        _draw_breaks(p, breaks),
        [_draw_signal(p, kept, line) for line in lines],
        values=ChartValues(
            names=("sample", label), x=kept, lines=lines[::-1], guides=breaks, zoom="x"
        ),
    )


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
        values=ChartValues(
            names=("sample", "around the largest error"),
            x=time,
            lines=[Line("measured", y, "measured"), Line("simulated", simulated, "simulated")],
            zoom="x",
        ),
    )


def select_samples(signals: Sequence[Array], most: int) -> Index:
    """Return the samples to keep: all of a few, the extremes of blocks of many.

    >>> signal = np.zeros(1000)
    >>> signal[617] = 1.0
    >>> kept = select_samples([signal], 60)
    >>> len(kept) <= 62, 617 in kept
    (True, True)
    """
    size = signals[0].size
    if size <= most:
        return np.arange(size)
    edges = np.linspace(0, size, max(most // EXTREMES_PER_BLOCK, 1) + 1).astype(int)
    chosen = {0, size - 1}
    for signal in signals:
        finite = np.isfinite(signal)
        low, high = np.where(finite, signal, np.inf), np.where(finite, signal, -np.inf)
        for begin, end in pairwise(edges.tolist()):
            chosen |= {begin + int(low[begin:end].argmin()), begin + int(high[begin:end].argmax())}
    return np.array(sorted(chosen))


def _draw_signal(p: Panel, kept: Index, line: Line) -> Markup:
    """Return a line through few samples, or the range of every block of many samples."""
    signal = line.y
    if signal.size <= 2 * SIGNAL_COLUMNS:
        return p.line(kept, signal, line.class_)
    edges = np.linspace(0, signal.size, SIGNAL_COLUMNS + 1).astype(int)[:-1]
    finite = np.isfinite(signal)
    low = np.minimum.reduceat(np.where(finite, signal, np.inf), edges)
    high = np.maximum.reduceat(np.where(finite, signal, -np.inf), edges)
    shown = np.isfinite(low)
    middle = np.add.reduceat(kept.astype(float), edges) / np.diff(np.append(edges, signal.size))
    return p.area(middle[shown], low[shown], high[shown], f"{line.class_} filled")


def _draw_breaks(p: Panel, breaks: Sequence[Guide]) -> Markup | None:
    """Return vertical lines between records."""
    if not breaks:
        return None
    strokes = [line_path(p.x(guide.x), p.y(guide.y)) for guide in breaks]
    return tag("path", class_="guide", d="".join(strokes))
