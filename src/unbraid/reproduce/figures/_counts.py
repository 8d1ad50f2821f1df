"""Figure f:para_count: parameters of coupled over decoupled polynomials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model._plotting import INK, LINE, figure_of
from .. import _published as published
from .._counts import count_decoupled, count_monomials
from ._style import add_legend, set_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INPUTS_DRAWN = range(1, 11)
DEGREES_DRAWN = range(2, 11)
DARK, LIGHT = np.array([0.10, 0.25, 0.42]), np.array([0.66, 0.79, 0.89])  # colours (RGB)


def compute_ratio(n_inputs: int, degree: int, n_branches: int) -> float:
    """Return monomials over decoupled parameters, one output, no constants.

    >>> round(compute_ratio(5, 5, 3), 1)
    7.6
    """
    decoupled = count_decoupled(n_inputs, 1, degree, n_branches)
    return count_monomials(n_inputs, 1, degree) / decoupled


def draw_counts() -> Figure:
    """Draw the ratio over the inputs, one line per degree and number of branches."""
    figure = figure_of(6.6, 4.4)
    panel = figure.subplots()
    last = INPUTS_DRAWN[-1]
    for degree, share in zip(DEGREES_DRAWN, np.linspace(0, 1, len(DEGREES_DRAWN)), strict=True):
        colour = tuple(LIGHT + share * (DARK - LIGHT))
        for r, style in ((1, "-"), (3, "--")):
            ratios = [compute_ratio(m, degree, r) for m in INPUTS_DRAWN]
            label = f"r = {r}" if share == 1 else None
            panel.plot(INPUTS_DRAWN, ratios, style, color=colour, lw=1.2, label=label)
        end, offset = (last, compute_ratio(last, degree, 1)), (4, -2)
        name = f"d = {degree}"
        panel.annotate(name, end, offset, textcoords="offset points", fontsize=6.5, color=INK)
    panel.axhline(1, color=INK, lw=0.9, ls=":")
    printed, correct = published.TABLE2_RATIOS[3], compute_ratio(5, 5, 3)
    panel.plot(5, printed, "o", ms=7, mfc="white", mec=LINE, label=f"in the paper: {printed:g}")
    panel.plot(5, correct, "o", ms=7, color=LINE, label=f"m = 5, d = 5, r = 3: {correct:.1f}")
    panel.set_yscale("log")
    panel.set_xticks(INPUTS_DRAWN)
    panel.set_xlim(0.8, last + 0.9)
    set_labels(panel, "inputs $m$", r"$\theta_C\,/\,\theta_D$")
    add_legend(panel, "upper left")
    return figure
