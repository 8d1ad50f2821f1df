"""Some rows at a time, so that memory stays bounded however many points there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array

ROWS = 4096  # points at once
NUMBERS = 1 << 18  # inputs times points at once: derivatives hold one copy an input


def in_batches(work: Callable[[Array], Any], points: Array, most: int = ROWS) -> Any:
    """``work`` on a few rows after another, put together; never on more than ``most``.

    >>> in_batches(lambda part: part + len(part), np.zeros((3, 1))).ravel()
    array([3., 3., 3.])
    """
    rows = max(1, min(ROWS, most, NUMBERS // max(1, points.shape[1])))
    pieces = np.array_split(points, max(1, -(-len(points) // rows)))
    return np.concatenate([work(piece) for piece in pieces])
