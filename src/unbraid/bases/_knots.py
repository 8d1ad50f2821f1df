"""Where the knots of a spline go."""

from __future__ import annotations

import numpy as np

from .._typing import Array

POINTS_A_SPAN = 4  # where the knots can be had so: fewer leave a spline free to swing
NARROW = 1e-3  # of an even span: knots that are nearer let a spline jump
SAME_PLACE = 1e-9  # of the range: places that are one


def inner_knots(z: Array, low: float, high: float, count: int) -> Array:
    """Between even and at quantiles: no long stretch without a knot, nor a span without data.

    Quantiles are those of the distinct places: many points at one of them do not draw all knots
    there.

    >>> inner_knots(np.array([0.0] * 900 + [0.2, 0.4, 0.6, 0.8, 1.0]), 0.0, 1.0, 3).round(2)
    array([0.25, 0.5 , 0.75])
    """
    even = np.linspace(low, high, count + 2)
    places = _told_apart(z, low, high)
    quantiles = np.quantile(places, np.linspace(0, 1, count + 2))
    narrow = NARROW * (high - low) / (count + 1)
    for share in (0.5, 0.25, 0.0):
        knots = share * even + (1 - share) * quantiles
        knots[[0, -1]] = low, high
        spaced = bool(np.diff(knots).min() >= narrow)
        if spaced and np.histogram(places, knots)[0].min() >= POINTS_A_SPAN:
            return knots[1:-1]
    return (knots if spaced else 0.5 * (even + quantiles))[1:-1]


def _told_apart(z: Array, low: float, high: float) -> Array:
    """The distinct places among z, in order."""
    places = np.sort(z, axis=None)
    if high <= low:
        return places
    return places[np.diff(places, prepend=-np.inf) > SAME_PLACE * (high - low)]
