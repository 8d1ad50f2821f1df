"""Simple shapes of a curve: linear, quadratic, saturating, kinked and others.

Each shape is a sum of a few functions of z with at most two inner parameters. The inner parameters
are searched on a grid and then refined; the others are fitted linearly.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import scipy

from .._typing import Array, Index
from ._shape_kinds import CURVED_SHAPES, SHAPES, ShapeKind

EXACT_R2, GOOD_R2, ROUGH_R2 = 0.9999, 0.99, 0.9  # it is, is nearly, is roughly this shape
LINE_R2, PARABOLA_R2 = 0.995, 0.9995  # enough, unless another shape is certain
CERTAIN_BESIDE_LINE_R2, CERTAIN_R2 = 0.999999, 0.99999  # of that other shape
MAX_SHAPE_NODES = 201
CLOSE_FITS = 20.0  # times the unexplained variance of the best shape: worth a comparison
LEFT_OUT_SHARE = 0.1  # of the points at either end, on which shapes are compared
MAX_MISSED_ENDS = 0.02  # of the variance of the curve, summed over the ends
MAX_CURVED_MISSED_ENDS = 0.1  # the same beside a line, where the ends are most of the variance
EPS = float(np.finfo(float).eps)
LINEAR_SHARE = 1e-9  # of a curve: what is left beside a line is rounding
MOST_KEPT = 256  # curves whose shapes are kept: plots, descriptions and pages ask for the same


@dataclass(frozen=True)
class Shape:
    """A fitted shape: its name, its R^2, and itself as text with the variable z."""

    name: str
    r2: float
    formula: str
    fit: "_ShapeFit | None" = field(default=None, repr=False, compare=False)

    def times(self, factor: float) -> "Shape":
        """The same shape with all values multiplied by a factor."""
        if self.fit is None:
            return self
        return replace(self, formula=self.fit.text(factor))

    @property
    def words(self) -> str:
        """The name of the shape, with "roughly" where it is approximate."""
        if self.r2 < ROUGH_R2:
            return "no simple shape"
        return self.name if self.r2 >= GOOD_R2 else f"roughly {self.name}"


@dataclass(frozen=True)
class _ShapeFit:
    """Fitted parameters of a shape on the range of its data."""

    kind: ShapeKind
    outer: tuple[float, ...]
    inner: tuple[float, ...]
    centre: float
    half: float

    def text(self, factor: float = 1.0) -> str:
        """The formula, with the values multiplied by a factor."""
        outer = [factor * value for value in self.outer]
        return self.kind.text(outer, self.inner, self.centre, self.half)


def nearest_shape(z: Array, g: Array) -> Shape:
    """The simplest shape that fits a curve exactly, else well, else the best one.

    >>> z = np.linspace(-1, 3, 50)
    >>> nearest_shape(z, 2 * z + 1)
    Shape(name='linear', r2=1.0, formula='2 z + 1')
    >>> nearest_shape(z, np.tanh(3 * (z - 1))).name
    'saturating'
    """
    z, g = _choose_nodes(z, g)
    return _find_nearest(z.tobytes(), g.tobytes(), False)


def nearest_curved_shape(z: Array, g: Array) -> Shape:
    """The nearest shape of a curve whose linear part is unknown; so is its formula.

    In a dynamic model the linear part of a curve cannot be separated from the linear model.

    >>> z = np.linspace(-2, 2, 50)
    >>> nearest_curved_shape(z, 3 * np.tanh(2 * z) - 4 * z)
    Shape(name='saturating', r2=1.0, formula='3 tanh(2 z)')
    """
    z, g = _choose_nodes(z, g)
    line = np.column_stack([z - z.mean(), np.ones(z.size)])
    rest = g - line @ np.linalg.lstsq(line, g, rcond=None)[0]
    size = float(np.linalg.norm(g - g.mean()))
    if np.linalg.norm(rest) <= LINEAR_SHARE * size:
        return Shape("linear", 1.0, "0")
    return _find_nearest(z.tobytes(), rest.tobytes(), True)


def _choose_nodes(z: Array, g: Array) -> tuple[Array, Array]:
    """Sorted nodes of a curve, at most ``MAX_SHAPE_NODES``."""
    order = np.argsort(z, kind="stable")
    nodes = np.unique(np.linspace(0, len(z) - 1, min(MAX_SHAPE_NODES, len(z))).astype(int))
    z, g = (np.asarray(x, dtype=float)[order][nodes] for x in (z, g))
    return z, g


@lru_cache(MOST_KEPT)
def _find_nearest(z_bytes: bytes, g_bytes: bytes, curved: bool) -> Shape:
    """The nearest shape of a curve given as the bytes of its sorted nodes."""
    z, g = np.frombuffer(z_bytes), np.frombuffer(g_bytes)
    kinds = CURVED_SHAPES if curved else SHAPES
    limit = MAX_CURVED_MISSED_ENDS if curved else MAX_MISSED_ENDS
    line, parabola = found = [_fit_shape(kind, z, g) for kind in kinds[:2]]
    if max(line.r2, parabola.r2) < EXACT_R2:
        found += [_best_beyond(kinds[2:], z, g, limit)]
    best = max(shape.r2 for shape in found)  # what fits little better may be the error of a model
    if line.r2 >= LINE_R2 and best < CERTAIN_BESIDE_LINE_R2 and not curved:
        return line
    if parabola.r2 >= PARABOLA_R2 and best < CERTAIN_R2:
        return parabola
    for enough in (EXACT_R2, GOOD_R2):
        for shape in found:
            if shape.r2 >= enough:
                return shape
    return max(found, key=lambda shape: shape.r2)


def _best_beyond(kinds: Sequence[ShapeKind], z: Array, g: Array, limit: float) -> Shape:
    """The shape that describes a curve best beyond the points that it is fitted to.

    Several shapes may fit a curve well where there are points; the wrong ones miss its ends when
    these are left out of the fit. Where all miss them, the best fit has no simple shape.
    """
    shapes = [_fit_shape(kind, z, g) for kind in kinds]
    best = max(shape.r2 for shape in shapes)
    if best < GOOD_R2:
        return max(shapes, key=lambda shape: shape.r2)
    close = [i for i, shape in enumerate(shapes) if 1 - shape.r2 <= CLOSE_FITS * (1 - best) + 1e-4]
    cut = max(1, round(LEFT_OUT_SHARE * len(z)))
    ends = np.concatenate([np.arange(cut), np.arange(len(z) - cut, len(z))])
    missed = [_miss_ends(kinds[i], z, g, ends) for i in close]
    spread = float(np.sum((g - g.mean()) ** 2))
    enough = 1.05 * min(missed) + 1e-6 * spread
    chosen = shapes[next(i for i, miss in zip(close, missed, strict=True) if miss <= enough)]
    if chosen.r2 < EXACT_R2 and min(missed) > limit * spread:
        return replace(chosen, r2=min(chosen.r2, ROUGH_R2 - 1e-6))
    return chosen


def _miss_ends(kind: ShapeKind, z: Array, g: Array, ends: Index) -> float:
    """Sum of squares at the ends of a shape that is fitted to the rest."""
    t, _, _ = _normalise(z)
    inner = np.setdiff1d(np.arange(len(z)), ends)
    parameters, outer, _ = _fit_parameters(kind, t[inner], g[inner])
    table = np.column_stack([*kind.columns(t[ends], parameters), np.ones(len(ends))])
    return float(np.sum((table @ outer - g[ends]) ** 2))


def _normalise(z: Array) -> tuple[Array, float, float]:
    """z on [-1, 1], with the centre and the half width of its range."""
    low, high = float(z.min()), float(z.max())
    centre, half = 0.5 * (low + high), 0.5 * (high - low) or 1.0
    return (z - centre) / half, centre, half


def _fit_shape(kind: ShapeKind, z: Array, g: Array) -> Shape:
    t, centre, half = _normalise(z)
    inner, outer, left = _fit_parameters(kind, t, g)
    total = float(np.sum((g - g.mean()) ** 2))
    rounding = g.size * (4 * EPS * float(np.abs(g).max())) ** 2
    r2 = 1.0 if total <= rounding else max(0.0, 1 - left / total)
    fit = _ShapeFit(kind, tuple(outer.tolist()), tuple(inner), centre, half)
    return Shape(kind.name, round(r2, 6), fit.text(), fit)


def _fit_parameters(kind: ShapeKind, t: Array, g: Array) -> tuple[Sequence[float], Array, float]:
    """Inner and outer parameters of a shape, and the residual sum of squares."""
    inner: Sequence[float] = ()
    with np.errstate(under="ignore"):  # of bumps, whatever numpy.seterr says
        if kind.grids:
            grid = np.array(list(product(*kind.grids)))
            rest = _sum_residuals(kind.columns(t, grid.T[:, :, None]), g)
            best = int(np.argmin(rest))
            inner = _refine_inner(
                lambda x: _sum_residuals_at(kind.columns(t, x), g),
                grid[best].tolist(),
                max(float(rest[best]), 1e-300),
                kind.grids,
            )
        outer, left = _fit_linear(kind.columns(t, inner), g)
    return inner, outer, left


def _refine_inner(
    rest: Callable[[Sequence[float]], float],
    inner: Sequence[float],
    scale: float,
    grids: Sequence[Array],
) -> tuple[float, ...]:
    """Refine the best point of the grid, hardly beyond the grid."""
    ends = [(grid.min(), grid.max()) for grid in grids]
    bounds = [(low - 0.1 * abs(low), high + 0.1 * abs(high)) for low, high in ends]
    end = scipy.optimize.minimize(
        lambda x: rest(x) / scale,
        inner,
        method="Nelder-Mead",
        bounds=bounds,
        options={"maxiter": 200},
    )
    return tuple(float(x) for x in end.x)


def _sum_residuals(columns: list[Array], g: Array) -> Array:
    """Residual sums of squares of ``_fit_linear``, for columns (..., N).

    Columns that the others and the constant give to rounding count for nothing.
    """
    n = g.size
    left = g - g.mean()
    units: list[Array] = []
    for column in columns:
        rest = column - column.mean(axis=-1, keepdims=True)
        for unit in units:
            rest = rest - _inner(rest, unit) * unit
        size, least = np.sqrt(_inner(rest, rest)), _least_norm(_inner(column, column), n)
        unit = rest / np.where(size > least, size, np.inf)
        left = left - _inner(left, unit) * unit
        units.append(unit)
    return np.asarray(_inner(left, left)[..., 0])


def _inner(a: Array, b: Array) -> Array:
    """Inner products of the last axis, which is kept."""
    return np.asarray(np.einsum("...n,...n->...", a, b)[..., None])


def _least_norm(square: Any, n: int) -> Any:
    """Norm of a column without mean below which the column is a constant to rounding."""
    return EPS * np.sqrt(n) * (n + square)


def _sum_residuals_at(columns: list[Array], g: Array) -> float:
    """``_sum_residuals`` for columns (N,), without the overhead of many axes."""
    n = g.size
    left = g - np.add.reduce(g) / n
    units: list[Array] = []
    for column in columns:
        rest = column - np.add.reduce(column) / n
        for unit in units:
            rest -= (rest @ unit) * unit
        size = sqrt(rest @ rest)
        if size > _least_norm(column @ column, n):
            rest /= size
            left -= (left @ rest) * rest
            units.append(rest)
    return float(left @ left)


def _fit_linear(columns: list[Array], g: Array) -> tuple[Array, float]:
    """Coefficients of the columns and a constant, and the residual sum of squares."""
    table = np.column_stack([*columns, np.ones(g.size)])
    outer = np.asarray(np.linalg.lstsq(table, g, rcond=None)[0], dtype=float)
    return outer, float(np.sum((table @ outer - g) ** 2))
