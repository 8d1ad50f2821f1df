"""Placement of the knots of a spline."""

import numpy as np

from .._typing import Array, Index

MIN_POINTS_PER_SPAN = 4  # where possible: with fewer a spline oscillates
MIN_SPAN = 1e-3  # of an even span: closer knots let a spline jump
MAX_CELL = 0.01  # of the distance of the quartiles: closer abscissae count as one
MANY_ABSCISSAE = 2000  # of which distinct ones are counted
SAME_ABSCISSA = 1e-9  # of the range: closer abscissae count as one


def count_distinct(z: Array, n_functions: int, axis: int = 0) -> Index:
    """Number of distinct abscissae, as far as a basis of a size can separate them.

    Abscissae of a lattice differ by the rounding, or by the small error, of its direction. Of many
    points some are counted, which are more than any basis needs.

    >>> int(count_distinct(np.array([0.0, 1.0, 1.0 + 1e-9, 2.0, 3.0]), 3))
    4
    """
    z = np.moveaxis(z, axis, 0)
    enough = max(MANY_ABSCISSAE, 8 * n_functions)
    z = np.sort(z[:: max(1, len(z) // enough)], axis=0)
    n = len(z)
    middle, whole = z[3 * n // 4] - z[n // 4], z[-1] - z[0]
    width = min(MAX_CELL, 0.25 / n_functions) * np.where(middle > 0, middle, whole)
    cells = (z - z[0]) / np.where(width > 0, width, 1.0)
    counts = [np.sum(np.diff(np.floor(cells + shift), axis=0) > 0, axis=0) for shift in (0.0, 0.5)]
    return np.asarray(1 + np.minimum(*counts))


def inner_knots(z: Array, low: float, high: float, count: int) -> Array:
    """Inner knots between even spacing and quantiles: no long or empty spans.

    Quantiles are those of the distinct abscissae, so that repeated points do not attract all knots.

    >>> inner_knots(np.array([0.0] * 900 + [0.2, 0.4, 0.6, 0.8, 1.0]), 0.0, 1.0, 3).round(2)
    array([0.25, 0.5 , 0.75])
    """
    even = np.linspace(low, high, count + 2)
    abscissae = _distinct(z, low, high)
    last = len(abscissae) - 1
    quantiles = np.interp(np.linspace(0, last, count + 2), np.arange(last + 1), abscissae)
    min_span = MIN_SPAN * (high - low) / (count + 1)
    for share in (0.5, 0.25, 0.0):
        knots = share * even + (1 - share) * quantiles
        knots[[0, -1]] = low, high
        spaced = bool(np.diff(knots).min() >= min_span)
        begins = np.searchsorted(abscissae, knots[:-1])
        if spaced and np.diff(begins, append=last + 1).min() >= MIN_POINTS_PER_SPAN:
            return knots[1:-1]
    return (knots if spaced else 0.5 * (even + quantiles))[1:-1]


def _distinct(z: Array, low: float, high: float) -> Array:
    """The distinct abscissae among z, in order."""
    abscissae = np.sort(z, axis=None)
    if high <= low:
        return abscissae
    return abscissae[np.diff(abscissae, prepend=-np.inf) > SAME_ABSCISSA * (high - low)]
