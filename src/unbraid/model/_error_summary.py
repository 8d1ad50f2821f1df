"""What the errors of all outputs amount to, and which of them must be said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._typing import Array

POOR = 10.0  # %: an error that is said first
ALL_OUTPUTS = "the outputs"
MOST_LISTED = 4
WILD = 1e100  # % that stands for numbers that are none


def mean_error(error: Array | None) -> float:
    """Mean over the outputs; those that never vary (their error is 0 or infinite) do not count.

    Infinite where there is no other and one of these is missed.

    >>> mean_error(np.array([1.0, 3.0, 0.0, np.inf])), mean_error(np.array([0.0, np.inf]))
    (2.0, inf)
    """
    if error is None:
        return 0.0
    if np.any(np.isnan(error)):
        return WILD
    counted = error[np.isfinite(error) & (error > 0)]
    if counted.size:
        return float(np.minimum(counted, WILD).mean())
    return float(np.max(error, initial=0.0))


def listed(error: Array, write: Callable[[float], str] = "{:.3g}".format) -> str:
    """The errors of the first outputs, and the largest where there are more.

    >>> listed(np.array([1.0, 2.0, 7.0, 4.0, 5.0]))
    '1, 2, 7, 4, ..., at most 7'
    """
    text = ", ".join(write(e) for e in error[:MOST_LISTED])
    return text if len(error) <= MOST_LISTED else f"{text}, ..., at most {write(error.max())}"


def missed(error: Array, names: Sequence[str] | None = None) -> tuple[str, float] | None:
    """What is missed by so much that it is said first, and by how many %.

    The outputs on average, or else the worst of them.

    >>> missed(np.array([20.0, 30.0])), missed(np.array([1.0, 12.0]), ["a", "b"])
    (('the outputs', 25.0), ('b', 12.0))
    """
    mean = mean_error(error)
    if mean >= POOR:
        return ALL_OUTPUTS, mean
    worst = int(np.argmax(np.where(np.isfinite(error), error, -1.0)))
    if not POOR <= error[worst] < np.inf:
        return None
    return f"f{worst + 1}" if names is None else names[worst], float(error[worst])
