"""Numbers as a person writes them: few digits, powers of ten raised, a real minus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
PLAIN = (1e-3, 1e5)  # written without a power of ten
FINE = 1e5  # steps from 0 to the numbers from which on their common part is taken off


def number(value: float, digits: int = 3) -> str:
    """A few digits.

    >>> number(-0.12345), number(3.04e-11, 2), number(250000.0), number(float("inf"))
    ('−0.123', '3·10⁻¹¹', '2.5·10⁵', '∞')
    """
    if not np.isfinite(value):
        return "unknown" if np.isnan(value) else "∞" if value > 0 else "−∞"
    mantissa, exponent = scientific(value, digits)
    if value == 0 or PLAIN[0] <= abs(value) < PLAIN[1]:
        return signed(np.format_float_positional(float(f"{value:.{digits}g}"), trim="-"))
    return (signed(mantissa) + _ten(exponent)).replace("1·", "", mantissa in ("1", "-1"))


def _ten(exponent: int) -> str:
    return "·10" + str(exponent).translate(RAISED)


def scientific(value: float, digits: int = 3) -> tuple[str, int]:
    """Mantissa as text, and the power of ten.

    >>> scientific(-1200.0)
    ('-1.2', 3)
    """
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa, int(exponent)


def steady(value: float, digits: int = 3) -> str:
    """As many digits in every number, for columns and errors.

    >>> steady(7.8), steady(38.0), steady(3.3e-11, 2), steady(0.0)
    ('7.80', '38.0', '3.3·10⁻¹¹', '0')
    """
    if not np.isfinite(value) or value == 0:
        return number(value)
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    rounded = float(f"{mantissa}e{exponent}")
    if not PLAIN[0] <= abs(rounded) < PLAIN[1]:
        return signed(mantissa) + _ten(int(exponent))
    return signed(f"{rounded:.{max(0, digits - 1 - int(exponent))}f}")


def percent(value: float | None, digits: int = 2) -> str:
    """An error in percent.

    >>> percent(3.04e-11), percent(0.0123), percent(float("inf")), percent(None)
    ('3.0·10⁻¹¹ %', '0.012 %', 'infinite', 'unknown')
    """
    if value is None or np.isnan(value):
        return "unknown"
    return f"{steady(value, digits)} %" if np.isfinite(value) else "infinite"


def share(value: float) -> str:
    """A share of the variance.

    >>> share(0.624), share(0.0004), share(1.0)
    ('62 %', '0.040 %', '100 %')
    """
    return percent(100 * value, 2 if abs(value) < 0.995 else 3)


def counting(value: int) -> str:
    """A whole number, thousands set apart.

    >>> counting(9347)
    '9,347'
    """
    return f"{value:,}"


def signed(text: str) -> str:
    """The text of a number with a real minus."""
    return text.replace("-", "−")


def index(number: int) -> str:
    """A lowered number."""
    return str(number).translate(LOWERED)


def power(exponent: int) -> str:
    """A power of ten, written out where it is short.

    >>> power(-2), power(4), power(-7)
    ('0.01', '10⁴', '10⁻⁷')
    """
    if -3 <= exponent <= 3:
        return np.format_float_positional(10.0**exponent, trim="-")
    return "10" + str(exponent).translate(RAISED)


def tick_labels(ticks: Sequence[float]) -> tuple[list[str], str]:
    """Evenly spaced numbers as text, and what all of them have to be multiplied by or added to.

    >>> tick_labels([0.0, 0.5, 1.0])
    (['0', '0.5', '1'], '')
    >>> tick_labels([-2e9, 0.0, 2e9])
    (['−2', '0', '2'], '×10⁹')
    >>> tick_labels([1e9, 1e9 + 1, 1e9 + 2])
    (['0', '1', '2'], '+ 10⁹')
    """
    values, note = np.asarray(ticks, dtype=float), ""
    step = float(np.min(np.diff(values))) if values.size > 1 else abs(float(values[0])) or 1.0
    largest = float(np.abs(values).max())
    if values.size > 1 and largest > FINE * step:
        base = float(values[0])
        values, note = values - base, f"{'−' if base < 0 else '+'} {_whole(abs(base))}"
        largest = float(np.abs(values).max())
    if largest > 0 and not PLAIN[0] <= largest < PLAIN[1]:
        exponent = int(np.floor(np.log10(largest) + 1e-9))
        values, step = values / 10.0**exponent, step / 10.0**exponent
        note = ("×10" + str(exponent).translate(RAISED) + " " + note).rstrip()
    decimals = max(0, -int(np.floor(np.log10(step) + 1e-9)))
    texts = [f"{value:.{min(decimals, 12)}f}" for value in values + 0.0]
    return [_trimmed(text) for text in texts], note


def _trimmed(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else signed(text)


def _whole(value: float) -> str:
    """All digits that matter of a number that others are counted from."""
    mantissa, exponent = scientific(value, 12)
    if -4 <= exponent < 6:
        return np.format_float_positional(value, precision=12, trim="-")
    size = "" if mantissa == "1" else f"{mantissa}·"
    return f"{size}10" + str(exponent).translate(RAISED)
