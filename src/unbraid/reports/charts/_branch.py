"""One branch: its curve, its band, the points it was fitted to, where the data lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._typing import Array
from ...model._branch import Branch
from .._markup import Markup, tag
from .._numbers import index as lowered
from ._draw import Panel, area, bars, dots, figure, line, padded, panel

WIDTH, HEIGHT = 340, 250
NODES = 240
MOST_MARKS = 150
BINS = 24
LONGEST = 40  # characters of the name of an axis
DENSITY = 1 / 6  # of the height: the tallest bar


def branch_chart(branch: Branch, number: int, direction: str, z: Array | None = None) -> Markup:
    """The picture of a branch; ``z`` are the data's, where they are not the branch's own."""
    data = branch.estimate[:, 0] if branch.estimate is not None else z
    low, high = _reach(branch, data)
    nodes = np.linspace(low, high, NODES)
    fit = branch(nodes)
    marks = _marks(branch)
    half = None if branch.band is None else np.interp(nodes, *branch.band.T)
    bottom, top = _height(fit, marks, half)
    if data is not None:  # the histogram has the bottom for itself
        bottom -= DENSITY / (1 - DENSITY) * (top - bottom)
    p = panel(WIDTH, HEIGHT, padded(nodes, 0.02), (bottom, top))
    subject = lowered(number)
    label = f"z{subject} = {direction}"
    label = label if len(label) <= LONGEST else f"z{subject}"
    return figure(
        WIDTH,
        HEIGHT,
        f"branch {number}: g{number} against z{number}, from {low:.3g} to {high:.3g}",
        [] if data is None else tag("path", class_="density", d=_density(p, data)),
        p.axes(label, f"g{subject}(z{subject})"),
        _band(p, nodes, fit, half),
        tag("path", class_="marks", d=dots(p.x(marks[:, 0]), p.y(marks[:, 1]))),
        tag("path", class_="curve", d=line(p.x(nodes), p.y(fit))),
    )


def _reach(branch: Branch, data: Array | None) -> tuple[float, float]:
    """The data may reach beyond what the curve was made on, or the curve beyond the data."""
    low, high = branch.interval
    if data is not None and data.size:
        low, high = min(low, float(data.min())), max(high, float(data.max()))
    return low, high


def _marks(branch: Branch) -> Array:
    if branch.estimate is None:
        return np.empty((0, 2))
    some = np.linspace(0, len(branch.estimate) - 1, min(MOST_MARKS, len(branch.estimate)))
    return np.asarray(branch.estimate[some.astype(int)])


def _height(fit: Array, marks: Array, half: Array | None) -> tuple[float, float]:
    """All of the curve and of the points, and of the band as much as leaves these visible."""
    low, high = padded(np.concatenate([fit, marks[:, 1]]), 0.0)
    if half is not None:
        room = 0.5 * (high - low)
        low = max(float(np.nanmin(fit - half)), low - room)
        high = min(float(np.nanmax(fit + half)), high + room)
    return padded([low, high], 0.08)


def _band(p: Panel, nodes: Array, fit: Array, half: Array | None) -> Any:
    if half is None:
        return []
    inside = np.isfinite(fit)
    nodes, fit, half = nodes[inside], fit[inside], half[inside]
    low, high = np.clip(fit - half, p.y.low, p.y.high), np.clip(fit + half, p.y.low, p.y.high)
    return tag("path", class_="band", d=area(p.x(nodes), p.y(low), p.y(high)))


def _density(p: Panel, data: Array) -> str:
    """How many data lie where, along the bottom."""
    if not np.ptp(data) > 0:
        return ""
    counts, edges = np.histogram(data, BINS)
    tallest = DENSITY * (p.y.start - p.y.end)
    return bars(p.x(edges), p.y.start - tallest * counts / counts.max(), p.y.start)
