"""The picture of a scan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model._plotting import INK, LINE, MARK, figure_of, quiet_axes, write_figure
from ._row import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


METHOD_MARKERS = ("o", "s", "^", "D", "v", "P")
LEAST_DRAWN_PERCENT = 1e-13  # smaller errors are drawn at this value
REFERENCE_COLOUR = "#777777"
SHORT_AXIS_RATIO = 1e3  # largest over smallest error up to which minor ticks have labels


def plot_scan(
    rows: Sequence[Row],
    front: Sequence[Row],
    reference: float | None,
    dynamic: bool,
    path: str | Path | None = None,
) -> Figure:
    """Draw errors against branches and against parameters, with the Pareto front."""
    figure = figure_of(8.6, 3.6)
    left, right = figure.subplots(1, 2, sharey=True)
    shown = [row for row in rows if row.error is not None and math.isfinite(row.error)]
    for panel, column, label in (
        (left, "n_branches", "branches"),
        (right, "n_parameters", "parameters"),
    ):
        _draw_rows(panel, shown, column)
        if reference is not None and math.isfinite(reference):
            panel.axhline(reference, color=REFERENCE_COLOUR, lw=1, ls="--", label="reference")
        panel.set_yscale("log")
        quiet_axes(panel)
        _label_ticks(panel)
        panel.set_xlabel(label, color=INK, fontsize=9)
        panel.xaxis.get_major_locator().set_params(integer=True)
    front = [row for row in front if row in shown]
    sizes = [row.n_parameters for row in front]
    right.plot(sizes, _heights(front), color=LINE, lw=1.2, zorder=1, label="Pareto front")
    tested = any(row.held_out_error is not None for row in shown)
    held = "test" if dynamic else "held-out"
    left.set_ylabel(f"{held if tested else 'training'} error (%)", color=INK, fontsize=9)
    right.legend(frameon=False, fontsize=7)
    return write_figure(figure, path)


def _label_ticks(panel: Any) -> None:
    """Label powers of ten, and on a short axis also 2 and 5 of every decade."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = panel.get_ylim()
    general = FuncFormatter(lambda value, _: f"{value:g}")
    panel.yaxis.set_major_formatter(general)
    panel.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    panel.yaxis.set_minor_formatter(general if high < SHORT_AXIS_RATIO * low else NullFormatter())


def _draw_rows(panel: Any, rows: list[Row], column: str) -> None:
    """Draw one marker per row, of one kind per method."""
    methods: dict[str, list[Row]] = {}
    for row in rows:
        methods.setdefault(str(row.settings.get("method", "")), []).append(row)
    for k, (method, chosen) in enumerate(methods.items()):
        panel.plot(
            [getattr(row, column) for row in chosen],
            _heights(chosen),
            METHOD_MARKERS[k % len(METHOD_MARKERS)],
            ms=5,
            mfc="none" if k else MARK,
            mec=MARK,
            label=method,
        )


def _heights(rows: Sequence[Row]) -> list[float]:
    return [max(row.error or 0.0, LEAST_DRAWN_PERCENT) for row in rows]
