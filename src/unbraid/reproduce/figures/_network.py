"""Figure f:MLP_graph: the network's error against r, and its branches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._util.validation import count_noun
from ...model._function import DecoupledFunction
from ...model._plotting import figure_of
from .. import _published as published
from .._results import Trial
from ._style import COLOURS, add_legend, draw_branch_grid, set_labels, set_log_errors, set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_error(trials: Sequence[Trial]) -> Figure:
    """Draw the mean error against r: published, and of both methods over the draws."""
    figure = figure_of(6.2, 3.9)
    panel = figure.subplots()
    printed = published.TABLE3_MEANS
    label = "published (implicit, another network)"
    panel.plot([*printed], [*printed.values()], "o--", color=COLOURS["paper"], ms=4, label=label)
    draws = len({trial.draw for trial in trials})
    for method in ("implicit", "varpro"):
        branches = sorted({t.n_branches for t in trials if t.method == method})
        errors = [
            [t.error for t in trials if (t.method, t.n_branches) == (method, r)] for r in branches
        ]
        colour = COLOURS[method]
        middle = [float(np.median(each)) for each in errors]
        panel.plot(branches, middle, "s-", color=colour, ms=4, lw=1.3, label=method)
        if draws > 1:
            low, high = [min(each) for each in errors], [max(each) for each in errors]
            panel.fill_between(branches, low, high, color=colour, alpha=0.15, lw=0)
    set_log_errors(panel)
    panel.set_xticks(list(printed))
    prefix = "median and range over " if draws > 1 else ""
    set_title(panel, f"{prefix}{count_noun(draws, 'random network')}")
    set_labels(panel, "branches $r$", "mean error on the points (%)")
    add_legend(panel)
    return figure


def draw_branches(d: DecoupledFunction, method: str) -> Figure:
    """Draw the branches of one method."""
    assert d.fitted_error is not None
    text = f"{method}, r = {d.n_branches}, polynomials of degree 7: "
    text += f"mean error {d.fitted_error.mean():.2g} %"
    if d.solution is not None and d.solution.identified is False:
        text += "; not unique"
    return draw_branch_grid(d, text)
