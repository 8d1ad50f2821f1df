"""The normal equations of variable projection against the same thing written out densely."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unbraid.solvers.varpro._solver._joint import branch_values, evaluate, make_data
from unbraid.solvers.varpro._solver._levenberg import Patience, minimise, reduced, unit
from unbraid.solvers.varpro._solver._normal import normal_equations
from unbraid.solvers.varpro._solver._smoothing import cross_validated
from unbraid.solvers.varpro._solver._stack import make_stack

import unbraid
from effort import examples
from reference import function_space as dense
from unbraid import BSpline, Fourier, Polynomial
from unbraid.bases._legendre import legendre_design
from unbraid.solvers._constraints import Mould
from unbraid.solvers._problem import Problem, make_problem
from unbraid.solvers.varpro import _joint as joint

BASES = {"polynomial": Polynomial(3), "spline": BSpline(7), "quintic": BSpline(9, degree=5)}
shapes = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))


def random_problem(seed, n, m, r, N=40):
    rng = np.random.default_rng(seed)
    value_map = np.triu(rng.standard_normal((n, n)))
    frame = np.eye(n), np.eye(m), np.zeros(m), np.arange(N)
    points, jacobians = rng.standard_normal((N, m)), rng.standard_normal((N, n, m))
    values = rng.standard_normal((N, n))
    problem = Problem(points, jacobians, values, value_map, r, (Mould(),) * r, *frame)
    W, V = unit(rng.standard_normal((2, n, r))), unit(rng.standard_normal((2, m, r)))
    return problem, W, V


def dense_problem(data, problem, stack, basis, s, V):
    """Arguments of the dense residuals for one start."""
    z = problem.points @ V[s]
    bound = []
    for i in range(z.shape[1]):
        low = stack.centre[s, 0, i] - stack.half[s, 0, i]
        high = stack.centre[s, 0, i] + stack.half[s, 0, i]
        bound.append(
            basis.bind(np.array([low, high])) if stack.bound is None else stack.bound[s][i]
        )
    values = problem.values - problem.values.mean(axis=0)
    weights = data.jacobian_weight, data.value_weight
    return (problem.points, problem.jacobians, values, problem.value_map, weights, bound)


@pytest.mark.parametrize("kind", BASES)
@settings(max_examples=examples(12))
@given(seed=st.integers(0, 10**6), shape=shapes, weights=st.sampled_from([(1, 1), (1, 0), (0, 1)]))
def test_normal_equations(kind, seed, shape, weights):
    n, m, r = shape
    problem, W, V = random_problem(seed, n, m, r)
    data, basis = make_data(problem, *weights), BASES[kind]
    stack = make_stack(basis, problem.points @ V, 0.1)
    fit = evaluate(data, stack, W, V, stack.penalty(1e-3))
    normal = normal_equations(data, fit)
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
        both = normal.parts[0][s] + normal.parts[1][s]
        np.testing.assert_allclose(both, slope.T @ slope, atol=1e-5 * scale)
        loss = np.sum(rest(x) ** 2) + fit.C[s].ravel() @ pull
        np.testing.assert_allclose(fit.loss[s], loss, rtol=1e-8)


@given(seed=st.integers(0, 10**6), shape=shapes)
def test_coefficients_are_the_least_squares_ones(seed, shape):
    n, m, r = shape
    problem, W, V = random_problem(seed, n, m, r)
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


def test_eliminated_gradient_is_that_of_the_loss():
    problem, W, V = random_problem(3, 2, 3, 2)
    data = make_data(problem)
    stack = make_stack(BSpline(7), problem.points @ V, 0.2)
    penalty = stack.penalty(1e-3)
    fit = evaluate(data, stack, W, V, penalty)
    _, gradient = reduced(normal_equations(data, fit), fit)

    def loss(x):
        w, v = np.split(x, [4])
        return evaluate(
            data,
            stack.select(np.array([0])),
            w.reshape(1, 2, 2).swapaxes(1, 2),
            v.reshape(1, 2, 3).swapaxes(1, 2),
            penalty[:1],
        ).loss

    x = np.concatenate([W[0].T.ravel(), V[0].T.ravel()])
    slope = dense.derivative(loss, x)[0]
    np.testing.assert_allclose(gradient[0], 0.5 * slope, atol=1e-7)


def test_point_weights_are_repetitions():
    problem, W, V = random_problem(5, 2, 2, 2)
    rows = np.concatenate([np.arange(40), np.arange(10)])  # the first ten twice
    weights = np.where(np.arange(40) < 10, 2.0, 1.0)
    stack = make_stack(BSpline(7), problem.points @ V)
    one = evaluate(make_data(problem, point_weights=weights), stack, W, V)
    two = evaluate(make_data(problem.subset(rows)), stack, W, V)
    np.testing.assert_allclose(one.loss, two.loss, rtol=1e-8)
    np.testing.assert_allclose(one.C, two.C, rtol=1e-6, atol=1e-9)


def test_chunks_change_nothing(monkeypatch):
    problem, W, V = random_problem(7, 2, 2, 3, N=500)
    data = make_data(problem)
    stack = make_stack(BSpline(8), problem.points @ V)
    whole = evaluate(data, stack, W, V, stack.penalty(1e-4))
    equations = normal_equations(data, whole)
    monkeypatch.setattr(joint, "CHUNK", 1)  # 64 points at a time
    parts = evaluate(data, stack, W, V, stack.penalty(1e-4))
    np.testing.assert_allclose(parts.C, whole.C, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(
        normal_equations(data, whole).matrix, equations.matrix, rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(
        normal_equations(data, whole).gradient, equations.gradient, atol=1e-12
    )


def test_loss_never_rises_and_starts_do_not_touch_each_other():
    samples = unbraid.cases.toy_samples(60, 1)
    problem = make_problem(samples, 2)
    data = make_data(problem)
    rng = np.random.default_rng(0)
    W, V = unit(rng.standard_normal((3, 2, 2))), unit(rng.standard_normal((3, 2, 2)))
    stack = make_stack(Polynomial(3), problem.points @ V, 0.05)
    together = minimise(data, evaluate(data, stack, W, V), Patience(30))
    assert np.all(np.diff(together.history) <= 0)
    for s in range(3):
        one = np.array([s])
        alone = minimise(data, evaluate(data, stack.select(one), W[one], V[one]), Patience(30))
        np.testing.assert_allclose(alone.fit.loss[0], together.fit.loss[s], rtol=1e-3)


def test_branch_values_are_those_of_the_basis():
    problem, W, V = random_problem(2, 2, 2, 2)
    stack = make_stack(Fourier(2), problem.points @ V)
    fit = evaluate(make_data(problem), stack, W, V)
    g, slopes = branch_values(fit, problem.points)
    z = problem.points @ V[0]
    expected = dense.branches(stack.bound[0], fit.C[0], z, 0)
    np.testing.assert_allclose(g, expected - expected.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(slopes, dense.branches(stack.bound[0], fit.C[0], z, 1), atol=1e-12)


def test_cross_validation_smooths_noise_and_leaves_the_rest_alone():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (200, 1))
    chosen = {}
    for noise in (0.0, 0.5):
        jacobians = np.cos(4 * points)[:, None] * 4 + noise * rng.standard_normal((200, 1, 1))
        samples = unbraid.Samples(points, np.sin(4 * points), jacobians)
        problem = make_problem(samples, 1)
        data = make_data(problem, 1.0, 0.0)
        stack = make_stack(BSpline(40), problem.points[None])
        fit = evaluate(data, stack, np.ones((1, 1, 1)), np.ones((1, 1, 1)), stack.penalty(1e-11))
        chosen[noise] = cross_validated(data, fit)
    assert chosen[0.0] < 1e-8 < chosen[0.5]


@given(st.integers(1, 9), st.integers(0, 3))
def test_legendre_recurrences(degree, order):
    t = np.linspace(-1.3, 1.2, 11)
    table = legendre_design(t, degree, order)
    for k in range(1, degree + 1):
        series = np.polynomial.legendre.Legendre.basis(k)
        expected = series.deriv(order)(t) if order else series(t)
        np.testing.assert_allclose(table[:, k - 1], expected, rtol=1e-9, atol=1e-8)
