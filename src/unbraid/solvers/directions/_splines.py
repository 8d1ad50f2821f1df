"""Cubic B-splines of several directions, evaluated at once."""

from collections.abc import Sequence

import numpy as np

from ..._typing import Array

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


def evaluate_splines(z: Array, knots: Array) -> tuple[Array, Array, Array]:
    """All splines and their first two derivatives at z (D, N), each (D, N, K).

    Beyond the outer knots the polynomials of the last intervals continue.
    """
    n_directions, n_knots = knots.shape
    n_splines = n_knots - DEGREE - 1
    first = np.zeros(z.shape, dtype=int)  # of the four splines that are not zero
    for knot in knots[:, DEGREE + 1 : n_splines].T:
        first += z >= knot[:, None]
    begin = first + n_knots * np.arange(n_directions)[:, None]
    near = [knots.ravel()[begin + k] for k in range(1, 2 * DEGREE + 1)]
    linear = _raise_degree(z, near, [np.ones_like(z)])
    quadratic = _raise_degree(z, near, linear)
    cubic = _raise_degree(z, near, quadratic)
    slopes = _differentiate(near, quadratic)
    bends = _differentiate(near, _differentiate(near, linear))
    places = first + n_splines * np.arange(z.size).reshape(z.shape)
    cubic_table, slope_table, bend_table = np.zeros((3, *z.shape, n_splines))
    for table, local in ((cubic_table, cubic), (slope_table, slopes), (bend_table, bends)):
        for j, values in enumerate(local):
            table.reshape(-1)[places + j] = values
    return cubic_table, slope_table, bend_table


def _raise_degree(z: Array, near: Sequence[Array], lower: Sequence[Array]) -> list[Array]:
    """Splines from those of one degree less, by the recursion of Cox and de Boor.

    ``near`` holds the six knots around each z, three on either side.
    """
    degree = len(lower)
    raised = [np.zeros_like(z) for _ in range(degree + 1)]
    for j, spline in enumerate(lower):
        left, right = near[DEGREE - degree + j], near[DEGREE + j]
        share = spline / (right - left)
        raised[j] += (right - z) * share
        raised[j + 1] += (z - left) * share
    return raised


def _differentiate(near: Sequence[Array], lower: Sequence[Array]) -> list[Array]:
    """Derivatives of splines from those (or their derivatives) of one degree less."""
    degree = len(lower)
    slopes = [np.zeros_like(lower[0]) for _ in range(degree + 1)]
    for j, spline in enumerate(lower):
        left, right = near[DEGREE - degree + j], near[DEGREE + j]
        share = degree * spline / (right - left)
        slopes[j] -= share
        slopes[j + 1] += share
    return slopes
