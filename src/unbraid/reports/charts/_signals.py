"""Measured and simulated outputs over time, their difference, and a close-up."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

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


@dataclass(frozen=True, eq=False)
class Signals:
    """Measured and simulated samples (T,) of an output.

    ``ends`` of records are marked. At most about ``most`` samples are in the page, among them all
    peaks. ``seconds`` is the sampling time: with it, the axis shows times instead of samples.
    """

    name: str
    measured: Array
    simulated: Array
    ends: Sequence[int] = ()
    seconds: float | None = None
    most: int = MOST_SAMPLES

    @property
    def error(self) -> Array:
        return np.asarray(self.measured - self.simulated)

    @property
    def time_name(self) -> str:
        """What the horizontal axis shows."""
        return "sample" if self.seconds is None else "time (s)"

    def find_time(self, samples: Any) -> Array:
        """Return where samples are on the horizontal axis."""
        return np.asarray(samples, dtype=float) * (self.seconds or 1.0)


def overview(signals: Signals) -> list[Markup]:
    """Return charts of the signals and of the error."""
    kept = select_samples([signals.measured, signals.simulated, signals.error], signals.most)
    both = [
        Line("measured", signals.measured[kept], "measured"),
        Line("simulated", signals.simulated[kept], "simulated"),
    ]
    error = Line("measured − simulated", signals.error[kept], "error")
    return [
        _draw_signals(signals, kept, both, "output", SIGNAL_CHART_SIZE),
        _draw_signals(signals, kept, [error], "error, measured − simulated", ERROR_CHART_SIZE),
    ]


def _draw_signals(
    signals: Signals, kept: Index, lines: Sequence[Line], label: str, size: tuple[int, int]
) -> Markup:
    """Return a chart of lines over time; measured outputs are below the others."""
    alone = len(lines) == 1
    time = signals.find_time(kept)
    ends = (0.0, float(signals.find_time(max(signals.measured.size - 1, 1))))
    p = Panel(*size, ends, pad_range([line.y for line in lines], zero=alone))
    places = signals.find_time(signals.ends[:-1]).tolist()
    breaks = [Guide([place, place], [p.y.low, p.y.high]) for place in places]
    return p.draw(
        f"{signals.name}: {' and '.join(line.name for line in lines)} over time",
        p.axes(signals.time_name, label, (8, 3 if alone else 4)),
        _draw_breaks(p, breaks),
        [_draw_signal(p, time, line) for line in lines],
        values=ChartValues(
            names=(signals.time_name, label),
            x=time,
            lines=lines,
            guides=breaks,
            zoom="x",
            seconds=signals.seconds,
        ),
    )


def close_up(signals: Signals) -> Markup | None:
    """Return the samples around the largest error; None for a short record."""
    error, size = np.abs(signals.error), signals.measured.size
    if size <= 1.5 * CLOSE_UP_SAMPLES or not np.any(np.isfinite(error)):
        return None
    worst = int(np.argmax(np.where(np.isfinite(error), error, -1.0)))
    first = min(max(worst - CLOSE_UP_SAMPLES // 2, 0), size - CLOSE_UP_SAMPLES)
    samples = np.arange(first, first + CLOSE_UP_SAMPLES)
    y, simulated = signals.measured[samples], signals.simulated[samples]
    time = signals.find_time(samples)
    ends = (float(time[0]), float(time[-1]))
    p = Panel(*SIGNAL_CHART_SIZE, ends, pad_range([y, simulated]))
    return p.draw(
        f"{signals.name}: measured and simulated around the largest error",
        p.axes(signals.time_name, "around the largest error", (8, 4)),
        p.line(time, simulated, "simulated"),
        p.dots(time, y, "marks strong"),
        values=ChartValues(
            names=(signals.time_name, "around the largest error"),
            x=time,
            lines=[Line("measured", y, "measured"), Line("simulated", simulated, "simulated")],
            zoom="x",
            seconds=signals.seconds,
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


def _draw_signal(p: Panel, time: Array, line: Line) -> Markup:
    """Return a line through few samples, or the range of every block of many samples."""
    signal = line.y
    if signal.size <= 2 * SIGNAL_COLUMNS:
        return p.line(time, signal, line.class_)
    edges = np.linspace(0, signal.size, SIGNAL_COLUMNS + 1).astype(int)[:-1]
    finite = np.isfinite(signal)
    low = np.minimum.reduceat(np.where(finite, signal, np.inf), edges)
    high = np.maximum.reduceat(np.where(finite, signal, -np.inf), edges)
    shown = np.isfinite(low)
    middle = np.add.reduceat(time, edges) / np.diff(np.append(edges, signal.size))
    return p.area(middle[shown], low[shown], high[shown], f"{line.class_} filled")


def _draw_breaks(p: Panel, breaks: Sequence[Guide]) -> Markup | None:
    """Return vertical lines between records."""
    if not breaks:
        return None
    strokes = [line_path(p.x(guide.x), p.y(guide.y)) for guide in breaks]
    return tag("path", class_="guide", d="".join(strokes))
