"""The linear part of a state-space model: frequency responses, a map of poles."""

from collections.abc import Sequence

import numpy as np

from ..._typing import Array
from ..._util.markup import Markup
from ._draw import Panel, pad_range
from ._values import ChartValues, Dots, Line

LINEAR_CHART_SIZE = 520, 300  # pixels
MOST_CHART_FREQUENCIES = 300
MIN_DECIBEL = -200.0  # below the largest: smaller magnitudes are cut off
REAL_REACH, IMAGINARY_REACH = 2.72, 1.3  # of the map of poles, which has equal scales
ZERO_CIRCLE_SIZE = 0.035  # radius of a zero in the map


def response_chart(
    frequency: Array, response: Array, resonances: Sequence[float], unit: str, title: str
) -> Markup:
    """Return the magnitude in dB over the frequency; dashed lines mark resonances."""
    step = max(1, frequency.size // MOST_CHART_FREQUENCIES)
    rows = np.union1d(np.arange(0, frequency.size, step), np.argmax(np.abs(response)))
    size = np.abs(response[rows])
    floor = max(float(size.max()), 1e-300) * 10 ** (MIN_DECIBEL / 20)
    decibel = 20 * np.log10(np.maximum(size, floor))
    ends = (float(frequency[0]), float(frequency[-1]))
    p = Panel(*LINEAR_CHART_SIZE, ends, pad_range(decibel), (True, False))
    shown = [f for f in resonances if ends[0] <= f <= ends[1]]
    return p.draw(
        f"magnitude of the frequency response, {title}",
        p.axes(f"frequency ({unit})", f"magnitude in dB, {title}"),
        [p.line([f, f], [p.y.low, p.y.high], "guide") for f in shown],
        p.line(frequency[rows], decibel, "curve"),
        values=ChartValues(
            names=(f"frequency ({unit})", "dB"),
            x=frequency[rows],
            lines=[Line("magnitude in dB", decibel, "curve")],
        ),
    )


def pole_chart(poles: Sequence[complex], zeros: Sequence[complex]) -> Markup:
    """Return poles as crosses and zeros as circles, with the unit circle."""
    ends = (-REAL_REACH, REAL_REACH), (-IMAGINARY_REACH, IMAGINARY_REACH)
    p = Panel(*LINEAR_CHART_SIZE, *ends)
    turn = np.linspace(0, 2 * np.pi, 121)
    return p.draw(
        "poles and zeros in the complex plane",
        p.axes("real part", "imaginary part", (5, 5)),
        p.line([0.0, 0.0], ends[1], "guide"),
        p.line(np.cos(turn), np.sin(turn), "axis"),
        [
            p.line(
                z.real + ZERO_CIRCLE_SIZE * np.cos(turn),
                z.imag + ZERO_CIRCLE_SIZE * np.sin(turn),
                "zero",
            )
            for z in zeros
            if is_shown(z)
        ],
        [_draw_cross(p, pole) for pole in poles if is_shown(pole)],
        values=ChartValues(
            names=("real part", "imaginary part"),
            dots=[
                Dots(name, np.real(shown), np.imag(shown))
                for name, numbers in (("pole", poles), ("zero", zeros))
                if (shown := [number for number in numbers if is_shown(number)])
            ],
        ),
    )


def is_shown(number: complex) -> bool:
    """Whether a pole or zero lies in the map."""
    return abs(number.real) <= REAL_REACH and abs(number.imag) <= IMAGINARY_REACH


def _draw_cross(p: Panel, pole: complex) -> Markup:
    size = ZERO_CIRCLE_SIZE
    x = [pole.real - size, pole.real + size, np.nan, pole.real - size, pole.real + size]
    y = [pole.imag - size, pole.imag + size, np.nan, pole.imag + size, pole.imag - size]
    return p.line(x, y, "pole")
