"""Every fast update against the paper as written, on random problems."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import paper
from unbraid import Filter, Mould
from unbraid.solvers._problem import Problem
from unbraid.solvers.filtered import _als as als
from unbraid.solvers.filtered import _v_updates as vsteps
from unbraid.solvers.filtered._als import Objective

KINDS = ["left", "right", "central"]
sizes = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(8, 20))
seeds = st.integers(0, 100_000)


def random_problem(seed, n, m, r, N):
    """A problem in its own units with random everything: nothing is smooth or exact."""
    rng = np.random.default_rng(seed)
    problem = Problem(
        rng.standard_normal((N, m)),
        rng.standard_normal((N, n, m)),
        np.zeros((N, n)),
        np.eye(n),
        r,
        (Mould(),) * r,
        np.eye(n),
        np.eye(m),
        np.zeros(m),
        np.arange(N),
    )
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    return problem, W, V / np.linalg.norm(V, axis=0), rng


def axes_of(problem, V):
    return tuple(problem.axis(i, V[:, i]) for i in range(V.shape[1]))


def as_written(problem):
    """n x m x N."""
    return problem.jacobians.transpose(1, 2, 0)


def fitted_tensor(W, V, derivatives):
    return np.einsum("oi,sik,li->skol", W, derivatives, V)


def test_the_two_forms_of_the_toy_problem_agree():
    from unbraid.cases import toy_decoupled, toy_polynomial

    points = np.random.default_rng(0).uniform(-1.5, 1.5, (50, 2))
    np.testing.assert_allclose(
        toy_polynomial()(points), toy_decoupled(points), rtol=1e-11, atol=1e-9
    )


@given(seed=seeds, size=sizes, kinds=st.sampled_from([KINDS[:2], KINDS]), k=st.integers(2, 4))
def test_g_update_of_the_implicit_method(seed, size, kinds, k):
    n, m, r, N = size
    problem, W, V, _ = random_problem(seed, n, m, r, N)
    objective = Objective(tuple(Filter(kind, k) for kind in kinds), accuracy=1e-12)
    solver = objective.solver(axes_of(problem, V), W, V, np.ones((2, r)))
    slopes = als.g_update(problem, solver, W, V)
    derivatives = solver.operator.apply(slopes)

    G = paper.implicit_g_update(as_written(problem), problem.points, W, V, kinds, k)
    expected = np.stack(
        [paper.filtered(paper.filters(problem.points, V, s, k), G).T for s in kinds]
    )
    # where r > rank the derivatives are not unique but the tensor that they make is
    np.testing.assert_allclose(
        fitted_tensor(W, V, derivatives), fitted_tensor(W, V, expected), atol=2e-6
    )
    mixing = (V.T @ V) * (W.T @ W)
    if np.linalg.cond(mixing) < 1e3:
        np.testing.assert_allclose(derivatives, expected, atol=1e-4 * np.abs(expected).max())


@given(seed=seeds, size=sizes, root=st.floats(1e-2, 1e2))
def test_g_update_of_the_explicit_method(seed, size, root):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    filters = tuple(Filter(kind) for kind in ("central", "left", "right"))
    rms = rng.uniform(0.5, 2.0, (2, r))
    objective = Objective(filters[:1], filters[1:], root**2, accuracy=1e-12)
    solver = objective.solver(axes_of(problem, V), W, V, rms)
    slopes = als.g_update(problem, solver, W, V)
    derivatives = solver.operator.apply(slopes)

    G = paper.explicit_g_update(as_written(problem), problem.points, W, V, root**2, *rms)
    ours = als.loss(problem, W, V, slopes, derivatives, solver.penalty)
    ours *= np.sum(problem.jacobians**2)
    exact = paper.explicit_objective(as_written(problem), problem.points, W, V, G, root**2, *rms)
    assert ours == pytest.approx(exact, rel=1e-5, abs=1e-7)


@given(seed=seeds, size=sizes)
def test_minimum_norm_where_the_system_is_singular(seed, size):
    n, m, _, N = size
    r = n * m + 2
    problem, W, V, _ = random_problem(seed, n, m, r, N)
    objective = Objective((Filter("left"), Filter("right")), accuracy=1e-13)
    solver = objective.solver(axes_of(problem, V), W, V, np.ones((2, r)))
    solver = replace(solver, max_iterations=5000)  # random problems can be as bad as they like
    slopes = als.g_update(problem, solver, W, V)
    mixing = (V.T @ V) * (W.T @ W)
    # dense: least sum_i C_ii |g'_i|^2 among all minimisers
    A = np.vstack([matrix.toarray() for matrix in solver.operator.matrices])
    shape = (2, r, N)
    root = np.linalg.cholesky(
        np.diag(np.repeat(np.diag(mixing), solver.operator.sizes)) ** 0.5
        @ (A.T @ A)
        @ np.diag(np.repeat(np.diag(mixing), solver.operator.sizes)) ** 0.5
    )
    K = np.einsum("oi,li,sikd->skold", W, V, A.reshape(*shape, -1)).reshape(-1, A.shape[1])
    target = np.tile(problem.jacobians, (2, 1, 1, 1)).ravel()
    inverse = np.linalg.inv(root.T)
    expected = inverse @ (np.linalg.pinv(K @ inverse, rcond=1e-9) @ target)
    size_found = np.sum((root.T @ slopes) ** 2)
    size_expected = np.sum((root.T @ expected) ** 2)
    assert size_found <= size_expected * (1 + 1e-3) + 1e-9
    np.testing.assert_allclose(K @ slopes, K @ expected, atol=1e-4)


@given(seed=seeds, size=sizes)
def test_w_and_relaxed_v_updates(seed, size):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    derivatives = rng.standard_normal((2, r, N))
    stacked = [d.T for d in derivatives]
    ours = als.w_update(problem, V, derivatives)
    exact = paper.w_update(as_written(problem), V, stacked)
    np.testing.assert_allclose(
        fitted_tensor(ours, V, derivatives), fitted_tensor(exact, V, derivatives), atol=1e-6
    )
    ours = als.v_relaxed(problem, W, derivatives)
    exact = paper.v_relaxed(as_written(problem), W, stacked)
    np.testing.assert_allclose(
        fitted_tensor(W, ours, derivatives), fitted_tensor(W, exact, derivatives), atol=1e-6
    )


@given(seed=seeds, size=sizes, explicit=st.booleans())
def test_v_objective_and_its_derivative(seed, size, explicit):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    G = rng.standard_normal((N, r))
    rms = rng.uniform(0.5, 2.0, (2, r))
    if explicit:
        objective = Objective((Filter("central"),), (Filter("left"), Filter("right")), 0.7)

        def oracle(turned):
            return paper.explicit_objective(
                as_written(problem), problem.points, W, turned, G, 0.7, *rms
            )
    else:
        objective = Objective((Filter("left"), Filter("right")))

        def oracle(turned):
            return paper.implicit_objective(
                as_written(problem), problem.points, W, turned, G, ("left", "right")
            )

    cost, gradient, _ = vsteps.sticking_objective(problem, objective, W, V, G, rms)
    assert cost == pytest.approx(oracle(V), rel=1e-8)
    direction = rng.standard_normal(V.shape)
    gap = min(np.diff(np.sort(problem.points @ v)).min() for v in V.T)
    h = 1e-5 * gap / np.abs(problem.points @ direction).max()
    numerical = (oracle(V + h * direction) - oracle(V - h * direction)) / (2 * h)
    analytic = -2 * gradient.reshape(r, m).T.ravel() @ direction.ravel()
    assert analytic == pytest.approx(numerical, rel=1e-3, abs=1e-5 * cost / (gap + 1e-12))


@given(seed=seeds, size=sizes)
def test_w_and_g_updates_never_raise_the_objective(seed, size):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    objective = Objective((Filter("left"), Filter("right")))
    axes, rms = axes_of(problem, V), np.ones((2, r))
    operator = objective.solver(axes, W, V, rms).operator
    slopes = rng.standard_normal(operator.matrices[0].shape[1])

    def loss(W, slopes):
        return als.loss(problem, W, V, slopes, operator.apply(slopes))

    losses = [loss(W, slopes)]
    for _ in range(3):
        slopes = als.g_update(problem, objective.solver(axes, W, V, rms), W, V)
        losses.append(loss(W, slopes))
        W = als.w_update(problem, V, operator.apply(slopes))
        losses.append(loss(W, slopes))
    assert np.all(np.diff(losses) <= 1e-10)


def test_function_step_gradient_is_that_of_a_function_of_z(rng):
    """With the true g of a smooth problem, the analytic gradient equals the numerical one."""
    N, n, m, r = 4000, 2, 2, 2
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    V /= np.linalg.norm(V, axis=0)
    points = rng.uniform(-1, 1, (N, m))
    jacobians = rng.standard_normal((1, n, m)) * points[:, :1, None]
    no_values = np.zeros((N, n)), np.eye(n)
    frame = np.eye(n), np.eye(m), np.zeros(m), np.arange(N)
    problem = Problem(points, jacobians, *no_values, r, (Mould(),) * r, *frame)

    def cost(V):
        return np.sum((jacobians - np.einsum("oi,ki,li->kol", W, np.sin(2 * points @ V), V)) ** 2)

    z = (points @ V).T
    turn = (2 * np.cos(2 * z))[:, :, None] * points
    gradient, hessian, _ = vsteps.v_normal_equations(problem, W, V, np.sin(2 * z)[None], turn[None])
    for i in range(r):
        for a in range(m):
            step = np.zeros_like(V)
            step[a, i] = 1e-6
            numerical = (cost(V + step) - cost(V - step)) / 2e-6
            assert -2 * gradient[i * m + a] == pytest.approx(numerical, rel=1e-6)
    assert np.linalg.eigvalsh(hessian).min() > -1e-9


@given(seed=seeds, explicit=st.booleans(), r=st.integers(1, 3))
def test_function_step_against_a_dense_elimination(seed, explicit, r):
    """Tangents written out, slopes eliminated by a dense Schur complement."""
    n, m, N = 2, 2, 16
    problem, W, V, _ = random_problem(seed, n, m, r, N)
    objective = Objective((Filter("left"), Filter("right")))
    if explicit:
        objective = Objective((Filter("central"),), (Filter("left"), Filter("right")), 0.3)
    state = als.start(problem, objective, W, V)
    W, V, derivatives = state.W, state.V, state.derivatives
    bend = vsteps.bending(problem, state)
    moved = np.einsum("oi,sik,la->iaskol", W, derivatives, np.eye(m))
    turned = np.einsum("oi,li,ik,ka->iakol", W, V, bend, problem.points)
    by_V = moved + turned[:, :, None]
    by_W = np.einsum("oe,sik,li->ieskol", np.eye(n), derivatives, V)
    T = np.concatenate([by_V.reshape(r * m, -1), by_W.reshape(r * n, -1)])
    solver = objective.solver(state.axes, W, V, state.rms)
    A = np.vstack([matrix.toarray() for matrix in solver.operator.matrices])
    A = A.reshape(len(objective.data), r, N, -1)
    K = np.einsum("oi,li,sikd->skold", W, V, A).reshape(T.shape[1], -1)
    normal = K.T @ K
    if explicit:
        normal += (solver.penalty.T @ solver.penalty).toarray()
    residual = (problem.jacobians - fitted_tensor(W, V, derivatives)).ravel()
    expected = T @ T.T - (T @ K) @ np.linalg.pinv(normal, rcond=1e-12) @ (T @ K).T
    gradient, hessian, scale = vsteps.reduced_normal_equations(problem, objective, state)
    np.testing.assert_allclose(gradient, T @ residual, atol=1e-9 * (1 + np.abs(T @ residual).max()))
    np.testing.assert_allclose(scale, np.diag(T @ T.T), rtol=1e-9)
    np.testing.assert_allclose(hessian, expected, atol=2e-2 * np.abs(np.diag(T @ T.T)).max())


@given(seed=seeds, size=sizes)
def test_a_g_update_from_any_guess_lowers_the_penalised_objective(seed, size):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    objective = Objective((Filter("central"),), (Filter("left"), Filter("right")), 0.5)
    solver = objective.solver(axes_of(problem, V), W, V, rng.uniform(0.5, 2, (2, r)))
    guess = rng.standard_normal(solver.operator.matrices[0].shape[1])

    def loss(slopes):
        derivatives = solver.operator.apply(slopes)
        return als.loss(problem, W, V, slopes, derivatives, solver.penalty)

    before = loss(guess)
    assert loss(als.g_update(problem, solver, W, V, guess.copy())) <= before + 1e-10


def test_many_right_hand_sides_are_solved_like_one(rng):
    problem, W, V, _ = random_problem(0, 2, 2, 3, 30)
    objective = Objective((Filter("left"), Filter("right")), accuracy=1e-10)
    solver = objective.solver(axes_of(problem, V), W, V, np.ones((2, 3)))
    sides = rng.standard_normal((solver.operator.matrices[0].shape[1], 4))
    together = solver.solve_many(sides.copy())
    for side, found in zip(sides.T, together.T, strict=True):
        np.testing.assert_allclose(found, solver.solve(side.copy()), atol=1e-6)


def test_cores_share_large_problems_without_changing_them(monkeypatch):
    from unbraid.solvers.filtered import _slopes as slopes

    problem, W, V, _ = random_problem(1, 2, 2, 3, 40)
    objective = Objective((Filter("left"), Filter("right")), accuracy=1e-10)
    alone = als.g_update(
        problem, objective.solver(axes_of(problem, V), W, V, np.ones((2, 3))), W, V
    )
    monkeypatch.setattr(slopes, "THREADS_PAY", 10)
    solver = objective.solver(axes_of(problem, V), W, V, np.ones((2, 3)))
    assert len(solver.operator.matrices) == 2
    np.testing.assert_allclose(als.g_update(problem, solver, W, V), alone, atol=1e-7)
