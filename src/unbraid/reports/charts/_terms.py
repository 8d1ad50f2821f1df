"""Terms of a function: curves with bands, and contours of interactions."""

from itertools import pairwise
from typing import Any

import numpy as np

from ..._typing import Array, Mask
from ..._util.markup import Markup, tag
from ...model._panels import ContourPanel, CurvePanel
from ...model._parts import Part
from .._model_data import part_data
from .._number_format import format_number
from ._density import count_data, draw_density, make_room
from ._draw import Panel, pad_range, write_text
from ._values import BAND_NAME, ChartValues, Dots, Grid, Line

TERM_CHART_SIZE = 340, 250  # pixels
TERM_DOTS = 150  # points of the estimate, or of the data
TERM_NODES = 150  # points of the curve
CONTOUR_LEVELS = 13  # colours in the style sheet; the middle one is about zero
COLOUR_BAR_WIDTH = 10  # pixels


def curve_chart(panel: CurvePanel, limits: tuple[float, float], labels: tuple[str, str]) -> Markup:
    """Return the chart of a curve; ``limits`` are those of all curves of its output.

    The band is grey where it exceeds the range of the curve.
    """
    step = max(1, len(panel.x) // TERM_NODES)
    x, y = panel.x[::step], panel.y[::step]
    bottom, top = pad_range(limits, 0.08)
    bottom = make_room(bottom, top)
    p = Panel(*TERM_CHART_SIZE, pad_range(np.append(x, panel.data), 0.02), (bottom, top))
    marks = np.empty((0, 2)) if panel.marks is None else panel.marks
    chosen = np.linspace(0, len(marks) - 1, min(TERM_DOTS, len(marks))).astype(int)
    dots = marks[chosen]
    seen = (dots[:, 1] >= bottom) & (dots[:, 1] <= top)
    band = None if panel.band is None else panel.band[::step]
    values = ChartValues(
        names=labels,
        x=x,
        lines=[Line(labels[1], y, "curve"), *([] if band is None else [Line(BAND_NAME, band)])],
        dots=[] if x.size else [Dots(labels[1], *dots[seen].T)],
        bins=count_data(panel.data),
        trace=_trace_point(panel.place),
    )
    return p.draw(
        f"{panel.output} against {panel.axis}: {panel.label}",
        draw_density(p, values.bins),
        p.axes(labels[0], labels[1]),
        [] if band is None else _draw_band(p, x, y, band),
        p.dots(dots[seen, 0], dots[seen, 1], "marks"),
        p.line(x, y, "curve"),
        values=values,
    )


def _trace_point(place: tuple[Part, Part] | None) -> dict[str, Any] | None:
    """Return where a point of the inputs is in a chart."""
    return None if place is None else {"x": part_data(place[0]), "y": part_data(place[1])}


def _draw_band(p: Panel, x: Array, y: Array, half: Array) -> list[Markup]:
    """Return the band; where it is wider than the curve, an area in grey with words."""
    wide = half > np.ptp(y)
    parts = []
    for begin, end in _find_runs(wide):
        rows = slice(begin, min(end + 1, len(x)))
        if wide[begin]:
            edges = np.full(len(x[rows]), p.y.low), np.full(len(x[rows]), p.y.high)
            parts.append(p.area(x[rows], *edges, "undetermined"))
        else:
            low, high = np.clip([y[rows] - half[rows], y[rows] + half[rows]], p.y.low, p.y.high)
            parts.append(p.area(x[rows], low, high, "band"))
    if wide.any():
        place = float(p.x(np.median(x[wide])))
        anchor = "middle" if p.x.start + 50 < place < p.x.end - 50 else "end"
        place = place if anchor == "middle" or place > p.x.start + 90 else p.x.start + 90
        parts.append(write_text(place, p.y.end + 12, "not determined", f"tick {anchor}"))
    return parts


def _find_runs(mask: Mask) -> list[tuple[int, int]]:
    """Return begin and end of every run of equal entries.

    >>> _find_runs(np.array([True, True, False]))
    [(0, 2), (2, 3)]
    """
    edges = [0, *(np.flatnonzero(np.diff(mask.astype(int))) + 1).tolist(), len(mask)]
    return list(pairwise(edges))


def contour_chart(panel: ContourPanel, labels: tuple[str, str], name: str = "") -> Markup:
    """Return an interaction as coloured cells, with dots for the data and a scale.

    ``name`` is what the colours show, by default the output.
    """
    width, height = TERM_CHART_SIZE
    ends = (panel.x[0], panel.x[-1]), (panel.y[0], panel.y[-1])
    p = Panel(width, height, *ends, right=72)
    reach = float(np.abs(panel.values[np.isfinite(panel.values)]).max(initial=0.0)) or 1.0
    inside = (panel.data >= [panel.x[0], panel.y[0]]) & (panel.data <= [panel.x[-1], panel.y[-1]])
    data = panel.data[inside.all(axis=1)]
    dots = data[np.linspace(0, len(data) - 1, min(TERM_DOTS, len(data))).astype(int)]
    return p.draw(
        f"{panel.output} over {panel.axes[0]} and {panel.axes[1]}: {panel.label}",
        _draw_cells(p, panel, reach),
        p.axes(labels[0], labels[1], has_grid=False),
        p.dots(dots[:, 0], dots[:, 1], "data"),
        _draw_scale(p, reach),
        values=ChartValues(
            names=labels,
            grid=Grid(name or panel.output, panel.x, panel.y, panel.values),
            trace=_trace_point(panel.place),
        ),
    )


def _draw_cells(p: Panel, panel: ContourPanel, reach: float) -> list[Markup]:
    """Return one path per colour, of rows of cells; unknown values are left out."""
    values = panel.values
    level = np.clip(np.rint((values / reach + 1) * (CONTOUR_LEVELS - 1) / 2), 0, CONTOUR_LEVELS - 1)
    level = np.where(np.isfinite(values), level, CONTOUR_LEVELS)
    x, y = (_cell_edges(scale(nodes)) for scale, nodes in ((p.x, panel.x), (p.y, panel.y)))
    paths = [""] * (CONTOUR_LEVELS + 1)
    for i, row in enumerate(level.astype(int)):
        runs = np.flatnonzero(np.diff(row)) + 1
        for begin, end in zip([0, *runs.tolist()], [*runs.tolist(), len(row)], strict=True):
            box = f"M{x[begin]:.1f} {y[i]:.1f}H{x[end]:.1f}V{y[i + 1]:.1f}H{x[begin]:.1f}Z"
            paths[row[begin]] += box
    return [tag("path", class_=f"level-{k}", d=path) for k, path in enumerate(paths[:-1]) if path]


def _cell_edges(centres: Array) -> Array:
    """Return the edges of cells; the outer ones end at the centres."""
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([centres[:1], middle, centres[-1:]])


def _draw_scale(p: Panel, reach: float) -> list[Markup]:
    """Return a bar of the colours with the values at its ends and in the middle."""
    left, top, bottom = p.x.end + 10, p.y.end, p.y.start
    size, wide = (bottom - top) / CONTOUR_LEVELS, COLOUR_BAR_WIDTH
    bars = [
        tag(
            "path",
            class_=f"level-{k}",
            d=f"M{left} {bottom - k * size:.1f}h{wide}v{-size:.1f}h{-wide}Z",
        )
        for k in range(CONTOUR_LEVELS)
    ]
    ends = ((-reach, bottom), (0.0, 0.5 * (top + bottom) + 4), (reach, top + 8))
    texts = [write_text(left + wide + 4, y, format_number(v, 2), "tick") for v, y in ends]
    return [*bars, *texts]
