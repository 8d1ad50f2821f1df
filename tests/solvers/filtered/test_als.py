"""The updates of G, W and V against the paper as written, on random problems."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import paper
from solvers.filtered.problems import (
    as_written,
    axes_of,
    fitted_tensor,
    random_problem,
    seeds,
    sizes,
)
from unbraid import Filter
from unbraid.solvers.filtered import _als as als
from unbraid.solvers.filtered._als import FilterObjective

KINDS = ["left", "right", "central"]


@given(seed=seeds, size=sizes, kinds=st.sampled_from([KINDS[:2], KINDS]), k=st.integers(2, 4))
def test_implicit_g_update_equals_the_paper(seed, size, kinds, k):
    n, m, r, N = size
    problem, W, V, _ = random_problem(seed, n, m, r, N)
    objective = FilterObjective(tuple(Filter(kind, k) for kind in kinds), accuracy=1e-12)
    solver = objective.make_solver(axes_of(problem, V), W, V, np.ones((2, r)))
    slopes = als.update_g(problem, solver, W, V)
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
def test_explicit_g_update_equals_the_paper(seed, size, root):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    filters = tuple(Filter(kind) for kind in ("central", "left", "right"))
    rms = rng.uniform(0.5, 2.0, (2, r))
    objective = FilterObjective(filters[:1], filters[1:], root**2, accuracy=1e-12)
    solver = objective.make_solver(axes_of(problem, V), W, V, rms)
    slopes = als.update_g(problem, solver, W, V)
    derivatives = solver.operator.apply(slopes)

    G = paper.explicit_g_update(as_written(problem), problem.points, W, V, root**2, *rms)
    ours = als.compute_loss(problem, W, V, slopes, derivatives, solver.penalty)
    ours *= np.sum(problem.jacobians**2)
    exact = paper.explicit_objective(as_written(problem), problem.points, W, V, G, root**2, *rms)
    assert ours == pytest.approx(exact, rel=1e-5, abs=1e-7)


@given(seed=seeds, size=sizes)
def test_singular_g_update_has_minimum_norm(seed, size):
    n, m, _, N = size
    r = n * m + 2
    problem, W, V, _ = random_problem(seed, n, m, r, N)
    objective = FilterObjective((Filter("left"), Filter("right")), accuracy=1e-13)
    solver = objective.make_solver(axes_of(problem, V), W, V, np.ones((2, r)))
    solver = replace(solver, max_iterations=5000)  # random problems can be as bad as they like
    slopes = als.update_g(problem, solver, W, V)
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
def test_w_and_relaxed_v_updates_equal_the_paper(seed, size):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    derivatives = rng.standard_normal((2, r, N))
    stacked = [d.T for d in derivatives]
    ours = als.update_w(problem, V, derivatives)
    exact = paper.w_update(as_written(problem), V, stacked)
    np.testing.assert_allclose(
        fitted_tensor(ours, V, derivatives), fitted_tensor(exact, V, derivatives), atol=1e-6
    )
    ours = als.relax_v(problem, W, derivatives)
    exact = paper.v_relaxed(as_written(problem), W, stacked)
    np.testing.assert_allclose(
        fitted_tensor(W, ours, derivatives), fitted_tensor(W, exact, derivatives), atol=1e-6
    )


@given(seed=seeds, size=sizes)
def test_w_and_g_updates_never_raise_the_objective(seed, size):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    objective = FilterObjective((Filter("left"), Filter("right")))
    axes, rms = axes_of(problem, V), np.ones((2, r))
    operator = objective.make_solver(axes, W, V, rms).operator
    slopes = rng.standard_normal(operator.matrices[0].shape[1])

    def loss(W, slopes):
        return als.compute_loss(problem, W, V, slopes, operator.apply(slopes))

    losses = [loss(W, slopes)]
    for _ in range(3):
        slopes = als.update_g(problem, objective.make_solver(axes, W, V, rms), W, V)
        losses.append(loss(W, slopes))
        W = als.update_w(problem, V, operator.apply(slopes))
        losses.append(loss(W, slopes))
    assert np.all(np.diff(losses) <= 1e-10)


@given(seed=seeds, size=sizes)
def test_g_update_from_any_guess_lowers_the_penalised_objective(seed, size):
    n, m, r, N = size
    problem, W, V, rng = random_problem(seed, n, m, r, N)
    objective = FilterObjective((Filter("central"),), (Filter("left"), Filter("right")), 0.5)
    solver = objective.make_solver(axes_of(problem, V), W, V, rng.uniform(0.5, 2, (2, r)))
    guess = rng.standard_normal(solver.operator.matrices[0].shape[1])

    def loss(slopes):
        derivatives = solver.operator.apply(slopes)
        return als.compute_loss(problem, W, V, slopes, derivatives, solver.penalty)

    before = loss(guess)
    assert loss(als.update_g(problem, solver, W, V, guess.copy())) <= before + 1e-10
