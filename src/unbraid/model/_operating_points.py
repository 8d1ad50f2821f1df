"""Operating points that a decoupled function keeps for its description."""

import numpy as np

from .._typing import Array

MAX_KEPT_POINTS = 1000
MAX_KEPT_ENTRIES = 50_000


def sample_points(points: Array) -> Array:
    """Some of the points, evenly taken.

    >>> sample_points(np.zeros((5000, 3))).shape, sample_points(np.zeros((800, 100))).shape
    ((1000, 3), (500, 100))
    """
    most = min(MAX_KEPT_POINTS, max(MAX_KEPT_ENTRIES // max(points.shape[1], 1), 1), len(points))
    rows = np.unique(np.linspace(0, len(points) - 1, most).astype(int))
    return np.array(points[rows], dtype=float)
