"""The elimination of the coefficients against dense least squares."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference import function_space as dense
from solvers.varpro.problems import dense_problem, random_starts, shapes
from unbraid import BSpline, Fourier, Polynomial
from unbraid.solvers.varpro import _data
from unbraid.solvers.varpro._data import make_data
from unbraid.solvers.varpro._joint import evaluate, evaluate_starts
from unbraid.solvers.varpro._normal import assemble_normal_equations
from unbraid.solvers.varpro._stack import make_stack


@given(seed=st.integers(0, 10**6), shape=shapes)
def test_coefficients_are_the_least_squares_ones(seed, shape):
    n, m, r = shape
    problem, W, V = random_starts(seed, n, m, r)
    data, basis = make_data(problem), Polynomial(2)
    stack = make_stack(basis, problem.points @ V)
    fit = evaluate(data, stack, W, V)
    points, J, F, value_map, weights, bound = dense_problem(data, problem, stack, basis, 0, V)
    matrix = dense.design(points, value_map, weights, bound, W[0], V[0], n)
    target = -dense.residuals(
        points, J, F, value_map, weights, bound, W[0], V[0], np.zeros_like(fit.C[0])
    )
    best = np.linalg.lstsq(matrix, target, rcond=None)[0]
    least = np.sum((matrix @ best - target) ** 2)
    assert fit.loss[0] <= least * (1 + 1e-8)


def test_point_weights_are_repetitions():
    problem, W, V = random_starts(5, 2, 2, 2)
    rows = np.concatenate([np.arange(40), np.arange(10)])  # the first ten twice
    weights = np.where(np.arange(40) < 10, 2.0, 1.0)
    stack = make_stack(BSpline(7), problem.points @ V)
    one = evaluate(make_data(problem, point_weights=weights), stack, W, V)
    two = evaluate(make_data(problem.subset(rows)), stack, W, V)
    np.testing.assert_allclose(one.loss, two.loss, rtol=1e-8)
    np.testing.assert_allclose(one.C, two.C, rtol=1e-6, atol=1e-9)


def test_chunks_change_nothing(monkeypatch):
    problem, W, V = random_starts(7, 2, 2, 3, N=500)
    data = make_data(problem)
    stack = make_stack(BSpline(8), problem.points @ V)
    whole = evaluate(data, stack, W, V, stack.penalty(1e-4))
    equations = assemble_normal_equations(data, whole)
    monkeypatch.setattr(_data, "CHUNK_ENTRIES", 1)  # 64 points at a time
    parts = evaluate(data, stack, W, V, stack.penalty(1e-4))
    np.testing.assert_allclose(parts.C, whole.C, rtol=1e-7, atol=1e-10)
    again = assemble_normal_equations(data, whole)
    np.testing.assert_allclose(again.outer, equations.outer, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(again.cross, equations.cross, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(again.gradient, equations.gradient, atol=1e-12)


def test_branch_values_are_those_of_the_basis():
    problem, W, V = random_starts(2, 2, 2, 2)
    stack = make_stack(Fourier(2), problem.points @ V)
    fit = evaluate(make_data(problem), stack, W, V)
    for found, order in zip(evaluate_starts(fit, problem.points[None]), (0, 1), strict=True):
        for s in range(2):
            z = problem.points @ V[s]
            expected = dense.branches(stack.bound[s], fit.C[s], z, order)
            np.testing.assert_allclose(found[s], expected, atol=1e-12)
