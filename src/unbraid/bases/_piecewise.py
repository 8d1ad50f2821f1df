"""Piecewise polynomials of one variable: fast evaluation of fitted splines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from .._typing import Array, Index

EVALUATED_AT_ONCE = 16384  # arguments: the temporaries stay in the cache
MAX_CELLS = 1 << 14


@dataclass(frozen=True, eq=False)
class Pieces:
    """A piecewise polynomial in ``z - breaks[k]`` from ``breaks[k]`` to the next.

    The highest power comes first. The first and the last polynomial continue to infinity. Many
    functions with the same breaks are one more axis of the coefficients, and of the result.

    >>> corner = Pieces(np.array([0.0, 1.0, 3.0]), np.array([[1.0, -2.0], [0.0, 1.0]]))
    >>> corner([-1.0, 0.5, 2.0, 4.0]).tolist()
    [-1.0, 0.5, -1.0, -5.0]
    >>> corner.derivative([-1.0, 2.0]).tolist()
    [1.0, -2.0]
    """

    breaks: Array  # (M + 1,), rising
    coefficients: Array  # (degree + 1, M) or (degree + 1, M, K)

    @property
    def degree(self) -> int:
        return len(self.coefficients) - 1

    def __call__(self, z: Array, order: int = 0) -> Array:
        """The function, or a derivative of it, at z of any shape."""
        for _ in range(order):
            self = self._differentiated
        z = np.asarray(z, dtype=float)
        flat, each = z.ravel(), self.coefficients.shape[2:]
        if flat.size <= EVALUATED_AT_ONCE:
            return self._at(flat).reshape((*z.shape, *each))
        result = np.empty((flat.size, *each))
        for begin in range(0, flat.size, EVALUATED_AT_ONCE):
            rows = slice(begin, begin + EVALUATED_AT_ONCE)
            result[rows] = self._at(flat[rows])
        return result.reshape((*z.shape, *each))

    def derivative(self, z: Array) -> Array:
        return self(z, 1)

    def derivatives(self, z: Array, orders: Sequence[int]) -> list[Array]:
        """Several derivatives at z (N,); each z is assigned to its piece once."""
        if z.size > EVALUATED_AT_ONCE:
            return [self(z, order) for order in orders]
        piece, functions = self._piece(z), [self]
        for _ in range(max(orders)):
            functions.append(functions[-1]._differentiated)
        return [functions[order]._at(z, piece) for order in orders]

    def _at(self, z: Array, piece: Index | None = None) -> Array:
        piece = self._piece(z) if piece is None else piece
        window = self._window
        if window is None:
            return self._sum(self.coefficients, z, piece)
        first, local = window
        n_functions = self.coefficients.shape[2]
        places = np.arange(z.size) * n_functions + first.take(piece)
        table = np.zeros((z.size, n_functions))
        table.ravel()[places[:, None] + np.arange(local.shape[2])] = self._sum(local, z, piece)
        return table

    def _sum(self, coefficients: Array, z: Array, piece: Index) -> Array:
        """Horner's rule."""
        x = (z - self.breaks.take(piece)).reshape(-1, *[1] * (coefficients.ndim - 2))
        value: Array = coefficients[0].take(piece, axis=0)
        for row in coefficients[1:]:
            value *= x
            value += row.take(piece, axis=0)
        return value if self.degree else value + 0 * x  # NaN stays NaN

    @cached_property
    def _window(self) -> tuple[Index, Array] | None:
        """The functions that are not zero on each piece: first index and coefficients.

        None where that would save little. B-splines of degree d have d + 1 on a piece.
        """
        if self.coefficients.ndim < 3:
            return None
        live = np.any(self.coefficients != 0, axis=0)
        n_functions = live.shape[1]
        last = n_functions - live[:, ::-1].argmax(axis=1)
        width = max(1, int(np.max(np.where(live.any(axis=1), last - live.argmax(axis=1), 0))))
        if width > n_functions // 2:
            return None
        first = np.minimum(live.argmax(axis=1), n_functions - width)
        chosen = first[:, None] + np.arange(width)
        return first, np.take_along_axis(self.coefficients, chosen[None], axis=2)

    def _piece(self, z: Array) -> Index:
        """Index of the polynomial at z, by equal cells that contain one break at most."""
        first_of_cell, low, rate = self._cells
        if rate == 0:
            return np.searchsorted(self.breaks[1:-1], z, side="right")
        cell = np.minimum(np.maximum((z - low) * rate, 0), len(first_of_cell) - 1)
        with np.errstate(invalid="ignore"):
            piece = first_of_cell.take(cell.astype(np.intp), mode="clip")
        piece += z >= self._ends.take(piece)
        return piece

    def with_straight_ends(
        self, low: float, high: float, low_slope: float, high_slope: float
    ) -> Pieces:
        """The same function between low and high, with straight lines beyond."""
        inner = self.breaks[(self.breaks > low) & (self.breaks < high)]
        places = np.array([low, high])
        lines = np.zeros((max(self.degree, 1) + 1, 2))
        lines[-2:] = (low_slope, high_slope), self(places)
        starts = np.concatenate([[low], inner])
        between = np.zeros((len(lines), starts.size))
        factor = 1.0
        for k in range(self.degree + 1):  # Taylor's series at the start of every piece
            between[-1 - k] = self(starts, k) / factor
            factor *= k + 1
        breaks = np.concatenate([[low - (high - low)], starts, [high, high + (high - low)]])
        lines[-1, 0] -= lines[-2, 0] * (high - low)
        return Pieces(breaks, np.column_stack([lines[:, 0], between, lines[:, 1]]))

    @cached_property
    def _ends(self) -> Array:
        return np.append(self.breaks[1:-1], np.nan)  # no z is beyond the last one, not even inf

    @cached_property
    def _cells(self) -> tuple[Index, float, float]:
        """The piece at the start of every cell, the first cell, and the cells per unit.

        A rate of 0 means that the breaks are too uneven for cells.
        """
        low, high = float(self.breaks[0]), float(self.breaks[-1])
        count = 1 + int(min(np.ceil(1.01 * (high - low) / np.diff(self.breaks).min()), MAX_CELLS))
        edges = low + (high - low) / count * np.arange(count)
        first = np.searchsorted(self.breaks[1:-1], edges, side="right")
        rate = 0.0 if count > MAX_CELLS else count / (high - low)
        return first, low, rate

    @cached_property
    def _differentiated(self) -> Pieces:
        lower = Pieces(self.breaks, _differentiate(self.coefficients))
        window = self._window
        if window is not None:  # a derivative is zero where the function is
            window = window[0], _differentiate(window[1])
        vars(lower).update(_cells=self._cells, _ends=self._ends, _window=window)
        return lower


def _differentiate(coefficients: Array) -> Array:
    """Coefficients of the derivative, the highest power first."""
    degree = len(coefficients) - 1
    if degree == 0:
        return np.zeros_like(coefficients)
    return np.asarray(np.einsum("p,p...->p...", np.arange(degree, 0, -1.0), coefficients[:-1]))


def pieces_of_spline(knots: Array, coefficients: Array, degree: int) -> Pieces:
    """Convert a B-spline, or many (one per column), to pieces by Taylor series."""
    spline, breaks = scipy.interpolate.BSpline(knots, coefficients, degree), np.unique(knots)
    series = [spline(breaks[:-1], k) / math.factorial(k) for k in range(degree, -1, -1)]
    return Pieces(breaks, np.stack(series))


def pieces_of_hermite(abscissae: Array, values: Array, slopes: Array) -> Pieces:
    """Cubics between abscissae, with these values and slopes there."""
    table = scipy.interpolate.CubicHermiteSpline(abscissae, values, slopes)
    return Pieces(np.asarray(table.x), np.ascontiguousarray(table.c))
