"""Charts of one output: fitted against actual, residuals, and their histogram."""

import numpy as np

from ..._typing import Array
from ..._util.markup import Markup
from ._draw import Panel, pad_range
from ._values import Bins, ChartValues, Dots, Guide

RESIDUAL_CHART_SIZE = 340, 240  # pixels
MOST_RESIDUAL_DOTS = 300
RESIDUAL_BINS = 25  # of the histogram


def residual_charts(actual: Array, error: Array, name: str) -> list[Markup]:
    """Return three charts of the actual values and the residuals of one output."""
    count = min(MOST_RESIDUAL_DOTS, actual.size)
    chosen = np.linspace(0, actual.size - 1, count).astype(int)
    fitted = (actual - error)[chosen]
    return [
        _draw_fitted(actual[chosen], fitted, name),
        _draw_residuals(fitted, error[chosen], name),
        _draw_histogram(error, name),
    ]


def _draw_fitted(actual: Array, fitted: Array, name: str) -> Markup:
    ends = pad_range([actual, fitted])
    p = Panel(*RESIDUAL_CHART_SIZE, ends, ends)
    return p.draw(
        f"{name}: fitted against actual values; a good fit lies on the diagonal",
        p.axes("actual", "fitted"),
        p.line(ends, ends, "guide"),
        p.dots(actual, fitted, "marks"),
        values=ChartValues(
            names=("actual", "fitted"),
            dots=[Dots("point", actual, fitted)],
            guides=[Guide(ends, ends)],
            zoom="xy",
        ),
    )


def _draw_residuals(fitted: Array, error: Array, name: str) -> Markup:
    ends = pad_range(fitted)
    p = Panel(*RESIDUAL_CHART_SIZE, ends, _symmetric_range(error))
    return p.draw(
        f"{name}: residual against fitted value; a good fit shows no pattern",
        p.axes("fitted", "residual"),
        p.line(ends, [0.0, 0.0], "guide"),
        p.dots(fitted, error, "marks"),
        values=ChartValues(
            names=("fitted", "residual"),
            dots=[Dots("point", fitted, error)],
            guides=[Guide(ends, [0.0, 0.0])],
            zoom="xy",
        ),
    )


def _draw_histogram(error: Array, name: str) -> Markup:
    ends = _symmetric_range(error)
    counts, edges = np.histogram(error, RESIDUAL_BINS, ends)
    p = Panel(*RESIDUAL_CHART_SIZE, ends, (0.0, 1.08 * max(float(counts.max()), 1.0)))
    return p.draw(
        f"{name}: histogram of the residuals",
        p.axes("residual", "points"),
        p.histogram(edges, p.y.start - p.y(counts), "count"),
        p.line([0.0, 0.0], [p.y.low, p.y.high], "guide"),
        values=ChartValues(names=("residual", "points"), bins=Bins(edges, counts)),
    )


def _symmetric_range(error: Array) -> tuple[float, float]:
    largest = 1.08 * float(np.abs(error).max()) or 1.0
    return -largest, largest
