"""Figures f:NARX_results and f:NARX_r3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model._plotting import INK, figure_of
from .. import _published as published
from .._narx import NarxModels
from .._results import PaperTable
from ._style import COLOURS, add_legend, set_labels, set_log_errors, set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_results(table: PaperTable, real: bool) -> Figure:
    """Draw the error on the arrow against r, before and after refinement."""
    figure = figure_of(6.2, 3.9)
    panel = figure.subplots()
    for method in ("explicit", "varpro"):
        colour = COLOURS[method]
        for name, mark, style, inside in (
            (method, "o", ":", "none"),
            (f"{method} + refine", "*", "-", colour),
        ):
            cells = [cell for cell in table.cells if cell.method == name]
            branches = [cell.n_branches or 0 for cell in cells]
            errors = [cell.spread[1] for cell in cells]
            size = 8 if mark == "*" else 5
            panel.plot(
                branches, errors, mark + style, color=colour, mfc=inside, ms=size, lw=1, label=name
            )
    (line,) = (cell.spread[1] for cell in table.cells if cell.method == "reference")
    panel.axhline(line, color=INK, lw=1.1, ls="--", label=f"reference: {line:.3g} %")
    where = "Silverbox" if real else "simulated twin, not the Silverbox"
    set_title(panel, f"{where} (the paper's reference: {published.REFERENCE_ERROR:g} %)")
    set_log_errors(panel)
    panel.set_xticks(branches)
    set_labels(panel, "branches $r$", "free-run error on the arrow (%)")
    add_legend(panel)
    return figure


def draw_branches(models: NarxModels, method: str) -> Figure:
    """Draw the refined model with three branches, and the weights of the lags."""
    figure = models.decoupled[f"{method} + refine", 3].plot_branches()
    for panel in figure.axes[:3]:
        panel.locator_params(axis="x", nbins=5)
    where = "Silverbox" if models.real else "simulated twin"
    figure.suptitle(f"{method}, refined, r = 3 ({where})", fontsize=9, color=INK)
    return figure
