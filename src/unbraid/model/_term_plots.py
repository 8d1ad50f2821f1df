"""Plots of the terms of a function; matplotlib is imported when used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidOptionError
from ._panels import BarPanel, ContourPanel, CurvePanel, Panel, title_panel
from ._plotting import (
    INK,
    LINE,
    MARK,
    MAX_MARKERS,
    draw_density,
    figure_of,
    quiet_axes,
    write_figure,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_WIDTH, PANEL_HEIGHT = 3.2, 2.7  # inches
MAX_TITLE_LENGTH = 44  # characters
MAX_AXIS_LENGTH = 46  # characters
MAX_SIDE_LENGTH = 30  # characters
PANEL_MARGIN = 0.08  # of the vertical range of an output
UNDETERMINED = "#9a9a9a"


def plot_terms(
    panels: Sequence[Panel],
    n_left_out: int = 0,
    path: str | Path | None = None,
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> Figure:
    """Plot one panel per term, those with the largest shares first.

    All panels of an output have the same vertical scale. ``ax`` are axes to draw on, one or
    several; by default a new figure is made.
    """
    figure, axes = _make_axes(len(panels), ax, figsize)
    shown = panels[: len(axes)]
    limits = find_vertical_ranges(shown)
    for panel, place in zip(shown, axes, strict=False):
        if isinstance(panel, CurvePanel):
            draw_curve_panel(place, panel, limits[panel.output])
        elif isinstance(panel, ContourPanel):
            _draw_contours(place, panel)
        else:
            _draw_bars(place, panel)
    for place in axes[len(shown) :]:
        place.set_visible(False)
    if not shown and axes:
        axes[0].set_visible(True)
        axes[0].set_axis_off()
        axes[0].text(0.5, 0.5, "the outputs are constant", ha="center", color=INK, fontsize=9)
    if n_left_out and ax is None:
        text = f"the {len(shown)} largest of {len(shown) + n_left_out} terms"
        figure.suptitle(text, fontsize=9, color=INK)
    return write_figure(figure, path)


def _make_axes(
    count: int, ax: Any, figsize: tuple[float, float] | None
) -> tuple[Figure, list[Any]]:
    """The figure and its axes: those of the user, or new ones."""
    if ax is not None:
        axes = list(np.ravel(np.asarray(ax, dtype=object)))
        if not axes or not all(hasattr(place, "plot") for place in axes):
            raise InvalidOptionError(f"ax is {ax!r}: pass matplotlib axes, one or several")
        return axes[0].figure, axes
    columns = 3 if count in (3, 5, 6, 9) else min(max(count, 1), 4)
    rows = max(-(-count // columns), 1)
    width, height = figsize or (PANEL_WIDTH * columns, PANEL_HEIGHT * rows)
    figure = figure_of(width, height)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def find_vertical_ranges(panels: Sequence[Panel]) -> dict[str, tuple[float, float]]:
    """Lowest and highest value of every output, over all of its curves."""
    found: dict[str, tuple[float, float]] = {}
    for panel in panels:
        if not isinstance(panel, CurvePanel):
            continue
        marks = np.empty(0) if panel.y.size or panel.marks is None else panel.marks[:, 1]
        values = np.append(panel.y, marks)
        low, high = found.get(panel.output, (np.inf, -np.inf))
        found[panel.output] = (
            min(low, float(np.nanmin(values))),
            max(high, float(np.nanmax(values))),
        )
    return found


def draw_curve_panel(place: Any, panel: CurvePanel, limits: tuple[float, float]) -> None:
    """Draw a curve with its band, the estimate and a histogram of the data."""
    draw_density(place, panel.data)
    if panel.marks is not None:
        shown = panel.marks[:: max(1, len(panel.marks) // MAX_MARKERS)]
        place.plot(*shown.T, "o", ms=2.5, mfc="none", mec=MARK, mew=0.5, alpha=0.6, zorder=2)
    room = PANEL_MARGIN * (limits[1] - limits[0]) or 1.0
    bottom, top = limits[0] - room, limits[1] + room
    if panel.band is not None:
        _draw_band(place, panel, bottom, top)
    place.plot(panel.x, panel.y, color=LINE, lw=1.5, zorder=3)
    place.set_ylim(bottom, top)
    _label_panel(place, panel, panel.axis, panel.output)
    place.margins(x=0.02)


def _draw_band(place: Any, panel: CurvePanel, bottom: float, top: float) -> None:
    """Draw the band inside the panel; grey where it exceeds the range of the curve."""
    assert panel.band is not None
    wide = panel.band > np.ptp(panel.y)
    low, high = (np.clip(panel.y + s * panel.band, bottom, top) for s in (-1, 1))
    place.fill_between(panel.x, low, high, where=~wide, color=LINE, alpha=0.18, lw=0, zorder=2.5)
    if not wide.any():
        return
    place.fill_between(
        panel.x, bottom, top, where=wide, color=UNDETERMINED, alpha=0.3, lw=0, zorder=1
    )
    place.text(
        float(np.median(panel.x[wide])),
        top,
        "not determined",
        ha="center",
        va="top",
        fontsize=7,
        color=INK,
    )


def _draw_contours(place: Any, panel: ContourPanel) -> None:
    """Draw an interaction as filled contours, with the data as dots."""
    reach = float(np.abs(panel.values).max()) or 1.0
    drawn = place.contourf(
        panel.x, panel.y, panel.values, levels=np.linspace(-reach, reach, 15), cmap="RdBu_r"
    )
    data = panel.data[:: max(1, len(panel.data) // MAX_MARKERS)]
    place.plot(*data.T, ".", ms=1.5, color=INK, alpha=0.25)
    place.set_xlim(panel.x[0], panel.x[-1])
    place.set_ylim(panel.y[0], panel.y[-1])
    bar = place.figure.colorbar(drawn, ax=place, pad=0.02)
    bar.ax.tick_params(labelsize=6, colors=INK, length=2)
    bar.outline.set_visible(False)
    bar.locator = _few_ticks()
    bar.update_ticks()
    _label_panel(place, panel, *panel.axes)


def _draw_bars(place: Any, panel: BarPanel) -> None:
    """Draw the effects of the inputs on a linear part as horizontal bars."""
    rows = np.arange(len(panel.names))
    place.barh(rows, panel.effects, color=MARK, height=0.65)
    place.axvline(0, color=INK, lw=0.6)
    names = [_wrap(name, MAX_SIDE_LENGTH) for name in panel.names]
    place.invert_yaxis()
    _label_panel(place, panel, f"slope times spread, in {panel.output}", "")
    place.set_yticks(rows, names)


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def _label_panel(place: Any, panel: Panel, x: str, y: str) -> None:
    place.set_title(_wrap(title_panel(panel), MAX_TITLE_LENGTH), fontsize=8, color=INK, loc="left")
    place.set_xlabel(_wrap(x, MAX_AXIS_LENGTH), fontsize=8, color=INK)
    place.set_ylabel(_wrap(y, MAX_SIDE_LENGTH), fontsize=8, color=INK)
    place.locator_params(axis="x", nbins=5)
    place.locator_params(axis="y", nbins=5)
    quiet_axes(place)


def _wrap(text: str, length: int) -> str:
    """Text that matplotlib shows as it is, on two lines at most.

    >>> _wrap("0.72 p1 - 0.69 p2 (standardised)", 20)
    '0.72 p1 - 0.69 p2\\n(standardised)'
    """
    lines = wrap(text, length, max_lines=2, placeholder=" …") or [""]
    return "\n".join(lines).replace("$", r"\$")
