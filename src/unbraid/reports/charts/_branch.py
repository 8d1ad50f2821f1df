"""One branch: curve, band, estimate, and a histogram of the data."""

import numpy as np

from ..._typing import Array
from ..._util.markup import Markup
from ...model._branch import Branch
from .._number_format import format_subscript
from ._density import count_data, draw_density, make_room
from ._draw import Panel, pad_range
from ._values import BAND_NAME, ChartValues, Line

BRANCH_CHART_SIZE = 340, 250  # pixels
CURVE_NODES = 240  # points of the curve
MOST_DOTS = 150  # points of the estimate
AXIS_LABEL_LENGTH = 40  # characters


def branch_chart(branch: Branch, number: int, direction: str, z: Array | None = None) -> Markup:
    """Return the chart of a branch; ``z`` of the data replaces a missing estimate."""
    estimate = np.empty((0, 2)) if branch.estimate is None else branch.estimate
    data = z if branch.estimate is None else estimate[:, 0]
    low, high = _find_range(branch, data)
    nodes = np.linspace(low, high, CURVE_NODES)
    g = branch(nodes)
    chosen = np.linspace(0, len(estimate) - 1, min(MOST_DOTS, len(estimate))).astype(int)
    dots = estimate[chosen]
    half = None if branch.band is None else np.interp(nodes, *branch.band.T)
    bottom, top = _find_height(g, dots[:, 1], half)
    if data is not None:  # the histogram is below the curve
        bottom = make_room(bottom, top)
    p = Panel(*BRANCH_CHART_SIZE, pad_range(nodes, 0.02), (bottom, top))
    subscript = format_subscript(number)
    values = ChartValues(
        names=(f"s{subscript}", f"g{subscript}"),
        x=nodes,
        lines=[
            Line(f"g{subscript}", g, "curve"),
            *([] if half is None else [Line(BAND_NAME, half)]),
        ],
        bins=count_data(data),
        trace={"branch": number - 1},
    )
    label = f"s{subscript}, along {direction}"
    return p.draw(
        f"branch {number}: g{number} against s{number}, from {low:.3g} to {high:.3g}",
        draw_density(p, values.bins),
        p.axes(
            label if len(label) <= AXIS_LABEL_LENGTH else f"s{subscript}",
            f"g{subscript}(s{subscript})",
        ),
        [] if half is None else _draw_band(p, nodes, g, half),
        p.dots(dots[:, 0], dots[:, 1], "marks"),
        p.line(nodes, g, "curve"),
        values=values,
    )


def _find_range(branch: Branch, data: Array | None) -> tuple[float, float]:
    """Return a range that contains the interval of the curve and the data."""
    low, high = branch.interval
    if data is not None and data.size:
        low, high = min(low, float(data.min())), max(high, float(data.max()))
    return low, high


def _find_height(g: Array, estimate: Array, half: Array | None) -> tuple[float, float]:
    """Return a range of values for the curve, the estimate and part of the band."""
    low, high = pad_range(np.concatenate([g, estimate]), 0.0)
    if half is not None:
        room = 0.5 * (high - low)
        low = max(float(np.nanmin(g - half)), low - room)
        high = min(float(np.nanmax(g + half)), high + room)
    return pad_range([low, high], 0.08)


def _draw_band(p: Panel, nodes: Array, g: Array, half: Array) -> Markup:
    finite = np.isfinite(g)
    nodes, g, half = nodes[finite], g[finite], half[finite]
    low, high = np.clip([g - half, g + half], p.y.low, p.y.high)
    return p.area(nodes, low, high, "band")
