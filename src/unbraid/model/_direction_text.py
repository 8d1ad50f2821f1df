"""Directions, shares and names as text."""

from collections.abc import Mapping, Sequence

MAX_INPUTS_IN_TEXT = 4
MIN_TEXT_WEIGHT = 0.05  # of the largest: inputs with less are not in the text of a direction


def format_direction(weights: Mapping[str, float]) -> str:
    """A direction in the inputs that matter, the largest first.

    >>> format_direction({"speed": 0.894, "load": -0.447, "angle": 1e-7})
    '0.89 speed - 0.45 load'
    >>> format_direction({"angle": 1.0})
    'angle'
    """
    largest = max(map(abs, weights.values()))
    heavy = [(name, w) for name, w in weights.items() if abs(w) >= MIN_TEXT_WEIGHT * largest]
    if len(heavy) == 1:
        return heavy[0][0]
    heavy.sort(key=lambda pair: -round(abs(pair[1]), 2))
    text = ""
    for name, weight in heavy[:MAX_INPUTS_IN_TEXT]:
        text += f" {'-' if weight < 0 else '+'} {abs(weight):.2f} {name}"
    more = len(heavy) - MAX_INPUTS_IN_TEXT
    text = "-" + text[3:] if text.startswith(" - ") else text.removeprefix(" + ")
    return text + (f" and {more} more" if more > 0 else "")


def format_percent(share: float) -> str:
    """A share in percent with at most two digits; what is not 0 never reads as 0.

    >>> format_percent(0.624), format_percent(0.0042), format_percent(1e-5), format_percent(0.999)
    ('62 %', '0.4 %', 'less than 0.1 %', '99.9 %')
    """
    percent = 100 * share
    if percent <= 0:
        return "0 %"
    if percent < 0.05:
        return "less than 0.1 %"
    if percent < 1 or 99.5 <= percent < 99.95:
        return f"{percent:.1f} %"
    return f"{percent:.0f} %"


def join_terms(parts: Sequence[str]) -> str:
    """Parts of a sentence with commas and "and".

    >>> join_terms(["a"]), join_terms(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
