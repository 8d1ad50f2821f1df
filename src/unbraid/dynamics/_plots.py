"""Figures of dynamic models; matplotlib is imported when a figure is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from ..model._plotting import INK, LINE, MARK, figure_of, quiet_axes, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_CURVE_SAMPLES = 6000  # longer signals are drawn as an envelope
CLOSE_UP_SAMPLES = 160
MIN_SPECTRUM_SAMPLES = 16
SPECTRUM_SEGMENT = 2048  # samples at most


@dataclass(frozen=True)
class PlotAxis:
    """The step between samples, and the names of the axes."""

    step: float
    time: str
    frequency: str


def make_plot_axis(sampling_time: float | None) -> PlotAxis:
    """Seconds and Hz if the sampling time is known, else samples."""
    if sampling_time is None:
        return PlotAxis(1.0, "sample", "cycles per sample")
    return PlotAxis(sampling_time, "time (s)", "Hz")


def plot_simulation(
    measured: Sequence[Array],
    simulated: Sequence[Array],
    initial: int,
    path: str | Path | None = None,
    sampling_time: float | None = None,
) -> Figure:
    """Plot measured and simulated outputs, their error, a close-up and spectra.

    Records are arrays (T, n). There is one column of panels per output. Axes are in seconds and Hz
    if the sampling time is known, else in samples.
    """
    axis = make_plot_axis(sampling_time)
    n = measured[0].shape[1]
    figure = figure_of(6.4 * n, 7.4)
    panels = figure.subplots(4, n, squeeze=False, height_ratios=[1.6, 1, 1.4, 1.4])
    ends = np.cumsum([len(y) for y in measured])
    spans = zip(ends, measured, strict=True)
    after_initial = np.concatenate([np.arange(end - len(r) + initial, end) for end, r in spans])
    diverges = any(not np.all(np.isfinite(y)) for y in simulated)
    for o in range(n):
        top, middle, close, bottom = panels[:, o]
        y = np.concatenate([record[:, o] for record in measured])
        guess = np.concatenate([record[:, o] for record in simulated])
        draw_signals(top, middle, y, guess, axis)
        for end in ends[:-1]:
            for panel in (top, middle):
                panel.axvline(end * axis.step, color=INK, lw=0.5, ls=":")
        free = after_initial[np.isfinite(guess[after_initial])]
        _draw_close_up(close, y, guess, free, axis)
        _draw_spectra(bottom, y[free], (y - guess)[free], axis)
        parts = [f"output {o + 1}"] * (n > 1) + ["the simulation diverges"] * diverges
        top.set_title("; ".join(parts), fontsize=9, color=LINE if diverges else INK)
    return write_figure(figure, path)


def draw_signals(top: Any, middle: Any, measured: Array, simulated: Array, axis: PlotAxis) -> None:
    """Draw measured and simulated output in one panel, their difference in the other."""
    for signal, colour, name in ((simulated, LINE, "simulated"), (measured, MARK, "measured")):
        top.fill_between(*_envelope(signal, axis.step), color=colour, lw=0.7, label=name)
    middle.fill_between(*_envelope(measured - simulated, axis.step), color=INK, lw=0.6)
    top.legend(frameon=False, fontsize=7, loc="upper left", ncols=2)
    top.sharex(middle)
    top.tick_params(labelbottom=False)
    label_axes(top, "", "output")
    label_axes(middle, axis.time, "error")


def _envelope(signal: Array, step: float) -> tuple[Array, Array, Array]:
    """Times, minima and maxima of blocks of samples, which preserve every peak."""
    size = max(1, -(-signal.size // (MAX_CURVE_SAMPLES // 2)))
    edges = np.arange(0, signal.size, size)
    if size == 1:  # a line through the samples
        return np.asarray(step * edges, dtype=float), signal, signal
    low, high = np.minimum.reduceat(signal, edges), np.maximum.reduceat(signal, edges)
    return np.asarray(step * (edges + 0.5 * size)), low, high


def _draw_close_up(
    panel: Any, measured: Array, simulated: Array, free: Array, axis: PlotAxis
) -> None:
    """Draw the samples around the largest error."""
    if free.size:
        worst = free[np.argmax(np.abs(measured - simulated)[free])]
        half = CLOSE_UP_SAMPLES // 2
        shown = np.arange(max(worst - half, 0), min(worst + half, measured.size))
        time = axis.step * shown
        panel.plot(time, simulated[shown], color=LINE, lw=1.0, label="simulated")
        panel.plot(time, measured[shown], ".", color=MARK, ms=4, label="measured")
        panel.legend(frameon=False, fontsize=7, loc="upper left", ncols=2)
    label_axes(panel, axis.time, "around the\nlargest error")


def _draw_spectra(panel: Any, measured: Array, error: Array, axis: PlotAxis) -> None:
    from scipy.signal import welch

    label_axes(panel, f"frequency ({axis.frequency})", "power (dB)")
    if measured.size < MIN_SPECTRUM_SAMPLES:
        return
    for signal, colour, name in ((measured, MARK, "measured"), (error, INK, "error")):
        frequency, power = welch(signal, nperseg=min(SPECTRUM_SEGMENT, measured.size))
        if power.max() > 0:
            decibel = 10 * np.log10(np.maximum(power, 1e-20 * power.max()))
            panel.plot(frequency[1:] / axis.step, decibel[1:], color=colour, lw=0.9, label=name)
    panel.legend(frameon=False, fontsize=7, ncols=2)


def label_axes(panel: Any, x: str, y: str) -> None:
    panel.set_xlabel(x, fontsize=8, color=INK)
    panel.set_ylabel(y, fontsize=8, color=INK)
    quiet_axes(panel)


def draw_bars(panel: Any, weights: Array, names: Sequence[str], label: str, largest: float) -> None:
    panel.bar(np.arange(len(names)), weights, color=MARK, width=0.7)
    panel.axhline(0, color=INK, lw=0.6)
    panel.set_ylim(-1.08 * largest, 1.08 * largest)
    panel.set_xticks(np.arange(len(names)), names, fontsize=7, rotation=45)
    panel.set_ylabel(label, rotation=0, labelpad=8, color=INK)
    quiet_axes(panel)
