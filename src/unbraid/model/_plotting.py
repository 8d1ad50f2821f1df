"""Plots of branches; matplotlib is imported when used."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from .._util.atomic import write_files
from .._util.validation import check_path
from ..errors import InvalidFileError, MissingExtraError
from ._branch import Branch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MARK, LINE, DENSITY = "#222222", "#5b8db8", "#c8402f", "#d9d4c7"
MAX_MARKERS = 400
MAX_LABEL_INPUTS = 3
MIN_LABEL_WEIGHT = 0.05  # of the largest: inputs with less are not in the label
MIN_BAND_HEIGHT = 0.005  # of the height of a curve: a thinner band is not in the legend
DENSITY_BINS, DENSITY_HEIGHT = 24, 6.3  # panels are as many times as high as the histogram
MIN_OMITTED_WEIGHT = 1e-3  # of the largest: omitted inputs with more are shown as dots


def plot_branches(
    branches: Sequence[Branch],
    V: Array | None = None,
    path: str | Path | None = None,
    names: Sequence[str] | None = None,
    spread: Array | None = None,
) -> Figure:
    """Plot one panel per branch: estimate, fit, band and density of the data.

    The estimate is drawn as markers, the fit as a line. ``path`` also writes the figure, in the
    format of its suffix.
    """
    columns = 3 if len(branches) in (5, 6, 9) else min(len(branches), 4)
    rows = -(-len(branches) // columns)
    figure = figure_of(3.3 * columns, 2.9 * rows)
    axes = figure.subplots(rows, columns, squeeze=False)
    for index, panel in enumerate(axes.flat):
        if index >= len(branches):
            panel.set_visible(False)
            continue
        direction = None if V is None else V[:, index]
        draw_branch(panel, branches[index], index, direction, names, spread)
    return write_figure(figure, path)


def figure_of(width: float, height: float) -> Figure:
    """An empty figure of this size in inches."""
    figure_class, canvas = _matplotlib()
    figure: Figure = figure_class(figsize=(width, height), layout="constrained")
    canvas(figure)
    return figure


def write_figure(figure: Figure, path: str | Path | None) -> Figure:
    """Return the figure, after writing it to the path if one is given.

    The suffix of the path selects the format, PNG by default.
    """
    if path is not None:
        path = check_path(path)
        path = path if path.suffix else path.with_name(f"{path.name}.png")
        drawn = io.BytesIO()
        try:
            figure.savefig(drawn, dpi=150, format=path.suffix[1:])
        except ValueError as error:
            raise InvalidFileError(f"cannot write the picture {path}: {error}") from error
        write_files((path, drawn.getvalue()))
    return figure


def quiet_axes(panel: Any) -> None:
    """Small ticks, and no frame at the top and on the right."""
    panel.tick_params(which="both", labelsize=7, colors=INK, length=2.5)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def draw_branch(
    panel: Any,
    branch: Branch,
    index: int,
    direction: Array | None = None,
    names: Sequence[str] | None = None,
    spread: Array | None = None,
) -> None:
    """Draw one branch on matplotlib axes."""
    low, high = branch.interval
    if branch.estimate is not None:  # the data may exceed the range of the curve
        low, high = min(low, branch.estimate[:, 0].min()), max(high, branch.estimate[:, 0].max())
    z = np.linspace(low, high, 400)
    fit = branch(z)
    if branch.estimate is not None:
        marks = branch.estimate
        draw_density(panel, marks[:, 0])
        shown = marks[:: max(1, len(marks) // MAX_MARKERS)]
        panel.plot(*shown.T, "o", ms=4, mfc="none", mec=MARK, mew=0.8, label="estimate", zorder=2)
    if branch.band is not None:
        half = np.interp(z, *branch.band.T)
        label = "band" if half.max() > MIN_BAND_HEIGHT * np.ptp(fit) else None
        panel.fill_between(
            z, fit - half, fit + half, color=LINE, alpha=0.18, lw=0, zorder=2.5, label=label
        )
    panel.plot(z, fit, color=LINE, lw=1.4, label="fit", zorder=3)
    panel.set_ylim(*_vertical_limits(fit, branch))
    panel.set_xlabel(_axis_label(index, direction, names, spread), fontsize=8, color=INK)
    panel.set_ylabel(f"$g_{{{index + 1}}}$", rotation=0, labelpad=8, color=INK)
    quiet_axes(panel)
    panel.margins(x=0.02)
    panel.locator_params(axis="x", nbins=5)
    if index == 0:
        panel.legend(frameon=False, fontsize=7, loc="best")


def _vertical_limits(fit: Array, branch: Branch) -> tuple[float, float]:
    """Vertical limits that show the curve, the markers and part of the band.

    A wide band is cut off, so that the curve and the markers remain visible.
    """
    marks = np.empty(0) if branch.estimate is None else branch.estimate[:, 1]
    low, high = (float(end(np.append(fit, marks))) for end in (np.nanmin, np.nanmax))
    room = high - low if high > low else max(abs(low), 1.0)
    half = 0.0 if branch.band is None else float(np.nanmax(branch.band[:, 1]))
    more = min(half, 0.5 * room) + 0.06 * room
    return low - more, high + more


def draw_density(panel: Any, z: Array) -> None:
    """A histogram along the bottom, a sixth of the panel high."""
    counts, edges = np.histogram(z, DENSITY_BINS)
    panel.stairs(
        counts / (DENSITY_HEIGHT * max(counts.max(), 1)),
        edges,
        fill=True,
        transform=panel.get_xaxis_transform(),  # fractions of the height
        color=DENSITY,
        zorder=0,
    )


def _axis_label(
    index: int, direction: Array | None, names: Sequence[str] | None, spread: Array | None
) -> str:
    """z_i as a sum of the inputs with the largest weights."""
    label = f"$z_{{{index + 1}}}$"
    if direction is None:
        return label
    weight = np.abs(direction) * (1.0 if spread is None else spread)
    heavy = np.flatnonzero(weight >= MIN_LABEL_WEIGHT * weight.max())
    chosen = np.sort(heavy[np.argsort(-weight[heavy], kind="stable")[:MAX_LABEL_INPUTS]])
    text = ""
    for l in chosen.tolist():
        name = f"$p_{{{l + 1}}}$" if names is None else names[l].replace("$", r"\$")
        size = f"{abs(direction[l]):.2g} ".removeprefix("1 ")
        text += f" {'-' if direction[l] < 0 else '+'} {size}{name}"
    text = text.removeprefix(" + ").replace(" - ", "-", text.startswith(" - "))
    more = np.count_nonzero(weight >= MIN_OMITTED_WEIGHT * weight.max()) > chosen.size
    return f"{label} = {text}{' + ...' if more else ''}"


def _matplotlib() -> tuple[Any, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plotting needs matplotlib: pip install 'unbraid[plot]'") from None
    return Figure, FigureCanvasAgg
