"""Levenberg-Marquardt on directions, with the coefficients eliminated."""

import numpy as np
from scipy.linalg import cho_solve

from ..._typing import Array, Mask
from ._fit import CURVE_PENALTY, DirectionFit, Tables, design_values, fit_coefficients, sum_splines
from ._problem import DirectionProblem, unit_rows

FIRST_DAMPING = 1e-3
MAX_DAMPED_STEPS = 6


def fit_directions(
    problem: DirectionProblem,
    directions: Array,
    n_splines: int,
    pattern: Mask | None = None,
    max_iterations: int = 20,
    tolerance: float = 1e-3,
) -> DirectionFit:
    """Improve directions by Levenberg-Marquardt; zeros outside a pattern."""
    pattern = np.ones(directions.shape, dtype=bool) if pattern is None else pattern
    fit = fit_coefficients(problem, unit_rows(directions * pattern), n_splines)
    free = np.flatnonzero(pattern & (pattern.sum(axis=1, keepdims=True) > 1))
    damping = FIRST_DAMPING
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
    slopes = sum_splines(tables.slopes, n_directions, coefficients)
    bends = sum_splines(tables.bends, n_directions, coefficients)
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
    """Inner products of those with linear part and curves, (m + D K, D m)."""
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
