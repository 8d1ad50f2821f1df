"""What all figures have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...model._function import DecoupledFunction
from ...model._plotting import INK, LINE, MARK, draw_branch, figure_of, quiet_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEAL = "#2a8c82"
COLOURS = {"varpro": LINE, "implicit": MARK, "explicit": TEAL, "paper": INK}


def label(panel: Any, x: str, y: str) -> None:
    """Named axes, in the style of all pictures here."""
    panel.set_xlabel(x, fontsize=8, color=INK)
    panel.set_ylabel(y, fontsize=8, color=INK)
    quiet_axes(panel)


def legend(panel: Any, where: str = "best") -> None:
    panel.legend(frameon=False, fontsize=7, loc=where)


def title(panel: Any, words: str) -> None:
    """Above a panel, from its left edge on: it may speak for the whole row."""
    panel.set_title(words, fontsize=8.5, color=INK, loc="left")


def log_errors(panel: Any) -> None:
    """A logarithmic axis of errors, with plain numbers at 1, 2 and 5 of every decade."""
    from matplotlib.ticker import LogLocator, NullFormatter

    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_formatter(NullFormatter())


def set_margins(figure: Figure, rows: int, columns: int) -> None:
    """Room for labels around every panel, in inches: quicker than to search for it."""
    width, height = figure.get_size_inches()
    figure.set_layout_engine(None)
    across, along = 0.75, 0.72  # between panels
    left, right, bottom, top = 0.75, 0.12, 0.5, 0.35  # around all of them
    panel = (width - left - right - across * (columns - 1)) / columns
    tall = (height - bottom - top - along * (rows - 1)) / rows
    figure.subplots_adjust(
        left / width,
        bottom / height,
        1 - right / width,
        1 - top / height,
        across / panel,
        along / tall,
    )


def branch_rows(functions: Sequence[tuple[str, DecoupledFunction]]) -> Figure:
    """A row a function, under its title, and a panel a branch."""
    columns = max(d.n_branches for _, d in functions)
    figure = figure_of(2.7 * columns, 2.45 * len(functions))
    panels = figure.subplots(len(functions), columns, squeeze=False)
    for row, (words, d) in zip(panels, functions, strict=True):
        for i, panel in enumerate(row):
            if i < d.n_branches:
                _draw(panel, d, i)
            else:
                panel.set_visible(False)
        title(row[0], words)
    set_margins(figure, *panels.shape)
    return figure


def _draw(panel: Any, d: DecoupledFunction, i: int) -> None:
    """A branch without its band, which the paper does not have."""
    draw_branch(panel, replace(d.branches[i], band=None), i, d.V[:, i])


def branch_grid(d: DecoupledFunction, words: str, columns: int = 5) -> Figure:
    """All branches, so many a row."""
    rows = -(-d.n_branches // columns)
    figure = figure_of(2.5 * columns, 2.4 * rows + 0.2)
    for i, panel in enumerate(figure.subplots(rows, columns, squeeze=False).flat):
        if i < d.n_branches:
            _draw(panel, d, i)
        else:
            panel.set_visible(False)
    figure.suptitle(words, fontsize=9, color=INK)
    set_margins(figure, rows, columns)
    return figure
