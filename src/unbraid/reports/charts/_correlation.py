"""Charts of a validation: correlations of residuals with limits, and spectra."""

import numpy as np

from ..._typing import Array, Mask
from ..._util.markup import Markup
from ...dynamics._correlation import Correlation
from ._draw import Panel, pad_range
from ._values import ChartValues, Line

CORRELATION_CHART_SIZE = 340, 240  # pixels
LEAST_CORRELATION_REACH = 1.6  # of the vertical axis, in limits
MIN_POWER_DECIBEL = -200.0  # below the largest: smaller powers are cut off


def correlation_chart(part: Correlation, label: str, x_label: str) -> Markup:
    """Return coefficients as stems; the limits are shaded."""
    largest = float(np.abs(part.values).max())
    reach = 1.08 * max(largest, LEAST_CORRELATION_REACH * part.limit)
    ends = float(part.lags[0]) - 0.6, float(part.lags[-1]) + 0.6
    p = Panel(*CORRELATION_CHART_SIZE, ends, (-reach, reach))
    outside = np.abs(part.values) > part.limit
    limits = np.full(2, part.limit)
    return p.draw(
        f"{label}; the limits are shaded",
        p.area(np.array(ends), -limits, limits, "limits"),
        p.axes(x_label, label, (5, 4)),
        p.line(ends, [0.0, 0.0], "axis"),
        _draw_stems(p, part, ~outside, "stem"),
        _draw_stems(p, part, outside, "stem outside"),
        values=ChartValues(
            names=(x_label, "correlation"),
            x=part.lags,
            lines=[
                Line("correlation", part.values, "stem"),
                Line("limit", np.full(len(part.lags), part.limit)),
            ],
        ),
    )


def _draw_stems(p: Panel, part: Correlation, chosen: Mask, class_: str) -> Markup:
    lags, values = part.lags[chosen].astype(float), part.values[chosen]
    gaps = np.full(lags.size, np.nan)
    x = np.column_stack([lags, lags, gaps]).ravel()
    y = np.column_stack([np.zeros(lags.size), values, gaps]).ravel()
    return p.line(x, y, class_)


def spectrum_chart(frequency: Array, output: Array, error: Array, unit: str) -> Markup:
    """Return power densities of an output and of its simulation error in dB."""
    largest = max(float(output.max()), float(error.max()), 1e-300)
    floor = largest * 10 ** (MIN_POWER_DECIBEL / 10)
    signals = [10 * np.log10(np.maximum(power, floor)) for power in (output, error)]
    ends = float(frequency[0]), float(frequency[-1])
    p = Panel(*CORRELATION_CHART_SIZE, ends, pad_range(signals))
    return p.draw(
        "power density of the measured output and of the simulation error",
        p.axes(f"frequency ({unit})", "power density in dB"),
        p.line(frequency, signals[0], "measured"),
        p.line(frequency, signals[1], "error"),
        values=ChartValues(
            names=(f"frequency ({unit})", "dB"),
            x=frequency,
            lines=[
                Line("measured output", signals[0], "measured"),
                Line("simulation error", signals[1], "error"),
            ],
        ),
    )
