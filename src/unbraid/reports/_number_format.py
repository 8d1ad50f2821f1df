"""Numbers as text: few digits, powers of ten raised, a real minus sign."""

from collections.abc import Sequence

import numpy as np

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SMALLEST_DECIMAL, LARGEST_DECIMAL = 1e-3, 1e5  # sizes written without a power of ten
LARGEST_TICK_RATIO = 1e5  # ticks farther from 0, in steps, are written relative to the first


def is_decimal(value: float) -> bool:
    """Return whether a number is written without a power of ten."""
    return value == 0 or SMALLEST_DECIMAL <= abs(value) < LARGEST_DECIMAL


def format_decimal(value: float, digits: int) -> str:
    """Return a number with so many digits and without a power of ten."""
    return set_minus(np.format_float_positional(float(f"{value:.{digits}g}"), trim="-"))


def format_number(value: float, digits: int = 3) -> str:
    """Return a number without trailing zeros.

    >>> format_number(-0.12345), format_number(3.04e-11, 2), format_number(250000.0)
    ('−0.123', '3·10⁻¹¹', '2.5·10⁵')
    >>> format_number(-1e7), format_number(float("inf"))
    ('−10⁷', '∞')
    """
    if not np.isfinite(value):
        return "unknown" if np.isnan(value) else "∞" if value > 0 else "−∞"
    if is_decimal(value):
        return format_decimal(value, digits)
    return _format_scientific(*split_scientific(value, digits))


def split_scientific(value: float, digits: int = 3) -> tuple[str, int]:
    """Return the mantissa as text without trailing zeros, and the exponent.

    >>> split_scientific(-1200.0)
    ('-1.2', 3)
    """
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa, int(exponent)


def _format_scientific(mantissa: str, exponent: int) -> str:
    power = "10" + str(exponent).translate(SUPERSCRIPTS)
    return set_minus(mantissa[:-1] if mantissa in ("1", "-1") else f"{mantissa}·") + power


def format_fixed(value: float, digits: int = 3) -> str:
    """Return a number with the same number of digits for every value, for columns.

    >>> format_fixed(7.8), format_fixed(38.0), format_fixed(3.3e-11, 2), format_fixed(0.0)
    ('7.80', '38.0', '3.3·10⁻¹¹', '0')
    """
    if not np.isfinite(value) or value == 0:
        return format_number(value)
    text = f"{value:.{digits - 1}e}"
    mantissa, _, exponent = text.partition("e")
    if not is_decimal(float(text)):
        return _format_scientific(mantissa, int(exponent))
    return set_minus(f"{float(text):.{max(0, digits - 1 - int(exponent))}f}")


def format_percent(value: float | None, digits: int = 2) -> str:
    """Return an error that is given in percent.

    >>> format_percent(3.04e-11), format_percent(0.0123), format_percent(float("inf"))
    ('3.0·10⁻¹¹ %', '0.012 %', 'infinite')
    """
    if value is None or np.isnan(value):
        return "unknown"
    return f"{format_fixed(value, digits)} %" if np.isfinite(value) else "infinite"


def format_share(value: float) -> str:
    """Return a share in percent.

    >>> format_share(0.624), format_share(0.0004), format_share(1.0)
    ('62 %', '0.040 %', '100 %')
    """
    return format_percent(100 * value, 2 if abs(value) < 0.995 else 3)


def set_minus(text: str) -> str:
    """Return text with minus signs instead of hyphens."""
    return text.replace("-", "−")


def format_subscript(number: int) -> str:
    """Return a number in subscript digits."""
    return str(number).translate(SUBSCRIPTS)


def format_log_tick(value: float) -> str:
    """Return a tick of a logarithmic axis: one digit times a power of ten.

    >>> format_log_tick(0.01), format_log_tick(1e4), format_log_tick(2e-7)
    ('0.01', '10⁴', '2·10⁻⁷')
    """
    exponent = int(np.floor(np.log10(value) + 1e-9))
    if -3 <= exponent <= 3:
        return format_decimal(value, 2)
    return _format_scientific(str(round(value / 10.0**exponent)), exponent)


def format_ticks(ticks: Sequence[float]) -> tuple[list[str], str]:
    """Return evenly spaced numbers as text, and their common factor or summand.

    >>> format_ticks([0.0, 0.5, 1.0])
    (['0', '0.5', '1'], '')
    >>> format_ticks([-2e9, 0.0, 2e9])
    (['−2', '0', '2'], '×10⁹')
    >>> format_ticks([1e9, 1e9 + 1, 1e9 + 2])
    (['0', '1', '2'], '+ 10⁹')
    """
    values, note = np.asarray(ticks, dtype=float), ""
    step = float(np.min(np.diff(values))) if values.size > 1 else abs(float(values[0])) or 1.0
    if values.size > 1 and np.abs(values).max() > LARGEST_TICK_RATIO * step:
        first = float(values[0])
        values, note = values - first, f"{'−' if first < 0 else '+'} {_format_exact(abs(first))}"
    largest = float(np.abs(values).max())
    if not is_decimal(largest):
        exponent = int(np.floor(np.log10(largest) + 1e-9))
        values, step = values / 10.0**exponent, step / 10.0**exponent
        note = f"×{_format_scientific('1', exponent)} {note}".rstrip()
    decimals = min(max(0, -int(np.floor(np.log10(step) + 1e-9))), 12)
    labels = [np.format_float_positional(round(v, decimals) + 0.0, trim="-") for v in values]
    return [set_minus(label) for label in labels], note


def _format_exact(value: float) -> str:
    """Return all significant digits of a number that others are relative to."""
    mantissa, exponent = split_scientific(value, 12)
    if -4 <= exponent < 6:
        return np.format_float_positional(value, precision=12, trim="-")
    return _format_scientific(mantissa, exponent)
