"""Least squares in directions, with curves and linear part eliminated.

    f_o(p) ~ c_o + L_o p + sum_d h_od(a_d p),    grad f_o(p) ~ L_o + sum_d h_od'(a_d p) a_d

in standardised inputs and outputs. The curves are cubic B-splines without the first and the last
one: constant and linear part take their place. For given directions all outputs share one normal
matrix, whose sums over the points need no array beyond N times the number of coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..._typing import Array, Index, Mask
from ._problem import DirectionProblem, unit_rows
from ._splines import evaluate_splines, place_knots

RIDGE = 1e-10  # relative to the mean of the diagonal of the normal matrix
CURVE_PENALTY = 1e-3  # on the squares of the curves: against large ones that cancel
INITIAL_DAMPING = 1e-3
MAX_DAMPED_STEPS = 6


@dataclass(frozen=True, eq=False)
class Tables:
    """Splines of all directions and two derivatives at some rows, each (N, D (K - 2))."""

    splines: Array
    slopes: Array
    bends: Array


@dataclass(frozen=True, eq=False)
class DirectionFit:
    """Directions with their best coefficients.

    Attributes
    ----------
    directions : (D, m)
        Unit rows.
    knots : (D, K + 4)
    coefficients : (1 + m + D (K - 2), n)
        Offset, linear part and curves, one column per output.
    residual, slope_residual : (N, n), (N, n, m)
        At the fitted rows.
    cost : float
    matrix, target : arrays
        Normal equations of the coefficients.
    tables, factor
        Splines at the fitted rows, and the factor of the matrix.
    """

    directions: Array
    knots: Array
    coefficients: Array
    residual: Array
    slope_residual: Array
    cost: float
    matrix: Array
    target: Array
    tables: Tables
    factor: tuple[Array, bool]

    @property
    def n_splines(self) -> int:
        return int(self.knots.shape[1]) - 4

    @property
    def n_curve_coefficients(self) -> int:
        """Per curve: without the first and the last spline."""
        return self.n_splines - 2

    def curve_coefficients(self) -> Array:
        """Coefficients of the curves, (D, K - 2, n)."""
        n_inputs = self.directions.shape[1]
        shape = (len(self.directions), self.n_curve_coefficients, -1)
        return self.coefficients[1 + n_inputs :].reshape(shape)

    def predict(self, points: Array) -> Array:
        """Values at standardised points."""
        tables = make_tables(points, self.directions, self.knots)
        return np.asarray(design_values(points, tables) @ self.coefficients)


def make_tables(points: Array, directions: Array, knots: Array) -> Tables:
    """Splines of all directions at some points."""
    if not len(directions):
        empty = np.empty((len(points), 0))
        return Tables(empty, empty, empty)
    found = evaluate_splines(directions @ points.T, knots)
    flat = [table[:, :, 1:-1].transpose(1, 0, 2).reshape(len(points), -1) for table in found]
    return Tables(*flat)


def design_values(points: Array, tables: Tables) -> Array:
    """Columns of the offset, the linear part and the curves."""
    return np.hstack([np.ones((len(points), 1)), points, tables.splines])


def fit_coefficients(
    problem: DirectionProblem,
    directions: Array,
    n_splines: int,
    rows: Index | None = None,
    curve_penalty: float = CURVE_PENALTY,
) -> DirectionFit:
    """The best offset, linear part and curves for given directions."""
    rows = problem.fitted if rows is None else rows
    points, values = problem.points[rows], problem.values[rows]
    jacobians = problem.jacobians[rows]
    knots = np.empty((0, n_splines + 4))
    if len(directions):
        knots = place_knots(directions @ problem.points.T, n_splines)
    tables = make_tables(points, directions, knots)
    design = design_values(points, tables)
    matrix_of_values = design.T @ design
    matrix = matrix_of_values.copy()
    target = design.T @ values
    if problem.slope_weight:
        _add_slopes(matrix, target, problem.slope_weight, directions, tables, jacobians)
    blocks = _find_blocks(len(directions), matrix, problem.sizes[2])
    penalties = [curve_penalty * matrix_of_values[block, block] for block in blocks]
    for block, penalty in zip(blocks, penalties, strict=True):
        matrix[block, block] += penalty
    matrix[np.diag_indices_from(matrix)] += RIDGE * np.trace(matrix) / len(matrix)
    factor = cho_factor(matrix, check_finite=False)
    coefficients = cho_solve(factor, target, check_finite=False)
    residual = values - design @ coefficients
    slope_residual = _subtract_slopes(jacobians, directions, tables, coefficients)
    cost = np.sum(residual**2) + problem.slope_weight * np.sum(slope_residual**2)
    for block, penalty in zip(blocks, penalties, strict=True):
        cost += np.sum(coefficients[block] * (penalty @ coefficients[block]))
    return DirectionFit(
        directions,
        knots,
        coefficients,
        residual,
        slope_residual,
        float(cost),
        matrix,
        target,
        tables,
        factor,
    )


def _find_blocks(n_directions: int, matrix: Array, n_inputs: int) -> list[slice]:
    """Columns of the curves along each direction."""
    begin = 1 + n_inputs
    size = (len(matrix) - begin) // max(n_directions, 1)
    return [slice(begin + d * size, begin + (d + 1) * size) for d in range(n_directions)]


def _add_slopes(
    matrix: Array,
    target: Array,
    weight: float,
    directions: Array,
    tables: Tables,
    jacobians: Array,
) -> None:
    """Add the normal equations of the Jacobians."""
    n_points, _, m = jacobians.shape
    n_curves = tables.slopes.shape[1]
    linear, curves = slice(1, 1 + m), slice(1 + m, 1 + m + n_curves)
    matrix[linear, linear] += weight * n_points * np.eye(m)
    target[linear] += weight * jacobians.sum(axis=0).T
    if not n_curves:
        return
    size = n_curves // len(directions)
    by_column = np.repeat(directions, size, axis=0)  # direction of each column
    cross = weight * by_column.T * tables.slopes.sum(axis=0)
    matrix[linear, curves] += cross
    matrix[curves, linear] += cross.T
    matrix[curves, curves] += weight * (by_column @ by_column.T) * (tables.slopes.T @ tables.slopes)
    along = np.einsum("kol,dl->kdo", jacobians, directions)
    slopes = tables.slopes.reshape(n_points, len(directions), size)
    target[curves] += weight * np.einsum("kds,kdo->dso", slopes, along).reshape(n_curves, -1)


def _subtract_slopes(
    jacobians: Array, directions: Array, tables: Tables, coefficients: Array
) -> Array:
    """Residual of the Jacobians, (N, n, m)."""
    m = jacobians.shape[2]
    rest = jacobians - coefficients[1 : 1 + m].T
    if len(directions):
        slopes = _sum_splines(tables.slopes, len(directions), coefficients[1 + m :])
        rest -= np.einsum("kdo,dl->kol", slopes, directions)
    return np.asarray(rest)


def curve_values(fit: DirectionFit, points: Array) -> Array:
    """Curves of a fit at standardised points, (N, D, n)."""
    splines = make_tables(points, fit.directions, fit.knots).splines
    m = points.shape[1]
    if not len(fit.directions):
        return np.empty((len(points), 0, fit.coefficients.shape[1]))
    return _sum_splines(splines, len(fit.directions), fit.coefficients[1 + m :])


def _sum_splines(table: Array, n_directions: int, coefficients: Array) -> Array:
    """Curves, or derivatives of them, at the rows of a table (N, D K); (N, D, n)."""
    by_direction = table.reshape(len(table), n_directions, -1)
    parts = coefficients.reshape(n_directions, by_direction.shape[2], -1)
    return np.asarray(np.einsum("kds,dso->kdo", by_direction, parts, optimize=True))


def validation_errors(problem: DirectionProblem, fit: DirectionFit) -> Array:
    """Error of each output on the validation rows, in % of its spread."""
    rows = problem.validation
    rest = problem.values[rows] - fit.predict(problem.points[rows])
    return np.asarray(100 * np.sqrt(np.mean(rest**2, axis=0)))


def total_error(errors: Array) -> float:
    """Root mean square over the outputs."""
    return float(np.sqrt(np.mean(np.square(errors))))


def fit_directions(
    problem: DirectionProblem,
    directions: Array,
    n_splines: int,
    pattern: Mask | None = None,
    max_iterations: int = 20,
    tolerance: float = 1e-3,
) -> DirectionFit:
    """Improve directions by Levenberg-Marquardt; entries outside the pattern are zero."""
    pattern = np.ones(directions.shape, dtype=bool) if pattern is None else pattern
    fit = fit_coefficients(problem, unit_rows(directions * pattern), n_splines)
    free = np.flatnonzero(pattern & (pattern.sum(axis=1, keepdims=True) > 1))
    damping = INITIAL_DAMPING
    for _ in range(max_iterations if free.size else 0):
        matrix, gradient = normal_equations(problem, fit)
        matrix, gradient = matrix[np.ix_(free, free)], gradient[free]
        before = fit.cost
        for _ in range(MAX_DAMPED_STEPS):
            step = np.zeros(directions.size)
            step[free] = _damped_step(matrix, gradient, damping)
            trial_directions = unit_rows(fit.directions + step.reshape(directions.shape))
            trial = fit_coefficients(problem, trial_directions, n_splines)
            if trial.cost < fit.cost:
                fit, damping = trial, max(damping / 5, 1e-9)
                break
            damping *= 8
        if before - fit.cost <= tolerance * before:
            break
    return fit


def _damped_step(matrix: Array, gradient: Array, damping: float) -> Array:
    diagonal = np.diag(matrix)
    damped = matrix + np.diag(damping * diagonal + 1e-12 * diagonal.sum() + 1e-300)
    return np.asarray(np.linalg.solve(damped, gradient))


def normal_equations(problem: DirectionProblem, fit: DirectionFit) -> tuple[Array, Array]:
    """Gauss-Newton matrix (D m, D m) and descent direction, coefficients eliminated."""
    points, weight = problem.points[problem.fitted], problem.slope_weight
    directions, tables = fit.directions, fit.tables
    n_directions, m = directions.shape
    coefficients = fit.coefficients[1 + m :]
    slopes = _sum_splines(tables.slopes, n_directions, coefficients)
    bends = _sum_splines(tables.bends, n_directions, coefficients)
    design = design_values(points, tables)
    size = n_directions * m
    matrix, gradient = np.zeros((size, size)), np.zeros(size)
    cosines = directions @ directions.T
    for o in range(problem.sizes[1]):
        h1, h2 = slopes[:, :, o], bends[:, :, o]
        first = _times_points(h1, points)
        cross = design.T @ first
        matrix += first.T @ first
        gradient += first.T @ fit.residual[:, o]
        _add_penalty(matrix, gradient, cross, first, tables, coefficients[:, o], n_directions)
        if weight:
            second = _times_points(h2, points)
            rest = fit.slope_residual[:, o]
            along = rest @ directions.T
            gradient += weight * ((h2 * along).T @ points + h1.T @ rest).ravel()
            matrix += weight * _slope_products(h1, second, directions, cosines)
            cross[1:] += weight * _slope_cross(tables.slopes, h1, second, directions, cosines)
        matrix -= cross.T @ cho_solve(fit.factor, cross, check_finite=False)
    return matrix, gradient


def _add_penalty(
    matrix: Array,
    gradient: Array,
    cross: Array,
    first: Array,
    tables: Tables,
    coefficients: Array,
    n_directions: int,
) -> None:
    """Add the penalty on the curves to the normal equations of one output."""
    m = first.shape[1] // n_directions
    size = len(coefficients) // n_directions
    for d in range(n_directions):
        entries, columns = slice(d * m, (d + 1) * m), slice(d * size, (d + 1) * size)
        splines, turned = tables.splines[:, columns], first[:, entries]
        matrix[entries, entries] += CURVE_PENALTY * turned.T @ turned
        gradient[entries] -= CURVE_PENALTY * turned.T @ (splines @ coefficients[columns])
        rows = slice(1 + m + d * size, 1 + m + (d + 1) * size)
        cross[rows, entries] += CURVE_PENALTY * splines.T @ turned


def _times_points(table: Array, points: Array) -> Array:
    """Products of (N, D) and (N, m) as (N, D m)."""
    return (table[:, :, None] * points[:, None, :]).reshape(len(points), -1)


def _slope_products(h1: Array, second: Array, directions: Array, cosines: Array) -> Array:
    """Inner products of derivatives of the Jacobians in the entries of directions."""
    n_directions, m = directions.shape
    wide = (n_directions, m, n_directions, m)
    mixed = (second.T @ h1).reshape(n_directions, m, n_directions)
    turned = np.einsum("dle,dk->dlek", mixed, directions)
    products = (second.T @ second).reshape(wide) * cosines[:, None, :, None]
    products += turned + turned.transpose(2, 3, 0, 1)
    products += np.einsum("de,lk->dlek", h1.T @ h1, np.eye(m))
    return products.reshape(n_directions * m, -1)


def _slope_cross(
    spline_slopes: Array, h1: Array, second: Array, directions: Array, cosines: Array
) -> Array:
    """Inner products of those derivatives with linear part and curves, (m + D K, D m)."""
    n_directions, m = directions.shape
    size = spline_slopes.shape[1] // n_directions
    totals = second.sum(axis=0).reshape(n_directions, m)
    linear = np.einsum("dl,dk->kdl", totals, directions)
    linear += np.einsum("d,lk->kdl", h1.sum(axis=0), np.eye(m))
    by_bend = (spline_slopes.T @ second).reshape(n_directions, size, n_directions, m)
    by_slope = (spline_slopes.T @ h1).reshape(n_directions, size, n_directions)
    curves = by_bend * cosines[:, None, :, None]
    curves += np.einsum("esd,el->esdl", by_slope, directions)
    return np.vstack([linear.reshape(m, -1), curves.reshape(n_directions * size, -1)])
