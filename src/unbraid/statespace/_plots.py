"""Figures of state-space models; matplotlib is imported when a figure is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..dynamics._plots import draw_bars
from ..model._function import DecoupledFunction
from ..model._plotting import draw_branch, figure_of, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_state_branches(
    d: DecoupledFunction,
    inputs: Sequence[str],
    outputs: Sequence[str],
    path: str | Path | None = None,
) -> Figure:
    """Plot the branches, the shares of states and inputs in z, and where g enters.

    The entries of V are multiplied by the spread of their signal.
    """
    spread = np.ones(d.n_inputs) if d.spread is None else d.spread
    shares = d.V * spread[:, None]
    figure = figure_of(3.3 * d.n_branches, 5.6)
    panels = figure.subplots(3, d.n_branches, squeeze=False, height_ratios=[2, 1, 0.8])
    for i, branch in enumerate(d.branches):
        draw_branch(panels[0, i], branch, i)
        largest = np.abs(shares).max()
        draw_bars(panels[1, i], shares[:, i], inputs, f"$v_{{{i + 1}}}$", largest)
        draw_bars(panels[2, i], d.W[:, i], outputs, f"$w_{{{i + 1}}}$", np.abs(d.W).max())
    return write_figure(figure, path)
