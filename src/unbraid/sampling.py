"""Choosing operating points. The paper: they should cover the domain of interest."""

from typing import Any

import numpy as np
import scipy

from ._typing import Array
from ._util.linalg import triangle
from ._util.validation import (
    can_spawn,
    check_integer,
    check_magnitude,
    check_non_negative,
    finite_array,
)
from .errors import InvalidOptionError, InvalidSamplesError

RandomState = int | np.random.Generator | None
MOST_NUMBERS = 1 << 30  # of all points together: 8 GB
MOST_SOBOL = 21201  # inputs for which directions are tabulated


def uniform(n_points: int, low: Any, high: Any, random_state: RandomState = None) -> Array:
    """Independent uniform points in a box.

    Parameters
    ----------
    n_points : int
    low, high : float or (m,)
        Corners of the box; two numbers make a box of one input.

    Examples
    --------
    >>> uniform(100, [-1.5, -1.5], [1.5, 1.5], random_state=0).shape
    (100, 2)
    """
    low, high = _box(low, high)
    size = (_count(n_points, low.size), low.size)
    return np.asarray(_generator(random_state).uniform(low, high, size))


def sobol(n_points: int, low: Any, high: Any, random_state: RandomState = None) -> Array:
    """Scrambled Sobol points in a box: as random, more even.

    >>> bool(sobol(64, [0, 0], [1, 2], random_state=0).max() <= 2)
    True
    """
    low, high = _box(low, high)
    power = int(np.ceil(np.log2(_count(n_points, low.size))))
    if low.size > MOST_SOBOL:
        raise InvalidOptionError(
            f"Sobol points have at most {MOST_SOBOL} inputs, not {low.size}: use latin_hypercube"
        )
    engine = scipy.stats.qmc.Sobol(low.size, rng=_generator(random_state))
    return np.asarray(scipy.stats.qmc.scale(engine.random_base2(power)[:n_points], low, high))


def latin_hypercube(n_points: int, low: Any, high: Any, random_state: RandomState = None) -> Array:
    """Latin hypercube points in a box.

    Each of n_points equal intervals of an input contains exactly one point.

    >>> latin_hypercube(10, [0], [1], random_state=0).shape
    (10, 1)
    """
    low, high = _box(low, high)
    count = _count(n_points, low.size)
    engine = scipy.stats.qmc.LatinHypercube(low.size, rng=_generator(random_state))
    return np.asarray(scipy.stats.qmc.scale(engine.random(count), low, high))


def from_data(data: Any, n_points: int, random_state: RandomState = None) -> Array:
    """Rows drawn from data without replacement: the training distribution itself.

    >>> from_data([[1.0], [2.0], [3.0]], 2, random_state=0).shape
    (2, 1)
    """
    rows = _rows(data)
    if check_integer("n_points", n_points) > len(rows):
        raise InvalidOptionError(f"n_points = {n_points} is more than the {len(rows)} rows of data")
    chosen = _generator(random_state).choice(len(rows), n_points, replace=False)
    return np.asarray(rows[np.sort(chosen)])


def gaussian_like(
    data: Any, n_points: int, spread: float = 1.0, random_state: RandomState = None
) -> Array:
    """Normal points with the mean and covariance of data.

    The covariance is multiplied by ``spread`` squared: values over 1 reach beyond the data.

    >>> gaussian_like(np.eye(3), 5, random_state=0).shape
    (5, 3)
    """
    rows = check_magnitude("data", _rows(data))
    check_non_negative("spread", spread)
    centred = rows - rows.mean(axis=0)
    root = triangle(centred / np.sqrt(max(len(rows) - 1, 1)))
    count = _count(n_points, rows.shape[1])
    draws = _generator(random_state).standard_normal((count, root.shape[0]))
    return np.asarray(rows.mean(axis=0) + spread * draws @ root)


def _rows(data: Any) -> Array:
    rows = finite_array("data", data, ndim=2)
    if rows.size == 0:
        raise InvalidSamplesError(f"data is empty: its shape is {rows.shape}")
    return rows


def _count(n_points: Any, n_inputs: int) -> int:
    count = check_integer("n_points", n_points)
    if count * n_inputs > MOST_NUMBERS:
        raise InvalidOptionError(
            f"n_points = {count} of {n_inputs} inputs do not fit into memory: draw fewer"
        )
    return count


def _box(low: Any, high: Any) -> tuple[Array, Array]:
    low = np.atleast_1d(finite_array("low", low))
    high = np.atleast_1d(finite_array("high", high))
    if 1 not in (low.size, high.size) and low.shape != high.shape:
        raise InvalidOptionError(f"corners of a box differ in length: {low.size} and {high.size}")
    low, high = np.broadcast_arrays(low, high)
    if low.ndim != 1 or low.size == 0 or np.any(low >= high):
        raise InvalidOptionError(f"a box needs low < high for every input, got {low} and {high}")
    with np.errstate(over="ignore"):
        if not np.all(np.isfinite(high - low)):
            raise InvalidOptionError(f"a box from {low} to {high} is wider than the largest number")
    return low, high


def _generator(random_state: RandomState) -> np.random.Generator:
    try:
        if not isinstance(random_state, (bool, np.random.RandomState)):
            generator = np.random.default_rng(random_state)
            if can_spawn(generator):
                return generator
    except (TypeError, ValueError):
        pass
    raise InvalidOptionError(
        f"random_state must be a whole number of at least 0, a Generator with a seed or None, "
        f"got {random_state!r}"
    )
