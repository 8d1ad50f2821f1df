"""Figure f:para_count: coupled against decoupled, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model._plotting import INK, LINE, figure_of
from .. import _published as published
from .._counts import decoupled, monomials
from ._style import label, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_INPUTS = 10
DEGREES = range(2, 11)
DARK, LIGHT = np.array([0.10, 0.25, 0.42]), np.array([0.66, 0.79, 0.89])


def ratio(n_inputs: int, degree: int, n_branches: int) -> float:
    """Monomials over numbers of the decoupled form, one output, no constants.

    >>> round(ratio(5, 5, 3), 1)
    7.6
    """
    return monomials(n_inputs, 1, degree) / decoupled(n_inputs, 1, degree, n_branches)


def draw_counts() -> Figure:
    """The ratio over the number of inputs, a line a degree; one branch, and three."""
    figure = figure_of(6.6, 4.4)
    panel = figure.subplots()
    inputs = np.arange(1, MOST_INPUTS + 1)
    for degree in DEGREES:
        share = (degree - DEGREES[0]) / (len(DEGREES) - 1)
        colour = tuple(LIGHT + share * (DARK - LIGHT))
        for r, style in ((1, "-"), (3, "--")):
            curve = [ratio(m, degree, r) for m in inputs.tolist()]
            panel.plot(inputs, curve, style, color=colour, lw=1.2)
            if r == 1:
                panel.annotate(
                    f"d = {degree}",
                    (inputs[-1], curve[-1]),
                    (4, -2),
                    textcoords="offset points",
                    fontsize=6.5,
                    color=INK,
                )
    panel.plot([], [], "-", color=tuple(DARK), label="r = 1")
    panel.plot([], [], "--", color=tuple(DARK), label="r = 3")
    panel.axhline(1, color=INK, lw=0.9, ls=":")
    printed = published.TABLE2_RATIOS[3]
    panel.plot(5, printed, "o", ms=7, mfc="white", mec=LINE, label=f"the paper's dot: {printed:g}")
    right = ratio(5, 5, 3)
    panel.plot(5, right, "o", ms=7, color=LINE, label=f"m = 5, d = 5, r = 3: {right:.1f}")
    panel.set_yscale("log")
    panel.set_xticks(inputs)
    panel.set_xlim(0.8, MOST_INPUTS + 0.9)
    label(panel, "inputs $m$", r"$\theta_C\,/\,\theta_D$")
    legend(panel, "upper left")
    return figure
