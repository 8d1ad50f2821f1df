"""Cubic B-splines of several directions."""

import numpy as np

from ..._typing import Array
from ...bases._spline_tables import evaluate_splines

DEGREE = 3


def place_knots(z: Array, n_splines: int) -> Array:
    """Knots (D, K + 4) for z (D, N): between quantiles and even spacing."""
    ordered = np.sort(z, axis=1)
    low, high = ordered[:, :1], ordered[:, -1:]
    high = np.where(high > low, high, low + 1.0)  # z is constant
    shares = np.linspace(0, 1, n_splines - DEGREE + 1)[1:-1]
    ranks = np.rint(shares * (z.shape[1] - 1)).astype(int)
    inner = 0.5 * ordered[:, ranks] + 0.5 * (low + shares * (high - low))
    return np.hstack([np.repeat(low, DEGREE + 1, 1), inner, np.repeat(high, DEGREE + 1, 1)])


def evaluate_cubic_splines(z: Array, knots: Array) -> list[Array]:
    """All splines and their first two derivatives at z (D, N), each (D, N, K)."""
    return evaluate_splines(z, knots[:, None], DEGREE, (0, 1, 2))
