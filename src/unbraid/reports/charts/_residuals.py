"""How far the function is off: fitted against actual, what is left, and how it is spread."""

from __future__ import annotations

import numpy as np

from ..._typing import Array
from .._markup import Markup, tag
from ._draw import bars, dots, figure, line, padded, panel

WIDTH, HEIGHT = 340, 240
MOST_DOTS = 300
BINS = 25


def residual_charts(actual: Array, error: Array, name: str) -> list[Markup]:
    """Three pictures of one output: actual values, and these less the fitted ones."""
    some = np.linspace(0, actual.size - 1, min(MOST_DOTS, actual.size)).astype(int)
    return [
        _fitted_against_actual(actual[some], error[some], name),
        _left_against_fitted(actual[some], error[some], name),
        _histogram(error, name),
    ]


def _fitted_against_actual(actual: Array, error: Array, name: str) -> Markup:
    fitted = actual - error
    reach = padded(np.concatenate([actual, fitted]))
    p = panel(WIDTH, HEIGHT, reach, reach)
    return figure(
        WIDTH,
        HEIGHT,
        f"{name}: fitted against actual values; a good fit lies on the diagonal",
        p.axes("actual", "fitted"),
        tag("path", class_="guide", d=line(p.x(reach), p.y(reach))),
        tag("path", class_="marks", d=dots(p.x(actual), p.y(fitted))),
    )


def _left_against_fitted(actual: Array, error: Array, name: str) -> Markup:
    fitted = actual - error
    x, y = padded(fitted), _around_zero(error)
    p = panel(WIDTH, HEIGHT, x, y)
    return figure(
        WIDTH,
        HEIGHT,
        f"{name}: residual against fitted value; a good fit shows no pattern",
        p.axes("fitted", "residual"),
        tag("path", class_="guide", d=line(p.x(x), p.y([0.0, 0.0]))),
        tag("path", class_="marks", d=dots(p.x(fitted), p.y(error))),
    )


def _histogram(error: Array, name: str) -> Markup:
    x = _around_zero(error)
    counts, edges = np.histogram(error, BINS, x)
    p = panel(WIDTH, HEIGHT, x, (0.0, 1.08 * max(float(counts.max()), 1.0)))
    return figure(
        WIDTH,
        HEIGHT,
        f"{name}: how many residuals are how large",
        p.axes("residual", "points"),
        tag("path", class_="count", d=bars(p.x(edges), p.y(counts), p.y.start)),
        tag("path", class_="guide", d=line(p.x([0.0, 0.0]), p.y([p.y.low, p.y.high]))),
    )


def _around_zero(error: Array) -> tuple[float, float]:
    """As far to both sides."""
    largest = 1.08 * float(np.abs(error).max()) or 1.0
    return -largest, largest
