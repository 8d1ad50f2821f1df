"""Outputs at rest over the inputs."""

from ..._typing import Array
from ..._util.markup import Markup
from ._draw import Panel, pad_range
from ._linear import LINEAR_CHART_SIZE
from ._values import ChartValues, Line

STATIC_REACH = 0.5  # of the range of the curve, by which the linear part may exceed it


def static_chart(
    u: Array, y: Array, linear: Array | None, labels: tuple[str, str], title: str
) -> Markup:
    """Return an output at rest over an input; dashed: the linear part."""
    low, high = pad_range(y, STATIC_REACH)
    lines = [Line(labels[1], y, "curve")]
    if linear is not None:
        shown = linear.copy()
        shown[(linear < low) | (linear > high)] = float("nan")
        lines.append(Line("linear part", shown, "linear"))
    p = Panel(*LINEAR_CHART_SIZE, pad_range(u, 0.02), pad_range([line.y for line in lines]))
    return p.draw(
        title,
        p.axes(*labels),
        [p.line(u, line.y, line.class_) for line in reversed(lines)],
        values=ChartValues(names=labels, x=u, lines=lines),
    )
