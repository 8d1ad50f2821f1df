"""Pictures of NARX models. Need matplotlib, which is imported when a picture is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from ..model._branch import Branch
from ..model._plotting import INK, LINE, MARK, draw_branch, figure_of, quiet_axes, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DRAWN = 6000  # samples a curve is drawn with
CLOSE = 160  # samples of the close-up
FEWEST = 16  # samples that make a spectrum


def plot_simulation(
    measured: Sequence[Array],
    simulated: Sequence[Array],
    initial: int,
    path: str | Path | None = None,
) -> Figure:
    """Outputs (T, n) of records, the error below, a close-up and spectra; a column an output."""
    n = measured[0].shape[1]
    figure = figure_of(6.4 * n, 7.4)
    panels = figure.subplots(4, n, squeeze=False, height_ratios=[1.6, 1, 1.4, 1.4])
    ends = np.cumsum([len(y) for y in measured])
    runs_off = any(not np.all(np.isfinite(y)) for y in simulated)
    for o in range(n):
        top, middle, close, bottom = panels[:, o]
        y = np.concatenate([record[:, o] for record in measured])
        guess = np.concatenate([record[:, o] for record in simulated])
        _curves(top, middle, y, guess)
        for end in ends[:-1]:
            for panel in (top, middle):
                panel.axvline(end, color=INK, lw=0.5, ls=":")
        spans = zip(ends, measured, strict=True)
        free = np.concatenate([np.arange(end - len(r) + initial, end) for end, r in spans])
        free = free[np.isfinite(guess[free])]
        _close_up(close, y, guess, free)
        _spectra(bottom, y[free], (y - guess)[free])
        title = f"output {o + 1}" if n > 1 else ""
        title += ("; " if title else "") + "the simulation runs off" if runs_off else ""
        top.set_title(title, fontsize=9, color=LINE if runs_off else INK)
    return write_figure(figure, path)


def _curves(top: Any, middle: Any, measured: Array, simulated: Array) -> None:
    """Extremes of every stretch of samples, so that no peak is lost where they are many."""
    for signal, colour, name in ((simulated, LINE, "simulated"), (measured, MARK, "measured")):
        time, low, high = _extremes(signal)
        top.fill_between(time, low, high, color=colour, lw=0.7, label=name)
    time, low, high = _extremes(measured - simulated)
    middle.fill_between(time, low, high, color=INK, lw=0.6)
    top.legend(frameon=False, fontsize=7, loc="upper left", ncols=2)
    top.set_ylabel("output", fontsize=8, color=INK)
    middle.set_ylabel("error", fontsize=8, color=INK)
    middle.set_xlabel("sample", fontsize=8, color=INK)
    top.sharex(middle)
    top.tick_params(labelbottom=False)
    for panel in (top, middle):
        quiet_axes(panel)


def _close_up(panel: Any, measured: Array, simulated: Array, free: Array) -> None:
    """Some samples around the largest error."""
    if free.size:
        worst = free[np.argmax(np.abs(measured - simulated)[free])]
        time = np.arange(max(worst - CLOSE // 2, 0), min(worst + CLOSE // 2, measured.size))
        panel.plot(time, simulated[time], color=LINE, lw=1.0, label="simulated")
        panel.plot(time, measured[time], ".", color=MARK, ms=4, label="measured")
        panel.legend(frameon=False, fontsize=7, loc="upper left", ncols=2)
    panel.set_ylabel("around the\nlargest error", fontsize=8, color=INK)
    panel.set_xlabel("sample", fontsize=8, color=INK)
    quiet_axes(panel)


def _extremes(signal: Array) -> tuple[Array, Array, Array]:
    size = max(1, -(-signal.size // (MOST_DRAWN // 2)))
    edges = np.arange(0, signal.size, size)
    low, high = np.minimum.reduceat(signal, edges), np.maximum.reduceat(signal, edges)
    if size == 1:  # a line through the samples
        return edges.astype(float), signal, signal
    return np.asarray(edges + 0.5 * size), low, high


def _spectra(panel: Any, measured: Array, error: Array) -> None:
    from scipy.signal import welch

    panel.set_xlabel("frequency (cycles a sample)", fontsize=8, color=INK)
    panel.set_ylabel("power (dB)", fontsize=8, color=INK)
    quiet_axes(panel)
    if measured.size < FEWEST:
        return
    length = min(2048, measured.size)
    for signal, colour, name in ((measured, MARK, "measured"), (error, INK, "error")):
        frequency, power = welch(signal, nperseg=length)
        if power.max() > 0:
            decibel = 10 * np.log10(np.maximum(power, 1e-20 * power.max()))
            panel.plot(frequency[1:], decibel[1:], color=colour, lw=0.9, label=name)
    panel.legend(frameon=False, fontsize=7, ncols=2)


def plot_narx_branches(
    branches: Sequence[Branch],
    W: Array,
    V: Array,
    names: Sequence[str],
    path: str | Path | None = None,
) -> Figure:
    """Branches above, below each the weights of the regressors in its z, and of the outputs."""
    n, r = W.shape
    several = n > 1
    figure = figure_of(3.3 * r, 5.6 if several else 4.4)
    heights = [2, 1, 0.8] if several else [2, 1]
    panels = figure.subplots(len(heights), r, squeeze=False, height_ratios=heights)
    outputs = [f"y{o + 1}" for o in range(n)]
    for i, branch in enumerate(branches):
        draw_branch(panels[0, i], branch, i)
        _bars(panels[1, i], V[:, i], _typeset(names), f"$v_{{{i + 1}}}$", np.abs(V).max())
        if several:
            _bars(panels[2, i], W[:, i], outputs, f"$w_{{{i + 1}}}$", np.abs(W).max())
    return write_figure(figure, path)


def _bars(panel: Any, weights: Array, names: Sequence[str], label: str, largest: float) -> None:
    panel.bar(np.arange(len(names)), weights, color=MARK, width=0.7)
    panel.axhline(0, color=INK, lw=0.6)
    panel.set_ylim(-1.08 * largest, 1.08 * largest)
    panel.set_xticks(np.arange(len(names)), names, fontsize=7, rotation=45)
    panel.set_ylabel(label, rotation=0, labelpad=8, color=INK)
    quiet_axes(panel)


def _typeset(names: Sequence[str]) -> list[str]:
    return [name.replace("-", "\N{MINUS SIGN}") for name in names]
