"""The normal equations of variable projection against dense ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from reference import function_space as dense
from solvers.varpro.problems import dense_problem, random_starts, shapes
from unbraid import BSpline, Polynomial
from unbraid.solvers.varpro._data import make_data
from unbraid.solvers.varpro._joint import evaluate
from unbraid.solvers.varpro._normal import assemble_normal_equations, assemble_part_matrices
from unbraid.solvers.varpro._stack import make_stack

BASES = {"polynomial": Polynomial(3), "spline": BSpline(7), "quintic": BSpline(9, degree=5)}


@pytest.mark.parametrize("kind", BASES)
@settings(max_examples=examples(12))
@given(seed=st.integers(0, 10**6), shape=shapes, weights=st.sampled_from([(1, 1), (1, 0), (0, 1)]))
def test_equations_equal_dense_ones(kind, seed, shape, weights):
    n, m, r = shape
    problem, W, V = random_starts(seed, n, m, r)
    data, basis = make_data(problem, *weights), BASES[kind]
    stack = make_stack(basis, problem.points @ V, 0.1)
    fit = evaluate(data, stack, W, V, stack.penalty(1e-3))
    normal, parts = assemble_normal_equations(data, fit), assemble_part_matrices(data, fit)
    for s in range(2):
        arguments = dense_problem(data, problem, stack, basis, s, V)
        x = np.concatenate([W[s].T.ravel(), V[s].T.ravel(), fit.C[s].ravel()])

        def rest(x, arguments=arguments):
            w, v, c = np.split(x, [r * n, r * (n + m)])
            parts = w.reshape(r, n).T, v.reshape(r, m).T, c.reshape(r, -1)
            return dense.residuals(*arguments, *parts)

        slope = dense.derivative(rest, x)
        outer, scale = r * (n + m), max(1.0, np.abs(slope.T @ slope).max())
        penalty = fit.penalty[s] if fit.penalty is not None else np.zeros((r, 1, 1))
        pull = np.einsum("iab,ib->ia", penalty, fit.C[s]).ravel()
        gradient = slope.T @ rest(x) + np.concatenate([np.zeros(outer), pull])
        np.testing.assert_allclose(normal.gradient[s], gradient, atol=1e-6 * scale)
        square = slope.T @ slope
        np.testing.assert_allclose(parts[0][s] + parts[1][s], square, atol=1e-5 * scale)
        np.testing.assert_allclose(normal.outer[s], square[:outer, :outer], atol=1e-5 * scale)
        np.testing.assert_allclose(normal.cross[s], square[:outer, outer:], atol=1e-5 * scale)
        loss = np.sum(rest(x) ** 2) + fit.C[s].ravel() @ pull
        np.testing.assert_allclose(fit.loss[s], loss, rtol=1e-8)
