"""The V-updates against the paper as written and against dense linear algebra."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import paper
from solvers.filtered.problems import (
    CENTRAL,
    as_written,
    fitted_tensor,
    random_problem,
    seeds,
    sizes,
)
from solvers.problems import cubic_problem
from unbraid import BranchConstraint, DegenerateBranchError, Filter
from unbraid.solvers._problem import Problem
from unbraid.solvers.filtered import _als as als
from unbraid.solvers.filtered import _v_updates as v_updates
from unbraid.solvers.filtered._als import FilterObjective


@given(seed=seeds, size=sizes, explicit=st.booleans())
def test_objective_at_fixed_values_and_its_gradient_equal_the_paper(seed, size, explicit):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    G = rng.standard_normal((N, r))
    rms = rng.uniform(0.5, 2.0, (2, r))
    if explicit:
        objective = FilterObjective((Filter("central"),), (Filter("left"), Filter("right")), 0.7)

        def oracle(turned):
            return paper.explicit_objective(
                as_written(problem), problem.points, W, turned, G, 0.7, *rms
            )
    else:
        objective = FilterObjective((Filter("left"), Filter("right")))

        def oracle(turned):
            return paper.implicit_objective(
                as_written(problem), problem.points, W, turned, G, ("left", "right")
            )

    cost, gradient, _ = v_updates.evaluate_at_fixed_values(problem, objective, W, V, G, rms)
    assert cost == pytest.approx(oracle(V), rel=1e-8)
    direction = rng.standard_normal(V.shape)
    gap = min(np.diff(np.sort(problem.points @ v)).min() for v in V.T)
    h = 1e-5 * gap / np.abs(problem.points @ direction).max()
    numerical = (oracle(V + h * direction) - oracle(V - h * direction)) / (2 * h)
    analytic = -2 * gradient.reshape(r, m).T.ravel() @ direction.ravel()
    assert analytic == pytest.approx(numerical, rel=1e-3, abs=1e-5 * cost / (gap + 1e-12))


def test_function_step_gradient_is_that_of_a_function_of_z(rng):
    """With the true g of a smooth problem, the analytic gradient equals the numerical one."""
    N, n, m, r = 4000, 2, 2, 2
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    V /= np.linalg.norm(V, axis=0)
    points = rng.uniform(-1, 1, (N, m))
    jacobians = rng.standard_normal((1, n, m)) * points[:, :1, None]
    no_values = np.zeros((N, n)), np.eye(n)
    frame = np.eye(n), np.eye(m), np.zeros(m), np.arange(N), np.ones(m), np.ones(n)
    problem = Problem(points, jacobians, *no_values, r, (BranchConstraint(),) * r, *frame)

    def cost(V):
        return np.sum((jacobians - np.einsum("oi,ki,li->kol", W, np.sin(2 * points @ V), V)) ** 2)

    z = (points @ V).T
    turn = (2 * np.cos(2 * z))[:, :, None] * points
    gradient, hessian, _ = v_updates.assemble_v_equations(
        problem, W, V, np.sin(2 * z)[None], turn[None]
    )
    for i in range(r):
        for a in range(m):
            step = np.zeros_like(V)
            step[a, i] = 1e-6
            numerical = (cost(V + step) - cost(V - step)) / 2e-6
            assert -2 * gradient[i * m + a] == pytest.approx(numerical, rel=1e-6)
    assert np.linalg.eigvalsh(hessian).min() > -1e-9


@given(seed=seeds, explicit=st.booleans(), r=st.integers(1, 3))
def test_function_step_equals_a_dense_elimination(seed, explicit, r):
    """Tangents written out, slopes eliminated by a dense Schur complement."""
    n, m, N = 2, 2, 16
    problem, W, V, _ = random_problem(seed, n, m, r, N)
    objective = FilterObjective((Filter("left"), Filter("right")))
    if explicit:
        objective = FilterObjective((Filter("central"),), (Filter("left"), Filter("right")), 0.3)
    state = als.make_first_state(problem, objective, W, V)
    W, V, derivatives = state.W, state.V, state.derivatives
    bend = v_updates.estimate_bend(problem, state)
    moved = np.einsum("oi,sik,la->iaskol", W, derivatives, np.eye(m))
    turned = np.einsum("oi,li,ik,ka->iakol", W, V, bend, problem.points)
    by_V = moved + turned[:, :, None]
    by_W = np.einsum("oe,sik,li->ieskol", np.eye(n), derivatives, V)
    T = np.concatenate([by_V.reshape(r * m, -1), by_W.reshape(r * n, -1)])
    solver = objective.make_solver(state.axes, W, V, state.rms)
    A = np.vstack([matrix.toarray() for matrix in solver.operator.matrices])
    A = A.reshape(len(objective.data), r, N, -1)
    K = np.einsum("oi,li,sikd->skold", W, V, A).reshape(T.shape[1], -1)
    normal = K.T @ K
    if explicit:
        normal += (solver.penalty.T @ solver.penalty).toarray()
    residual = (problem.jacobians - fitted_tensor(W, V, derivatives)).ravel()
    expected = T @ T.T - (T @ K) @ np.linalg.pinv(normal, rcond=1e-12) @ (T @ K).T
    gradient, hessian, scale = v_updates.assemble_reduced_equations(problem, objective, state)
    np.testing.assert_allclose(gradient, T @ residual, atol=1e-9 * (1 + np.abs(T @ residual).max()))
    np.testing.assert_allclose(scale, np.diag(T @ T.T), rtol=1e-9)
    np.testing.assert_allclose(hessian, expected, atol=2e-2 * np.abs(np.diag(T @ T.T)).max())


def test_does_not_step_to_a_degenerate_branch(monkeypatch):
    problem, W, V = cubic_problem()
    state = als.make_first_state(problem, CENTRAL, W, V + 0.1)

    def degenerate(*_):
        raise DegenerateBranchError("z is the same at every point")

    monkeypatch.setattr(v_updates, "update_g_and_w", degenerate)
    after = v_updates.function_step(problem, CENTRAL, state)
    assert after.damping == 10 * state.damping
    assert after.V is state.V
    assert after.loss == state.loss


def test_columns_can_be_solved_one_by_one(monkeypatch):
    problem, W, V = cubic_problem()
    state = als.make_first_state(problem, CENTRAL, W, V + 0.1)
    _, at_once, _ = v_updates.assemble_reduced_equations(problem, CENTRAL, state)
    monkeypatch.setattr(v_updates, "MAX_SIDE_ENTRIES", 1)
    _, one_by_one, _ = v_updates.assemble_reduced_equations(problem, CENTRAL, state)
    np.testing.assert_allclose(one_by_one, at_once, atol=2e-2 * np.abs(at_once).max())
