"""Points as new ones may be: some of them lie beyond the given points."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._typing import Array


@dataclass(frozen=True)
class ResamplingSettings:
    """How the distribution of the points is continued beyond them."""

    tail_share: float = 0.1  # of the values at either end, which a smooth tail replaces
    min_tail_values: int = 4
    min_distinct: float = 0.8  # share of these values: with less the input is discrete
    usual_shape: float = -0.05  # of a tail: between a normal and an exponential one
    usual_shape_weight: float = 60.0  # number of values that say as much about the shape
    bounded_shape: float = -0.75  # of both ends: below it the input is bounded, as a uniform one
    shape_limits: tuple[float, float] = (-1.0, 0.5)  # a bounded and a heavy tail
    min_t: float = 3.0  # coefficients of a regression with a smaller t statistic are 0
    ridge: float = 1e-9  # relative: inputs may depend on each other exactly


RESAMPLING_SETTINGS = ResamplingSettings()


def resample_points(points: Array, count: int, rng: np.random.Generator) -> Array:
    """Draw points of about the same distribution as the given ones.

    Each input is a linear function of the inputs before it and a residual. Residuals are drawn
    independently of each other, with smooth tails that continue beyond the given ones.
    """
    spread = points.std(axis=0)
    centred = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    gram = centred.T @ centred
    slopes = [_regress_on_earlier(gram, j, len(points)) for j in range(points.shape[1])]
    residuals = centred - np.column_stack([centred[:, : s.size] @ s for s in slopes])
    drawn = np.empty((count, points.shape[1]))
    for j, slope in enumerate(slopes):
        new = _resample_with_tails(residuals[:, j], count, rng)
        drawn[:, j] = drawn[:, :j] @ slope + new
    return np.asarray(drawn * spread + points.mean(axis=0))


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
    """Draw from the values, with a smooth tail at either end."""
    drawn = rng.choice(values, size=count)
    tails = [(sign, _largest_values(sign * values)) for sign in (-1.0, 1.0)]
    shapes = [_fit_shape(tail) for _, tail in tails if tail is not None]
    is_bounded = sum(shapes) < 2 * RESAMPLING_SETTINGS.bounded_shape and len(shapes) == 2
    for sign, tail in tails:
        if tail is None:
            drawn = sign * _with_next_value(sign * drawn, sign * values, rng)
        else:
            drawn = sign * _with_upper_tail(sign * drawn, tail, is_bounded, rng)
    return drawn


def _with_upper_tail(
    drawn: Array, largest: Array, is_bounded: bool, rng: np.random.Generator
) -> Array:
    """Replace the largest draws by those of a generalised Pareto distribution.

    Those of a bounded input are uniform up to one more step.
    """
    threshold, excesses = largest[0], largest[1:] - largest[0]
    rows = np.flatnonzero(drawn > threshold)
    uniform = 1 - rng.random(rows.size)
    if is_bounded:
        drawn[rows] = threshold + excesses[-1] * (1 + 1 / excesses.size) * uniform
        return drawn
    shape = _shrink_shape(_fit_shape(largest), excesses.size)
    tail = special.boxcox(1 / uniform, shape)  # of mean 1 / (1 - shape)
    drawn[rows] = threshold + excesses.mean() * (1 - shape) * tail
    return drawn


def _largest_values(values: Array) -> Array | None:
    """A threshold and the values above it, rising; None where the input is discrete."""
    settings = RESAMPLING_SETTINGS
    n_tail = max(settings.min_tail_values, round(settings.tail_share * values.size))
    largest = np.sort(values)[-n_tail - 1 :]
    distinct = np.diff(largest) > 0
    if n_tail >= values.size // 2 or not distinct[-1] or distinct.mean() < settings.min_distinct:
        return None
    return largest


def _fit_shape(largest: Array) -> float:
    """Shape of a generalised Pareto distribution by its first two L-moments."""
    excesses = largest[1:] - largest[0]
    n, mean = excesses.size, excesses.mean()
    mean_of_larger = 2 * (np.arange(n) / (n - 1)) @ excesses / n  # the larger one of two
    return float(2 - mean / (mean_of_larger - mean))


def _shrink_shape(shape: float, n_values: int) -> float:
    """The shape of a few values, shrunk towards the usual one."""
    settings, weight = RESAMPLING_SETTINGS, RESAMPLING_SETTINGS.usual_shape_weight
    shrunk = (n_values * shape + weight * settings.usual_shape) / (n_values + weight)
    return float(min(max(shrunk, settings.shape_limits[0]), settings.shape_limits[1]))


def _with_next_value(drawn: Array, values: Array, rng: np.random.Generator) -> Array:
    """Add the value above the largest one of a discrete input to the draws.

    Only where the counts fall towards the largest, as those of rounded numbers do and those of
    levels do not.
    """
    distinct, counts = np.unique(values, return_counts=True)
    if distinct.size < 4 or counts[-1] > counts[-2] / 2 or counts[-2] > counts[-3]:
        return drawn
    share = min(counts[-1] ** 2 / counts[-2], 1.0) / (values.size + 1)
    drawn[rng.random(drawn.size) < share] = 2 * distinct[-1] - distinct[-2]
    return drawn
