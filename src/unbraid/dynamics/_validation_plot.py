"""The figure of a validation; matplotlib is imported when it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from ..model._plotting import INK, LINE, MARK, figure_of, write_figure
from ._correlation import Correlation
from ._plots import draw_signals, label_axes, make_plot_axis
from ._validation_text import RESIDUAL_NAMES, list_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._validation import Validation

MOST_INPUT_PANELS = 3  # inputs whose correlation with the residuals is drawn
COLUMN_WIDTH, LEAST_WIDTH = 3.1, 9.3  # inches
LEAST_BAR_ROWS = 4  # room of the error bars
ROW_HEIGHT = 7.6  # inches of one output


def plot_validation(
    found: Validation, outputs: Sequence[int], path: str | Path | None = None
) -> Figure:
    """Plot one block of panels per output, one below the other."""
    n_inputs = min(len(found.input_names), MOST_INPUT_PANELS) if found.residuals else 0
    width = max(COLUMN_WIDTH * (1 + n_inputs), LEAST_WIDTH)
    figure = figure_of(width, ROW_HEIGHT * len(outputs))
    blocks = figure.subfigures(len(outputs), 1, squeeze=False)[:, 0]
    for block, output in zip(blocks, outputs, strict=True):
        _draw_output(block, found, output)
    return write_figure(figure, path)


def _draw_output(block: Any, found: Validation, output: int) -> None:
    top, middle, bottom = block.subfigures(3, 1, height_ratios=[1.45, 1, 1])
    name = found.output_names[output]
    parts = [_escape(name)]
    if found.diverges:
        parts.append(f"the simulation diverges at sample {found.simulation.diverged_at}")
    block.suptitle(": ".join(parts), fontsize=10, color=LINE if found.diverges else INK)
    signals, error = top.subplots(2, 1, sharex=True, height_ratios=[1.6, 1])
    measured = np.concatenate([y[:, output] for y in found.measured])
    axis = make_plot_axis(found.sampling_time)
    draw_signals(signals, error, measured, _pad_simulated(found, output), axis)
    _draw_legend(signals)
    signals.margins(x=0.01)
    ends = np.cumsum([len(y) for y in found.measured])
    for end in ends[:-1]:
        for panel in (signals, error):
            panel.axvline(end * axis.step, color=INK, lw=0.5, ls=":")
    _draw_correlations(middle, found, output)
    left, right = bottom.subplots(1, 2)
    _draw_spectrum(left, found, output)
    _draw_errors(right, list_scores(found, output))


def _escape(name: str) -> str:
    """A name that matplotlib does not read as a formula."""
    return name.replace("$", r"\$")


def _pad_simulated(found: Validation, output: int) -> Array:
    """The simulated output of all records; NaN after it diverged."""
    parts = []
    for y, simulated in zip(found.measured, found.simulated, strict=True):
        padded = np.full(len(y), np.nan)
        padded[: len(simulated)] = simulated[:, output]
        parts.append(padded)
    return np.concatenate(parts)


def _draw_correlations(block: Any, found: Validation, output: int) -> None:
    if not found.residuals:
        panel = block.subplots()
        _write(panel, "residuals are not tested: the model diverges")
        return
    test = found.residuals[output]
    inputs = test.inputs[:MOST_INPUT_PANELS]
    panels = np.atleast_1d(block.subplots(1, 1 + len(inputs)))
    kind = RESIDUAL_NAMES[found.residual_kind]
    _draw_correlation(
        panels[0], test.autocorrelation, f"autocorrelation of {kind}", "lag (samples)"
    )
    for panel, part in zip(panels[1:], inputs, strict=True):
        name = _escape(part.signal)
        label = f"samples by which {name} is earlier"
        _draw_correlation(panel, part, f"correlation with {name}", label)
        panel.axvline(0, color=INK, lw=0.5, ls=":")


def _write(panel: Any, text: str) -> None:
    """A panel with a sentence only."""
    panel.set_axis_off()
    where = {"transform": panel.transAxes, "ha": "center", "va": "center"}
    panel.text(0.5, 0.5, text, color=INK, fontsize=8, **where)


def _draw_correlation(panel: Any, part: Correlation, title: str, x_label: str) -> None:
    """Draw coefficients as stems; those outside the limits are in another colour."""
    outside = np.abs(part.values) > part.limit
    panel.axhspan(-part.limit, part.limit, color=MARK, alpha=0.15, lw=0)
    panel.axhline(0, color=INK, lw=0.6)
    for chosen, colour in ((~outside, MARK), (outside, LINE)):
        panel.vlines(part.lags[chosen], 0, part.values[chosen], color=colour, lw=1.2)
        panel.plot(part.lags[chosen], part.values[chosen], "o", color=colour, ms=2.6)
    reach = 1.15 * max(float(np.abs(part.values).max()), 1.6 * part.limit)
    panel.set_ylim(-reach, reach)
    label_axes(panel, x_label, "correlation")
    colour = LINE if part.is_zero is False else INK
    panel.set_title(f"{title}\n{_judge(part)}", fontsize=8, color=colour)


def _judge(part: Correlation) -> str:
    words = {True: "no correlation found", False: "correlated", None: "not tested"}
    return f"{words[part.is_zero]}; shaded: {100 * part.confidence:g} % limits"


def _draw_spectrum(panel: Any, found: Validation, output: int) -> None:
    spectrum = found.spectrum
    unit = "cycles per sample" if spectrum is None else spectrum.unit
    label_axes(panel, f"frequency ({unit})", "power density (dB)")
    if spectrum is None:
        _write(panel, "no spectrum: the simulation diverges or is short")
        return
    shown = (spectrum.output, MARK, "measured output"), (spectrum.error, INK, "simulation error")
    for table, colour, name in shown:
        power = table[:, output]
        if power.max() > 0:
            decibel = 10 * np.log10(np.maximum(power, 1e-20 * power.max()))
            panel.plot(spectrum.frequency, decibel, color=colour, lw=0.9, label=name)
    panel.margins(x=0)
    if panel.lines:
        _draw_legend(panel)


def _draw_legend(panel: Any) -> None:
    """Above the panel, where it covers nothing."""
    where = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.1}
    panel.legend(frameon=False, fontsize=7, ncols=2, **where)


def _draw_errors(panel: Any, scores: Sequence[tuple[str, float]]) -> None:
    """Bars of errors in percent; an infinite error is only written."""
    names = [name for name, _ in scores]
    values = np.array([value for _, value in scores])
    finite = np.isfinite(values)
    largest = float(values[finite].max(initial=0.0)) or 1.0
    colours = [LINE if name == "simulation" else MARK for name in names]
    rows = np.arange(len(names))
    panel.barh(rows, np.where(finite, values, 0.0), color=colours, height=0.62)
    for row, value in zip(rows, values, strict=True):
        text = f" {value:.3g}" if np.isfinite(value) else " infinite"
        end = value if np.isfinite(value) else 0.0
        panel.text(end, row, text, va="center", fontsize=7, color=INK)
    panel.set_xlim(0, 1.18 * largest)
    label_axes(panel, "error (% of the spread of the output)", "")
    panel.set_yticks(rows, names, fontsize=7)
    panel.set_ylim(max(len(names), LEAST_BAR_ROWS) - 0.5, -0.5)
