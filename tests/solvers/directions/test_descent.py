"""Tests of Levenberg-Marquardt on directions."""

import numpy as np

from direction_problems import DIRECTIONS, make_problem
from unbraid.solvers.directions import _fit
from unbraid.solvers.directions._descent import fit_directions, normal_equations
from unbraid.solvers.directions._fit import fit_coefficients
from unbraid.solvers.directions._problem import unit_rows


def test_gradient_agrees_with_differences(monkeypatch):
    problem = make_problem()
    directions = unit_rows(np.random.default_rng(1).normal(size=(2, 4)))
    fit = fit_coefficients(problem, directions, 8)
    monkeypatch.setattr(_fit, "place_knots", lambda z, n: fit.knots)  # they move with z
    gradient = normal_equations(problem, fit)[1]
    step, expected = 1e-6, np.empty(8)
    for k in range(8):
        shift = step * np.eye(8)[k].reshape(2, 4)
        costs = [fit_coefficients(problem, directions + s * shift, 8).cost for s in (1, -1)]
        expected[k] = -(costs[0] - costs[1]) / (4 * step)
    assert np.allclose(gradient, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_finds_the_true_directions():
    problem = make_problem()
    start = unit_rows(problem.standardise_directions(DIRECTIONS.T) + 0.2)
    fit = fit_directions(problem, start, 12, max_iterations=40)
    true = problem.standardise_directions(DIRECTIONS.T)
    assert np.abs(np.sum(true * fit.directions, axis=1)).min() > 0.999


def test_zeros_of_the_pattern_stay():
    problem = make_problem()
    pattern = np.array([[True, True, False, False], [False, False, True, False]])
    fit = fit_directions(problem, np.ones((2, 4)), 12, pattern)
    assert np.array_equal(fit.directions != 0, pattern)
    assert np.allclose(np.linalg.norm(fit.directions, axis=1), 1)
