"""Operating points for a NARX model, chosen from the regressors of a record."""

from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_integer, check_non_negative, finite_array
from ..errors import InvalidOptionError, InvalidSamplesError
from ..sampling import RandomState, from_data, gaussian_like
from ..sources._hermite import compute_whitening

POINT_CHOICES = ("random", "space-filling", "covariance")
SPACE_FILLING_POOL = 20_000  # regressors among which a space-filling subset is chosen


def choose_points(
    regressors: Array, points: Any, n_points: int, spread: float, random_state: RandomState
) -> Array:
    """Choose points by the method named in ``points``, or check an array (N, m)."""
    if not isinstance(points, str):
        table = finite_array("points", points, ndim=2)
        if table.shape[1] != regressors.shape[1]:
            raise InvalidSamplesError(
                f"points has {table.shape[1]} columns but the lags make {regressors.shape[1]} "
                f"regressors"
            )
        return table
    if points not in POINT_CHOICES:
        raise InvalidOptionError(
            f"points is {points!r}: choose one of {POINT_CHOICES}, or pass an array"
        )
    count = min(check_integer("n_points", n_points), len(regressors))
    spread = check_non_negative("spread", spread)
    if spread == 0:
        raise InvalidOptionError("spread must be greater than 0: 1 is the spread of the data")
    if points == "covariance":
        return gaussian_like(regressors, n_points, spread, random_state)
    draw = from_data if points == "random" else _choose_space_filling
    chosen = draw(regressors, count, random_state)
    return np.asarray(chosen + (spread - 1) * (chosen - regressors.mean(axis=0)))


def _choose_space_filling(regressors: Array, count: int, random_state: RandomState) -> Array:
    """Choose each next point farthest from those before, in whitened coordinates."""
    size = min(max(SPACE_FILLING_POOL, count), len(regressors))
    pool = from_data(regressors, size, random_state)
    centred = pool - pool.mean(axis=0)
    x = centred @ compute_whitening(centred, len(centred))
    chosen = np.empty(count, dtype=np.intp)
    chosen[0] = np.argmin(np.sum(x**2, axis=1))
    distance = np.full(len(x), np.inf)
    for k in range(1, count):
        distance = np.minimum(distance, np.sum((x - x[chosen[k - 1]]) ** 2, axis=1))
        chosen[k] = np.argmax(distance)
    return np.asarray(pool[np.sort(chosen)])
