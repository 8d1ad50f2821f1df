"""Tests of least squares with given directions, against the design written out."""

import numpy as np

from direction_problems import DIRECTIONS, make_problem
from unbraid.solvers.directions._fit import (
    NORMAL_RIDGE,
    design_values,
    fit_coefficients,
    make_tables,
    validation_errors,
)
from unbraid.solvers.directions._problem import unit_rows


def dense_system(problem, directions, knots):
    """Rows of values, then of the derivatives by every input; and what they should be."""
    points = problem.points[problem.fitted]
    tables = make_tables(points, directions, knots)
    rows, target = [design_values(points, tables)], [problem.values[problem.fitted]]
    by_column = np.repeat(directions, tables.slopes.shape[1] // len(directions), axis=0)
    for l in range(points.shape[1]):
        linear = np.tile(np.eye(points.shape[1])[l], (len(points), 1))
        block = np.hstack([np.zeros((len(points), 1)), linear, tables.slopes * by_column[:, l]])
        rows.append(np.sqrt(problem.slope_weight) * block)
        target.append(np.sqrt(problem.slope_weight) * problem.jacobians[problem.fitted, :, l])
    return np.vstack(rows), np.vstack(target)


def test_coefficients_agree_with_the_dense_system():
    problem = make_problem()
    directions = unit_rows(np.random.default_rng(1).normal(size=(2, 4)))
    fit = fit_coefficients(problem, directions, 8, curve_penalty=0.0)
    design, target = dense_system(problem, directions, fit.knots)
    matrix = design.T @ design
    matrix += NORMAL_RIDGE * np.trace(matrix) / len(matrix) * np.eye(len(matrix))
    expected = np.linalg.solve(matrix, design.T @ target)
    assert np.allclose(fit.coefficients, expected, atol=1e-7)
    rest = target - design @ fit.coefficients
    assert np.isclose(fit.cost, np.sum(rest**2))
    assert np.allclose(rest[: len(problem.fitted)], fit.residual)


def test_true_directions_fit_well():
    problem = make_problem()
    fit = fit_coefficients(problem, problem.standardise_directions(DIRECTIONS.T), 12)
    assert validation_errors(problem, fit).max() < 0.5


def test_penalty_makes_curves_smaller():
    problem = make_problem()
    near = unit_rows(np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.02, 0.0, 0.0]]))
    free, held = (fit_coefficients(problem, near, 8, curve_penalty=w) for w in (0.0, 1e-2))
    assert np.sum(held.coefficients[5:] ** 2) < 0.5 * np.sum(free.coefficients[5:] ** 2)


def test_no_directions_is_a_linear_fit():
    problem = make_problem(slope_weight=0.0)
    fit = fit_coefficients(problem, np.empty((0, 4)), 12)
    points = problem.points[problem.fitted]
    design = np.column_stack([np.ones(len(points)), points])
    expected = np.linalg.lstsq(design, problem.values[problem.fitted], rcond=None)[0]
    assert np.allclose(fit.coefficients, expected, atol=1e-7)
