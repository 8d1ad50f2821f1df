"""Figures of state-space models; matplotlib is imported when a figure is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from ..dynamics._plots import draw_bars
from ..model._function import DecoupledFunction
from ..model._plotting import (
    INK,
    LINE,
    MARK,
    draw_density,
    figure_of,
    quiet_axes,
    write_figure,
)
from ._linear_part import Mode, find_modes, find_response, find_zeros
from ._order import OrderSelection
from ._state_curves import StateCurve, describe_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVE_SAMPLES = 400  # z at which a curve is drawn
LARGE_ERROR_RATIO = 20.0  # of held-out errors: a larger one needs a logarithmic axis
MAX_RESPONSE_PANELS = 3  # inputs and outputs of which responses are drawn, each
SHOWN_ZERO_RADIUS = 1.6  # larger zeros are outside of the map of poles


def plot_state_branches(
    d: DecoupledFunction,
    inputs: Sequence[str],
    outputs: Sequence[str],
    output_spread: Array,
    path: str | Path | None = None,
) -> Figure:
    """Plot the branches, the shares of states and inputs in z, and where g enters.

    The entries of V are multiplied by the spread of their signal, those of W divided by it.
    """
    spread = np.ones(d.n_inputs) if d.spread is None else d.spread
    shares = d.V * spread[:, None]
    n_states = d.n_outputs - len(output_spread)
    effects = d.W / np.concatenate([np.ones(n_states), output_spread])[:, None]
    figure = figure_of(max(3.3 * d.n_branches, 4.4), 5.9)
    panels = figure.subplots(3, d.n_branches, squeeze=False, height_ratios=[2, 1, 0.9])
    for i, curve in enumerate(describe_curves(d, inputs)):
        _draw_curve(panels[0, i], d, curve)
        largest = np.abs(shares).max()
        draw_bars(panels[1, i], shares[:, i], inputs, f"$v_{{{i + 1}}}$", largest)
        draw_bars(panels[2, i], effects[:, i], outputs, f"$w_{{{i + 1}}}$", np.abs(effects).max())
    return write_figure(figure, path)


def _draw_curve(panel: Any, d: DecoupledFunction, curve: StateCurve) -> None:
    """Draw a branch over the range of the data, dashed where it extrapolates."""
    index = curve.number - 1
    branch = d.branches[index]
    low, high = branch.interval
    ends = low, high
    if d.points is not None:
        z = d.points @ d.V[:, index]
        draw_density(panel, z)
        ends = float(z.min()), float(z.max())
    z = np.linspace(*ends, CURVE_SAMPLES)
    inside = (z >= low) & (z <= high)
    g = branch(z)
    panel.plot(z, np.where(inside, np.nan, g), color=LINE, lw=1.2, ls=(0, (3, 2)))
    panel.plot(z, np.where(inside, g, np.nan), color=LINE, lw=1.4)
    panel.set_title(curve.name, fontsize=8, color=INK)
    panel.set_xlabel(f"$z_{{{curve.number}}}$", fontsize=8, color=INK)
    panel.set_ylabel(f"$g_{{{curve.number}}}$", rotation=0, labelpad=8, color=INK)
    quiet_axes(panel)


def plot_linear_part(
    matrices: tuple[Array, Array, Array, Array],
    sampling_time: float | None,
    inputs: Sequence[str],
    outputs: Sequence[str],
    path: str | Path | None = None,
) -> Figure:
    """Plot the magnitude of the frequency response, and poles and zeros."""
    modes = find_modes(matrices[0], sampling_time)
    frequency, response = find_response(*matrices, modes)
    frequency = frequency / (sampling_time or 1.0)
    rows = min(len(outputs), MAX_RESPONSE_PANELS)
    columns = min(len(inputs), MAX_RESPONSE_PANELS)
    figure = figure_of(4.0 * columns + 3.2, max(2.4 * rows + 0.4, 3.2))
    widths = [4.0 * columns, 3.2]
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=widths)[0]
    panels = left.subplots(rows, columns, squeeze=False, sharex=True, sharey="row")
    unit = "Hz" if sampling_time else "cycles per sample"
    for o in range(rows):
        for i in range(columns):
            panel = panels[o, i]
            _draw_response(panel, frequency, response[:, o, i], modes)
            if rows * columns > 1:
                panel.set_title(f"{inputs[i]} to {outputs[o]}", fontsize=8, color=INK)
            if o == rows - 1:
                panel.set_xlabel(f"frequency ({unit})", fontsize=8, color=INK)
            if i == 0:
                panel.set_ylabel("magnitude (dB)", fontsize=8, color=INK)
    _draw_poles(right.subplots(), modes, find_zeros(*matrices))
    return write_figure(figure, path)


def _draw_response(panel: Any, frequency: Array, response: Array, modes: Sequence[Mode]) -> None:
    size = np.abs(response)
    decibel = 20 * np.log10(np.maximum(size, 1e-10 * max(float(size.max()), 1e-300)))
    panel.semilogx(frequency, decibel, color=LINE, lw=1.3)
    for mode in modes:
        if mode.is_resonant:
            panel.axvline(mode.frequency, color=MARK, lw=0.8, ls=":")
    panel.margins(x=0)
    quiet_axes(panel)


def _draw_poles(panel: Any, modes: Sequence[Mode], zeros: Sequence[complex]) -> None:
    turn = np.linspace(0, 2 * np.pi, 200)
    panel.plot(np.cos(turn), np.sin(turn), color=INK, lw=0.7)
    panel.axhline(0, color=INK, lw=0.4)
    panel.axvline(0, color=INK, lw=0.4)
    poles = [pole for mode in modes for pole in {mode.pole, mode.pole.conjugate()}]
    panel.plot([p.real for p in poles], [p.imag for p in poles], "x", color=LINE, ms=6)
    near = [z for z in zeros if abs(z) <= SHOWN_ZERO_RADIUS]
    panel.plot(
        [z.real for z in near], [z.imag for z in near], "o", mfc="none", mec=MARK, ms=5, mew=1.2
    )
    panel.set_aspect("equal")
    panel.set_xlabel("real part", fontsize=8, color=INK)
    panel.set_ylabel("imaginary part", fontsize=8, color=INK)
    far = len(zeros) - len(near)
    title = "poles ×" + (", zeros ○" if near else "")
    panel.set_title(title + (f" ({far} more outside)" if far else ""), fontsize=8, color=INK)
    quiet_axes(panel)


def plot_static_characteristic(
    curves: Sequence[tuple[Array, Array, Array | None]],
    inputs: Sequence[str],
    outputs: Sequence[str],
    path: str | Path | None = None,
) -> Figure:
    """Plot outputs at rest against each input; ``curves`` are u, y and the linear y."""
    rows = min(len(outputs), MAX_RESPONSE_PANELS)
    figure = figure_of(4.0 * len(curves) + 0.4, max(2.4 * rows + 0.4, 3.2))
    panels = figure.subplots(rows, len(curves), squeeze=False, sharex="col", sharey="row")
    for i, (u, y, linear) in enumerate(curves):
        for o, panel in enumerate(panels[:, i]):
            if linear is not None:
                panel.plot(u, linear[:, o], color=MARK, lw=1.0, ls=(0, (3, 2)))
            panel.plot(u, y[:, o], color=LINE, lw=1.4)
            panel.margins(x=0)
            quiet_axes(panel)
        panels[-1, i].set_xlabel(inputs[i], fontsize=8, color=INK)
    for o, panel in enumerate(panels[:, 0]):
        panel.set_ylabel(f"{outputs[o]} at rest", fontsize=8, color=INK)
    return write_figure(figure, path)


def plot_order(selection: OrderSelection, path: str | Path | None = None) -> Figure:
    """Plot singular values, and the held-out error of every order where it is known."""
    errors = selection.errors
    figure = figure_of(4.2, 3.0) if errors is None else figure_of(7.6, 3.0)
    panels = figure.subplots(1, 1 if errors is None else 2, squeeze=False)[0]
    values = selection.singular_values
    orders = np.arange(1, len(values) + 1)
    kept = orders <= selection.n_states
    panels[0].semilogy(orders, values, "o", color=MARK, ms=4, mfc="none")
    panels[0].semilogy(orders[kept], values[kept], "o", color=LINE, ms=4)
    _label_order(panels[0], "singular value", selection.n_states)
    if errors is not None:
        counts = np.arange(1, len(errors) + 1)
        panels[1].semilogy(counts, errors, ".-", color=MARK, lw=1.0)
        chosen = selection.n_states - 1
        panels[1].semilogy(
            counts[chosen : chosen + 1], errors[chosen : chosen + 1], "o", color=LINE
        )
        _label_order(panels[1], "held-out error (%)", selection.n_states)
    return write_figure(figure, path)


def _label_order(panel: Any, label: str, n_states: int) -> None:
    panel.axvline(n_states, color=LINE, lw=0.8, ls=":")
    panel.set_xlabel("number of states", fontsize=8, color=INK)
    panel.set_ylabel(label, fontsize=8, color=INK)
    panel.xaxis.get_major_locator().set_params(integer=True)
    quiet_axes(panel)
