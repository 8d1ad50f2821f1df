"""Pictures of NARX models. Need matplotlib, which is imported when a picture is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..branches import Branch
from ..plotting import INK, LINE, MARK, draw_branch, figure_of, quiet_axes, write_figure
from ..tensor import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DRAWN = 6000  # samples a curve is drawn with


def plot_simulation(measured: Array, simulated: Array, path: str | Path | None = None) -> Figure:
    """Outputs (T, n) with the error below, one column an output, and the spectra of both."""
    n = measured.shape[1]
    figure = figure_of(6.4 * n, 6.0)
    panels = figure.subplots(3, n, squeeze=False, height_ratios=[2, 1, 1.4])
    for o in range(n):
        top, middle, bottom = panels[:, o]
        _curves(top, middle, measured[:, o], simulated[:, o])
        _spectra(bottom, measured[:, o], (measured - simulated)[:, o])
        if n > 1:
            top.set_title(f"output {o + 1}", fontsize=9, color=INK)
    return write_figure(figure, path)


def _curves(top: Any, middle: Any, measured: Array, simulated: Array) -> None:
    """Extremes of every stretch of samples, so that no peak is lost where they are many."""
    time, low, high = _extremes(measured)
    top.fill_between(time, low, high, color=MARK, lw=0.6, alpha=0.8, label="measured")
    time, low, high = _extremes(simulated)
    top.fill_between(time, low, high, color=LINE, lw=0.6, alpha=0.45, label="simulated")
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


def _extremes(signal: Array) -> tuple[Array, Array, Array]:
    size = max(1, -(-signal.size // (MOST_DRAWN // 2)))
    edges = np.arange(0, signal.size, size)
    low, high = np.minimum.reduceat(signal, edges), np.maximum.reduceat(signal, edges)
    if size == 1:  # a line through the samples
        return edges.astype(float), signal, signal
    return np.asarray(edges + 0.5 * size), low, high


def _spectra(panel: Any, measured: Array, error: Array) -> None:
    from scipy.signal import welch

    length = min(2048, measured.size)
    for signal, colour, name in ((measured, MARK, "measured"), (error, INK, "error")):
        frequency, power = welch(signal, nperseg=length)
        decibel = 10 * np.log10(np.maximum(power, 1e-300))
        panel.plot(frequency[1:], decibel[1:], color=colour, lw=0.9, label=name)
    panel.set_xlabel("frequency (cycles a sample)", fontsize=8, color=INK)
    panel.set_ylabel("power (dB)", fontsize=8, color=INK)
    panel.legend(frameon=False, fontsize=7, ncols=2)
    quiet_axes(panel)


def plot_narx_branches(
    branches: Sequence[Branch],
    V: Array,
    names: Sequence[str],
    path: str | Path | None = None,
) -> Figure:
    """Branches above, below each the weights of the regressors in its z."""
    r = len(branches)
    figure = figure_of(3.3 * r, 4.4)
    panels = figure.subplots(2, r, squeeze=False, height_ratios=[2, 1])
    largest = 1.08 * np.abs(V).max()
    for i, branch in enumerate(branches):
        draw_branch(panels[0, i], branch, i)
        below = panels[1, i]
        below.bar(np.arange(len(names)), V[:, i], color=MARK, width=0.7)
        below.axhline(0, color=INK, lw=0.6)
        below.set_ylim(-largest, largest)
        below.set_xticks(np.arange(len(names)), _typeset(names), fontsize=7, rotation=45)
        below.set_ylabel(f"$v_{{{i + 1}}}$", rotation=0, labelpad=8, color=INK)
        quiet_axes(below)
    return write_figure(figure, path)


def _typeset(names: Sequence[str]) -> list[str]:
    return [name.replace("-", "\N{MINUS SIGN}") for name in names]


def plot_errors(
    counts: Sequence[int],
    plain: Sequence[float],
    refined: Sequence[float] | None,
    reference: float | None,
    label: str,
    path: str | Path | None = None,
) -> Figure:
    """Error against the number of branches, with and without refinement (figure f:NARX_results)."""
    figure = figure_of(5.0, 3.4)
    panel = figure.subplots()
    panel.semilogy(counts, _drawable(plain), "o", mfc="none", mec=MARK, ms=7, label="decoupled")
    if refined is not None:
        panel.semilogy(counts, _drawable(refined), "*", color=INK, ms=9, label="refined")
    if reference is not None:
        panel.axhline(reference, color=LINE, lw=1.2, label="reference")
    panel.set_xticks(list(counts))
    panel.set_xlabel("branches", fontsize=8, color=INK)
    panel.set_ylabel(f"{label} error (%)", fontsize=8, color=INK)
    panel.yaxis.set_major_formatter("{x:g}")
    panel.legend(frameon=False, fontsize=8)
    quiet_axes(panel)
    return write_figure(figure, path)


def _drawable(errors: Sequence[float]) -> list[float]:
    return [error if np.isfinite(error) else np.nan for error in errors]
