"""Tables of points: their width, and evaluation in batches to bound the memory."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidSamplesError

ROWS_PER_BATCH = 4096  # points
ENTRIES_PER_BATCH = 1 << 18  # points times inputs: derivatives hold one copy per input


def check_width(points: Array, width: int | None, expectation: str) -> Array:
    """Return points (N, m) if m is ``width``, or if any is accepted (None)."""
    if width not in (None, points.shape[1]):
        raise InvalidSamplesError(f"points has {points.shape[1]} columns but {expectation}")
    return points


def map_batches(
    function: Callable[[Array], Any], points: Array, max_rows: int = ROWS_PER_BATCH
) -> Any:
    """Call a function on batches of up to ``max_rows`` points; join the results.

    >>> map_batches(lambda batch: batch + len(batch), np.zeros((3, 1))).ravel()
    array([3., 3., 3.])
    """
    rows = max(1, min(ROWS_PER_BATCH, max_rows, ENTRIES_PER_BATCH // max(1, points.shape[1])))
    batches = np.array_split(points, max(1, -(-len(points) // rows)))
    return np.concatenate([function(batch) for batch in batches])
