"""Figure f:MLP_graph: the network's error against r, and its branches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._util.validation import counted
from ...model._function import DecoupledFunction
from ...model._plotting import figure_of
from .. import _published as published
from .._cells import Trial
from ._style import COLOURS, branch_grid, label, legend, log_errors, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_error(trials: Sequence[Trial]) -> Figure:
    """Mean error against r: the published curve, and both methods over the draws."""
    figure = figure_of(6.2, 3.9)
    panel = figure.subplots()
    printed = published.TABLE3_MEANS
    words = "published (implicit, another network)"
    panel.plot(
        *zip(*printed.items(), strict=True), "o--", color=COLOURS["paper"], ms=4, label=words
    )
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
    log_errors(panel)
    panel.set_xticks(list(printed))
    what = "median and range over " if draws > 1 else ""
    title(panel, f"{what}{counted(draws, 'random network')}")
    label(panel, "branches $r$", "mean error on the points (%)")
    legend(panel)
    return figure


def draw_branches(d: DecoupledFunction, method: str) -> Figure:
    """The branches of one method."""
    assert d.fitted_error is not None
    words = f"{method}, r = {d.n_branches}, polynomials of degree 7: "
    words += f"mean error {d.fitted_error.mean():.2g} %"
    if d.solution is not None and d.solution.details.get("identified") is False:
        words += "; others would do as well"
    return branch_grid(d, words)
