"""Points as new ones may be: some of them lie beyond the given points."""

from dataclasses import dataclass

import numpy as np

from .._typing import Array


@dataclass(frozen=True)
class ResamplingSettings:
    """How the distribution of the points is continued beyond them."""

    n_extremes: int = 3  # values at either end whose mean excess continues the tail
    tail: float = 0.6  # of that excess: most distributions have lighter tails than an exponential
    min_t: float = 3.0  # coefficients of a regression with a smaller t statistic are 0
    ridge: float = 1e-9  # relative: inputs may depend on each other exactly


RESAMPLING_SETTINGS = ResamplingSettings()


def resample_points(points: Array, count: int, rng: np.random.Generator) -> Array:
    """Draw points of about the same distribution as the given ones.

    Each input is a linear function of the inputs before it and a residual. Residuals are drawn
    independently of each other, with exponential tails beyond the given ones.
    """
    spread = points.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    centred = (points - points.mean(axis=0)) / scale
    gram = centred.T @ centred
    drawn = np.empty((count, points.shape[1]))
    for j in range(points.shape[1]):
        slopes = _regress_on_earlier(gram, j, len(points))
        residual = centred[:, j] - centred[:, :j] @ slopes
        drawn[:, j] = drawn[:, :j] @ slopes + _resample_with_tails(residual, count, rng)
    return np.asarray(drawn * scale + points.mean(axis=0))


def _regress_on_earlier(gram: Array, j: int, n_points: int) -> Array:
    """Significant slopes of input j over the inputs before it, (j,)."""
    slopes = np.zeros(j)
    kept = np.arange(j)
    for _ in range(2):  # with all inputs, then with those that matter
        if not kept.size:
            return np.zeros(j)
        matrix = gram[np.ix_(kept, kept)] + RESAMPLING_SETTINGS.ridge * n_points * np.eye(kept.size)
        inverse = np.linalg.inv(matrix)
        found = inverse @ gram[kept, j]
        rest = max(gram[j, j] - found @ gram[kept, j], 0.0) / max(n_points - kept.size - 1, 1)
        significant = found**2 >= RESAMPLING_SETTINGS.min_t**2 * rest * np.diag(inverse)
        slopes = np.zeros(j)
        slopes[kept] = found
        kept = kept[significant]
    slopes[np.setdiff1d(np.arange(j), kept)] = 0.0
    return slopes


def _resample_with_tails(values: Array, count: int, rng: np.random.Generator) -> Array:
    """Draw from the values; one of N + 1 draws exceeds the largest of N values.

    The tail is exponential. A value that occurs twice, as those of discrete inputs, has no tail.
    """
    ordered = np.sort(values)
    n = ordered.size
    pick = rng.integers(-1, n + 1, size=count)
    drawn = ordered[np.clip(pick, 0, n - 1)]
    k = max(1, min(RESAMPLING_SETTINGS.n_extremes, n // 4))
    above, below = pick == n, pick == -1
    beyond = RESAMPLING_SETTINGS.tail * rng.exponential(size=count)
    if ordered[-1] > ordered[-2]:
        drawn[above] += beyond[above] * np.mean(ordered[-k:] - ordered[-k - 1])
    if ordered[0] < ordered[1]:
        drawn[below] -= beyond[below] * np.mean(ordered[k] - ordered[:k])
    return drawn
