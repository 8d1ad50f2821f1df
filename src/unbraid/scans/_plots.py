"""Pictures of a scan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model._plotting import INK, LINE, MARK, figure_of, quiet_axes, write_figure
from ._row import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MARKS = ("o", "s", "^", "D", "v", "P")
LEAST = 1e-13  # %: errors below it are drawn on it
REFERENCE = "#777777"
SHORT = 1e3  # high over low of an axis where numbers between powers of ten are written


def plot_scan(
    rows: Sequence[Row],
    front: Sequence[Row],
    reference: float | None,
    kind: str,
    path: str | Path | None = None,
) -> Figure:
    """Error against r and against the parameters; one marker per method, and the Pareto front."""
    figure = figure_of(8.6, 3.6)
    left, right = figure.subplots(1, 2, sharey=True)
    shown = [row for row in rows if row.error is not None and math.isfinite(row.error)]
    for panel, column in ((left, "n_branches"), (right, "n_parameters")):
        _points(panel, shown, column)
        if reference is not None and math.isfinite(reference):
            panel.axhline(reference, color=REFERENCE, lw=1, ls="--", label="reference")
        panel.set_yscale("log")
        quiet_axes(panel)
        _plain_numbers(panel)
    front = [row for row in front if row in shown]
    right.plot(
        [row.n_parameters for row in front],
        [max(row.error or 0.0, LEAST) for row in front],
        color=LINE,
        lw=1.2,
        zorder=1,
        label="Pareto front",
    )
    tested = any(row.held_out_error is not None for row in shown)
    held = "test" if kind == "narx" else "held-out"
    left.set_ylabel(f"{held if tested else 'training'} error (%)", color=INK, fontsize=9)
    left.set_xlabel("branches", color=INK, fontsize=9)
    right.set_xlabel("numbers stored", color=INK, fontsize=9)
    for panel in (left, right):
        panel.xaxis.get_major_locator().set_params(integer=True)
    right.legend(frameon=False, fontsize=7)
    return write_figure(figure, path)


def _plain_numbers(panel: Any) -> None:
    """1, 2, 5, 10, ... along a short logarithmic axis, powers of ten along a long one."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = panel.get_ylim()
    short = high < SHORT * low
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    panel.yaxis.set_major_formatter(plain)
    panel.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    panel.yaxis.set_minor_formatter(plain if short else NullFormatter())


def _points(panel: Any, rows: list[Row], column: str) -> None:
    methods = list(dict.fromkeys(str(row.settings.get("method", "")) for row in rows))
    for k, method in enumerate(methods):
        chosen = [row for row in rows if str(row.settings.get("method", "")) == method]
        panel.plot(
            [getattr(row, column) for row in chosen],
            [max(row.error or 0.0, LEAST) for row in chosen],
            MARKS[k % len(MARKS)],
            ms=5,
            mfc="none" if k else MARK,
            mec=MARK,
            label=method,
        )
