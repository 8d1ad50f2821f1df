"""B-splines on many sets of knots, evaluated at once."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .._typing import Array, Index

CELLS_PER_SPAN = 4  # equal cells in which the span of z is looked up


def evaluate_splines(
    z: Array, knots: Array, degree: int, orders: Sequence[int], skip_first: bool = False
) -> list[Array]:
    """All splines, or derivatives of them, at z: (*z.shape, K) for every order.

    ``knots`` (..., K + degree + 1) has the axes of z, with length 1 where z of an axis share their
    knots. The first and the last ``degree + 1`` knots are equal, the others rise. Beyond them the
    polynomials of the last spans continue. ``skip_first`` leaves the first spline out, which the
    others and the constant replace.

    >>> knots = np.array([[0.0, 0, 1, 2, 2], [0.0, 0, 2, 4, 4]])[:, None]
    >>> evaluate_splines(np.array([[0.5], [1.0]]), knots, 1, [0])[0].tolist()
    [[[0.5, 0.5, 0.0]], [[0.5, 0.5, 0.0]]]
    """
    n_functions = knots.shape[-1] - degree - 1 - skip_first
    span = _find_spans(z, knots, degree)
    sides = _find_sides(z, knots, span, degree)
    lower = [[np.ones_like(z)]]  # the splines that are not zero at z, by degree
    for _ in range(degree):
        lower.append(_raise_degree(sides, lower[-1]))
    places = span + n_functions * np.arange(z.size).reshape(z.shape)
    tables = []
    for order in orders:
        table = np.zeros((*z.shape, n_functions))
        if order <= degree:
            local = lower[degree - order]
            for _ in range(order):
                local = _differentiate(sides, local)
            _scatter(table, places, local, span if skip_first else None)
        tables.append(table)
    return tables


def _find_spans(z: Array, knots: Array, degree: int) -> Index:
    """How many of the inner knots are at most z, by cells of equal width."""
    inner = knots[..., degree + 1 : -degree - 1]
    low, high = knots[..., 0], knots[..., -1]
    n_inner = inner.shape[-1]
    if n_inner == 0:
        return np.zeros(z.shape, dtype=np.intp)
    n_cells = CELLS_PER_SPAN * (n_inner + 1)
    rate = n_cells / (high - low)
    cells = np.minimum((inner - low[..., None]) * rate[..., None], n_cells - 1).astype(np.intp)
    n_sets = low.size
    offset = (n_cells * np.arange(n_sets)).reshape(low.shape)
    counts = np.bincount((cells + offset[..., None]).ravel(), minlength=n_sets * n_cells)
    upto = np.cumsum(counts.reshape(n_sets, n_cells), axis=1)
    before = (upto - counts.reshape(n_sets, n_cells)).ravel()
    with np.errstate(invalid="ignore"):  # NaN is in the first span
        cell = np.minimum(np.maximum((z - low) * rate, 0), n_cells - 1).astype(np.intp)
    span: Index = before.take(cell + offset, mode="clip")
    following = np.concatenate([inner, np.full((*low.shape, 1), np.nan)], axis=-1)
    place = ((n_inner + 1) * np.arange(n_sets)).reshape(low.shape)
    for _ in range(int(counts.max())):
        span += z >= following.take(span + place)
    return span


def _find_sides(z: Array, knots: Array, span: Index, degree: int) -> tuple[list[Array], ...]:
    """Distances of z from the knots on its left and on its right, the nearest first."""
    rows = knots.shape[-1] * np.arange(knots[..., 0].size).reshape(knots.shape[:-1])
    last = span + (rows + degree)  # the last knot that is at most z
    left = [z - knots.take(last - k) for k in range(degree)]
    right = [knots.take(last + k) - z for k in range(1, degree + 1)]
    return left, right


def _raise_degree(sides: tuple[list[Array], ...], lower: Sequence[Array]) -> list[Array]:
    """Splines from those of one degree less, by the recursion of Cox and de Boor."""
    left, right = sides
    degree = len(lower)
    shares = [spline / (right[j] + left[degree - 1 - j]) for j, spline in enumerate(lower)]
    rising = [left[degree - 1 - j] * share for j, share in enumerate(shares)]
    falling = [right[j] * share for j, share in enumerate(shares)]
    return [falling[0], *map(np.add, rising[:-1], falling[1:]), rising[-1]]


def _differentiate(sides: tuple[list[Array], ...], lower: Sequence[Array]) -> list[Array]:
    """Derivatives of splines from those (or their derivatives) of one degree less."""
    left, right = sides
    degree = len(lower)
    shares = [degree * spline / (right[j] + left[degree - 1 - j]) for j, spline in enumerate(lower)]
    inner = [before - after for before, after in pairwise(shares)]
    return [-shares[0], *inner, shares[-1]]


def _scatter(table: Array, places: Index, local: Sequence[Array], span: Index | None) -> None:
    """Write the splines that are not zero; with a span, leave the first one out."""
    flat = table.reshape(-1)
    if span is None:
        for j, values in enumerate(local):
            flat[places + j] = values
        return
    flat[places - (span > 0)] = local[0]  # in the first span it is overwritten
    for j, values in enumerate(local[1:]):
        flat[places + j] = values
