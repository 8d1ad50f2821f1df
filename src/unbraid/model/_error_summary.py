"""Summaries of the errors per output."""

from collections.abc import Callable, Sequence

import numpy as np

from .._typing import Array

POOR_PERCENT = 10.0  # error from which a fit is called poor
MAX_ERRORS_LISTED = 4
NOT_A_NUMBER_PERCENT = 1e100  # error that stands for NaN


def mean_error(error: Array | None) -> float:
    """Mean over the outputs that vary; constant ones have an error of 0 or infinity.

    Infinite if all outputs are constant and one of them is not met.

    >>> mean_error(np.array([1.0, 3.0, 0.0, np.inf])), mean_error(np.array([0.0, np.inf]))
    (2.0, inf)
    """
    if error is None:
        return 0.0
    if np.any(np.isnan(error)):
        return NOT_A_NUMBER_PERCENT
    counted = error[np.isfinite(error) & (error > 0)]
    if counted.size:
        return float(np.minimum(counted, NOT_A_NUMBER_PERCENT).mean())
    return float(np.max(error, initial=0.0))


def format_error_list(error: Array, write: Callable[[float], str] = "{:.3g}".format) -> str:
    """The errors of the first outputs, and the largest where there are more.

    >>> format_error_list(np.array([1.0, 2.0, 7.0, 4.0, 5.0]))
    '1, 2, 7, 4, ..., at most 7'
    """
    text = ", ".join(write(e) for e in error[:MAX_ERRORS_LISTED])
    return text if len(error) <= MAX_ERRORS_LISTED else f"{text}, ..., at most {write(error.max())}"


def worst_output_error(
    error: Array, names: Sequence[str] | None = None
) -> tuple[str | None, float] | None:
    """Name and error in % of the worst output; no name if all are poor on average.

    None where no output is poor.

    >>> worst_output_error(np.array([20.0, 30.0]))
    (None, 25.0)
    >>> worst_output_error(np.array([1.0, 12.0]), ["a", "b"])
    ('b', 12.0)
    """
    mean = mean_error(error)
    if mean >= POOR_PERCENT:
        return None, mean
    worst = int(np.argmax(np.where(np.isfinite(error), error, -1.0)))
    if not POOR_PERCENT <= error[worst] < np.inf:
        return None
    return f"f{worst + 1}" if names is None else names[worst], float(error[worst])
