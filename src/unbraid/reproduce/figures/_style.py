"""Axes, labels and grids of branches that all figures share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model._function import DecoupledFunction
from ...model._plotting import INK, LINE, MARK, draw_branch, figure_of, quiet_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEAL = "#2a8c82"
COLOURS = {"varpro": LINE, "implicit": MARK, "explicit": TEAL, "paper": INK}


def set_labels(panel: Any, x: str, y: str) -> None:
    """Name the axes, in the style of all figures."""
    panel.set_xlabel(x, fontsize=8, color=INK)
    panel.set_ylabel(y, fontsize=8, color=INK)
    quiet_axes(panel)


def add_legend(panel: Any, where: str = "best") -> None:
    panel.legend(frameon=False, fontsize=7, loc=where)


def set_title(panel: Any, text: str) -> None:
    """Write a title from the left edge of a panel; it may extend over the whole row."""
    panel.set_title(text, fontsize=8.5, color=INK, loc="left")


def set_log_errors(panel: Any) -> None:
    """Make the axis of errors logarithmic, with labels at 1, 2 and 5 of every decade."""
    from matplotlib.ticker import LogLocator, NullFormatter

    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_formatter(NullFormatter())


def set_margins(figure: Figure, rows: int, columns: int) -> None:
    """Leave fixed room for labels around every panel: faster than a layout engine."""
    width, height = figure.get_size_inches()
    figure.set_layout_engine(None)
    across, along = 0.75, 0.72  # inches between panels
    left, right, bottom, top = 0.75, 0.12, 0.5, 0.35  # inches around all of them
    panel_width = (width - left - right - across * (columns - 1)) / columns
    panel_height = (height - bottom - top - along * (rows - 1)) / rows
    figure.subplots_adjust(
        left / width,
        bottom / height,
        1 - right / width,
        1 - top / height,
        across / panel_width,
        along / panel_height,
    )


def draw_branch_rows(functions: Sequence[tuple[str, DecoupledFunction]]) -> Figure:
    """Draw one row per function, under its title, and one panel per branch."""
    columns = max(d.n_branches for _, d in functions)
    figure = figure_of(2.7 * columns, 2.45 * len(functions))
    panels = figure.subplots(len(functions), columns, squeeze=False)
    for row, (text, d) in zip(panels, functions, strict=True):
        _draw_branches(row, d)
        set_title(row[0], text)
    set_margins(figure, *panels.shape)
    return figure


def draw_branch_grid(d: DecoupledFunction, text: str, columns: int = 5) -> Figure:
    """Draw one panel per branch of one function, in rows of so many columns."""
    rows = -(-d.n_branches // columns)
    figure = figure_of(2.5 * columns, 2.4 * rows + 0.2)
    _draw_branches(figure.subplots(rows, columns, squeeze=False), d)
    figure.suptitle(text, fontsize=9, color=INK)
    set_margins(figure, rows, columns)
    return figure


def _draw_branches(panels: np.ndarray[Any, Any], d: DecoupledFunction) -> None:
    """Draw branches without bands, as the paper does; hide other panels."""
    for i, panel in enumerate(panels.flat):
        if i < d.n_branches:
            draw_branch(panel, replace(d.branches[i], band=None), i, d.V[:, i])
        else:
            panel.set_visible(False)
