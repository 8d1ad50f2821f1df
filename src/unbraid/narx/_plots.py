"""Figures of NARX models; matplotlib is imported when a figure is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._typing import Array
from ..dynamics._plots import draw_bars
from ..model._branch import Branch
from ..model._plotting import draw_branch, figure_of, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_narx_branches(
    branches: Sequence[Branch],
    W: Array,
    V: Array,
    names: Sequence[str],
    outputs: Sequence[str],
    path: str | Path | None = None,
) -> Figure:
    """Plot the branches, the entries of V, and those of W for several outputs."""
    n, r = W.shape
    heights = [2, 1, 0.8] if n > 1 else [2, 1]
    figure = figure_of(3.3 * r, 5.6 if n > 1 else 4.4)
    panels = figure.subplots(len(heights), r, squeeze=False, height_ratios=heights)
    names = [name.replace("-", "\N{MINUS SIGN}") for name in names]
    for i, branch in enumerate(branches):
        draw_branch(panels[0, i], branch, i)
        draw_bars(panels[1, i], V[:, i], names, f"$v_{{{i + 1}}}$", np.abs(V).max())
        if n > 1:
            draw_bars(panels[2, i], W[:, i], outputs, f"$w_{{{i + 1}}}$", np.abs(W).max())
    return write_figure(figure, path)
