"""Operating points for a NARX model, chosen from the regressors of a record."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array, non_negative, positive_integer
from ..errors import InvalidOption, InvalidSamples
from ..sampling import RandomState, from_data, gaussian_like
from ..sources._hermite import whitening

CHOICES = ("random", "space-filling", "covariance")
POOL = 20_000  # regressors that a space-filling subset is chosen among


def choose_points(
    regressors: Array, points: Any, n_points: int, spread: float, random_state: RandomState
) -> Array:
    """Points by the name of a way to choose them, or the user's own (N, m)."""
    if not isinstance(points, str):
        return _own(points, regressors.shape[1])
    if points not in CHOICES:
        raise InvalidOption(f"points is {points!r}: choose one of {CHOICES}, or pass an array")
    count = min(positive_integer("n_points", n_points), len(regressors))
    spread = non_negative("spread", spread)
    if spread == 0:
        raise InvalidOption("spread must be greater than 0: 1 is the spread of the data")
    if points == "covariance":
        return gaussian_like(regressors, n_points, spread, random_state)
    if points == "random":
        chosen = from_data(regressors, count, random_state)
    else:
        chosen = _space_filling(regressors, count, random_state)
    centre = regressors.mean(axis=0)
    return np.asarray(chosen + (spread - 1) * (chosen - centre))


def _own(points: Any, n_regressors: int) -> Array:
    table = finite_array("points", points, ndim=2)
    if table.shape[1] != n_regressors:
        raise InvalidSamples(
            f"points has {table.shape[1]} columns but the lags make {n_regressors} regressors"
        )
    return table


def _space_filling(regressors: Array, count: int, random_state: RandomState) -> Array:
    """Each next point is the one farthest from those before, in whitened coordinates."""
    pool = from_data(regressors, min(max(POOL, count), len(regressors)), random_state)
    centred = pool - pool.mean(axis=0)
    x = centred @ whitening(centred, len(centred))
    chosen = np.empty(count, dtype=np.intp)
    chosen[0] = np.argmin(np.sum(x**2, axis=1))
    distance = np.full(len(x), np.inf)
    for k in range(1, count):
        distance = np.minimum(distance, np.sum((x - x[chosen[k - 1]]) ** 2, axis=1))
        chosen[k] = np.argmax(distance)
    return np.asarray(pool[np.sort(chosen)])
