"""The simple shapes that a curve may have, as functions of z on [-1, 1]."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from ._shape_texts import (
    corner_text,
    curved_polynomial_text,
    exponential_text,
    log_text,
    polynomial_text,
    power_text,
    signed_square_text,
    text_with_rate,
    wave_text,
)

SMALLEST_BASE = 1e-6  # of a power, which may have a pole


@dataclass(frozen=True)
class ShapeKind:
    """Functions of z on [-1, 1] with inner parameters, a grid of these, and the text."""

    name: str
    columns: Callable[[Array, Any], list[Array]]
    grids: tuple[Array, ...]
    text: Callable[[Sequence[float], Sequence[float], float, float], str]


EXPONENTS = np.array([-2.0, -1.0, -0.5, 0.5, 1.5, 2.5, 4.0])
ORIGINS = np.array([1.0, 1.01, 1.1, 1.5, 3.0])
RATES, PLACES = np.geomspace(0.7, 30, 12), np.linspace(-1.2, 1.2, 13)
SHAPES = (
    ShapeKind("linear", lambda t, _: [t], (), polynomial_text),
    ShapeKind("quadratic", lambda t, _: [t, t**2], (), polynomial_text),
    ShapeKind("cubic", lambda t, _: [t, t**2, t**3], (), polynomial_text),
    ShapeKind(
        "exponential",
        lambda t, x: [np.exp(x[0] * t)],
        (np.concatenate([-RATES, RATES]),),
        exponential_text,
    ),
    ShapeKind(
        "saturating",
        lambda t, x: [np.tanh(x[0] * (t - x[1]))],
        (RATES, PLACES),
        text_with_rate("tanh({})"),
    ),
    ShapeKind(
        "a bump",
        lambda t, x: [np.exp(-((x[0] * (t - x[1])) ** 2))],
        (RATES, PLACES),
        text_with_rate("exp(-({})^2)"),
    ),
    ShapeKind("a kink", lambda t, x: [t, np.maximum(0, t - x[0])], (PLACES[2:-2],), corner_text),
    ShapeKind(
        "periodic",
        lambda t, x: [np.sin(x[0] * t), np.cos(x[0] * t)],
        (np.linspace(3.3, 40, 120),),  # from about one period on
        wave_text,
    ),
    ShapeKind(
        "logarithmic",
        lambda t, x: [np.log(np.abs(t - x[0]) + SMALLEST_BASE)],
        (np.concatenate([-ORIGINS, ORIGINS]),),
        log_text,
    ),
    ShapeKind(
        "a power",
        lambda t, x: [(np.abs(t - x[1]) + SMALLEST_BASE) ** x[0]],
        (EXPONENTS, np.concatenate([-ORIGINS, [0.0], ORIGINS])),
        power_text,
    ),
)


def _beside_line(kind: ShapeKind) -> ShapeKind:
    """The shape plus a line, which its formula leaves out."""
    if kind.text is polynomial_text:
        return replace(kind, text=curved_polynomial_text)
    if kind.text is corner_text:
        return replace(
            kind,
            text=lambda outer, inner, centre, half: corner_text(
                [0.0, outer[1], 0.0], inner, centre, half
            ),
        )
    return replace(
        kind,
        columns=lambda t, x: [*kind.columns(t, x), t + 0 * x[0]],
        text=lambda outer, inner, centre, half: kind.text([*outer[:-2], 0.0], inner, centre, half),
    )


SIGNED_SQUARE = ShapeKind(
    "signed quadratic",
    lambda t, x: [(t - x[0]) * np.abs(t - x[0])],
    (PLACES[2:-2],),
    signed_square_text,
)
LIMITER = ShapeKind(
    "saturating",
    lambda t, x: [np.clip(x[0] * (t - x[1]), -1, 1)],
    (RATES, PLACES),
    text_with_rate("clip({}, -1, 1)"),
)
CURVED_SHAPES = tuple(_beside_line(kind) for kind in (*SHAPES, SIGNED_SQUARE, LIMITER))
