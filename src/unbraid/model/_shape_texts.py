"""Fitted shapes as text: formulas with the variable z.

The parameters of a shape belong to t, which is z with its range mapped to [-1, 1]; ``centre`` and
``half`` are the centre and the half width of that range.
"""

from collections.abc import Callable, Sequence

import numpy as np

MAX_EXPONENT = 20.0  # above it, an exponential is written about the middle of its data
MAX_EXTRA_DIGITS = 12  # beyond three, for places far from zero
MIN_TERM = 1e-4  # of the largest: smaller terms are left out of a formula


def number(value: float, step: float = np.inf) -> str:
    """A number with three digits; with a step, as many as show a thousandth of it.

    >>> number(0.123456), number(-12000.0), number(2.0), number(1000.5, step=1.0)
    ('0.123', '-1.2e+04', '2', '1000.5')
    """
    further = 0
    if value != 0 and step > 0:
        further = int(np.ceil(np.log10(max(abs(value) / step, 1.0))))
    return f"{value:.{3 + min(further, MAX_EXTRA_DIGITS)}g}"


def format_sum(terms: Sequence[tuple[float, str, float]]) -> str:
    """A sum of named terms; ``reach`` is the largest size of the named part.

    >>> format_sum([(-1.0, "z^2", 4.0), (2.5, "z", 2.0), (1e-7, "", 1.0)])
    '-z^2 + 2.5 z'
    """
    most = max(abs(value) * reach for value, _, reach in terms)
    text = ""
    for value, name, reach in terms:
        if abs(value) * reach > MIN_TERM * most:
            size = number(abs(value))
            text += f" {'-' if value < 0 else '+'} {_format_product(size, name)}"
    text = text.removeprefix(" + ")
    return text.replace(" - ", "-", 1) if text.startswith(" - ") else text or "0"


def _format_product(size: str, name: str) -> str:
    if not name:
        return size
    return name if size == "1" else f"{size} {name}"


def polynomial_text(
    outer: Sequence[float], inner: Sequence[float], centre: float, half: float
) -> str:
    return _format_polynomial(_expand(outer, centre, half), centre, half)


def curved_polynomial_text(
    outer: Sequence[float], inner: Sequence[float], centre: float, half: float
) -> str:
    """The polynomial without its constant and its linear term."""
    coefficients = _expand(outer, centre, half)
    return _format_polynomial([0.0, 0.0, *coefficients[2:]], centre, half)


def _expand(outer: Sequence[float], centre: float, half: float) -> list[float]:
    """Coefficients of the powers of z."""
    series = np.polynomial.Polynomial([outer[-1], *outer[:-1]])
    shifted = series(np.polynomial.Polynomial([-centre / half, 1 / half]))
    return [float(c) for c in shifted.coef]


def _format_polynomial(coefficients: Sequence[float], centre: float, half: float) -> str:
    names = ["", "z", *[f"z^{k}" for k in range(2, len(coefficients))]][: len(coefficients)]
    reach = (abs(centre) + half) ** np.arange(len(coefficients))
    return format_sum([*zip(coefficients, names, reach, strict=True)][::-1])


def _position_text(shift: float, centre: float, half: float) -> str:
    """z minus the position of the shift, as text."""
    place = centre + half * shift
    if abs(place) < 1e-3 * half:
        return "z"
    return f"(z {'-' if place > 0 else '+'} {number(abs(place), half)})"


def text_with_rate(
    pattern: str,
) -> Callable[[Sequence[float], Sequence[float], float, float], str]:
    """Text of a shape with a rate and a position inside."""

    def text(outer: Sequence[float], inner: Sequence[float], centre: float, half: float) -> str:
        inside = _format_product(number(inner[0] / half), _position_text(inner[1], centre, half))
        return format_sum([(outer[0], pattern.format(inside), 1.0), (outer[1], "", 1.0)])

    return text


def exponential_text(
    outer: Sequence[float], inner: Sequence[float], centre: float, half: float
) -> str:
    if abs(inner[0] * centre / half) > MAX_EXPONENT:
        return text_with_rate("exp({})")(outer, (inner[0], 0.0), centre, half)
    size = float(outer[0] * np.exp(-inner[0] * centre / half))
    reach = float(np.exp(inner[0] * centre / half + abs(inner[0])))
    inside = format_sum([(inner[0] / half, "z", 1.0)])
    return format_sum([(size, f"exp({inside})", reach), (outer[1], "", 1.0)])


def power_text(outer: Sequence[float], inner: Sequence[float], centre: float, half: float) -> str:
    exponent, origin = inner
    base = _positive_text(origin, centre, half)
    size = outer[0] / half**exponent
    reach = (half * (1 + abs(origin))) ** exponent
    term = (size, f"{base}^({number(exponent)})", reach)
    return format_sum([term, (outer[1], "", 1.0)])


def log_text(outer: Sequence[float], inner: Sequence[float], centre: float, half: float) -> str:
    base = _positive_text(inner[0], centre, half)
    base = base if base.startswith("(") else f"({base})"
    level = float(outer[1] - outer[0] * np.log(half))
    return format_sum([(outer[0], f"log{base}", 1.0), (level, "", 1.0)])


def _positive_text(origin: float, centre: float, half: float) -> str:
    """Distance of z from an origin, as text."""
    base = _position_text(origin, centre, half)
    if origin >= 1:
        return f"({number(centre + half * origin, half)} - z)"
    if origin <= -1:
        return base
    return f"abs{base}" if base.startswith("(") else f"abs({base})"


def wave_text(outer: Sequence[float], inner: Sequence[float], centre: float, half: float) -> str:
    rate = inner[0] / half
    size, phase = float(np.hypot(outer[0], outer[1])), float(np.arctan2(outer[1], outer[0]))
    shift = (phase - rate * centre + np.pi) % (2 * np.pi) - np.pi
    inside = format_sum([(rate, "z", abs(centre) + half), (shift, "", 1.0)])
    return format_sum([(size, f"sin({inside})", 1.0), (outer[2], "", 1.0)])


def corner_text(outer: Sequence[float], inner: Sequence[float], centre: float, half: float) -> str:
    place = _position_text(inner[0], centre, half).strip("()")
    slope, turn = outer[0] / half, outer[1] / half
    corner = (turn, f"max(0, {place})", half)
    return format_sum([(slope, "z", half), corner, (outer[2] - slope * centre, "", 1.0)])


def signed_square_text(
    outer: Sequence[float], inner: Sequence[float], centre: float, half: float
) -> str:
    place = _position_text(inner[0], centre, half)
    size = place if place.startswith("(") else f"({place})"
    reach = (half * (1 + abs(inner[0]))) ** 2
    return format_sum([(outer[0] / half**2, f"{place} abs{size}", reach), (outer[1], "", 1.0)])
