"""Corners of the solvers: singular systems, steps that lead nowhere, options that make no sense."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy
from unbraid.solvers.varpro._solver._joint import evaluate, make_data, solved
from unbraid.solvers.varpro._solver._smoothing import cross_validated
from unbraid.solvers.varpro._solver._stack import make_stack

from unbraid import DegenerateBranch, Filter, InvalidOption, Mould, Polynomial, decouple
from unbraid._util.linalg import khatri_rao
from unbraid.cases import toy_samples
from unbraid.solvers import VarPro
from unbraid.solvers import _starts as starts
from unbraid.solvers._base import StopRule, iterate
from unbraid.solvers._cpd import PolyadicState, uniqueness
from unbraid.solvers._problem import Problem
from unbraid.solvers.filtered import _als as als
from unbraid.solvers.filtered import _v_updates as vsteps
from unbraid.solvers.filtered._als import Objective
from unbraid.solvers.filtered._banded import BandedCholesky
from unbraid.solvers.filtered._method import pointwise_derivatives, with_detected_breaks
from unbraid.solvers.filtered._slopes import SlopeOperator, SlopeSolver
from unbraid.solvers.varpro import _search as search

CENTRAL = Objective((Filter("central"),))


def problem_of(n=2, m=2, r=2, N=40, moulds=None, seed=0):
    """A problem in its own units, with its W, V and a generator."""
    rng = np.random.default_rng(seed)
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    V /= np.linalg.norm(V, axis=0)
    points = rng.uniform(-1, 1, (N, m))
    z = points @ V
    jacobians = np.einsum("oi,ki,li->kol", W, 3 * z**2 + 1, V)
    values = (z**3 + z) @ W.T
    units = np.eye(n), np.eye(m), np.zeros(m), np.arange(N)
    return Problem(points, jacobians, values, np.eye(n), r, moulds or (Mould(),) * r, *units), W, V


# Systems of equations --------------------------------------------------------------------------


def test_a_singular_system_is_damped_until_it_is_not():
    matrices = np.stack([np.eye(2), np.ones((2, 2))])
    right = np.array([[[1.0], [2.0]], [[1.0], [1.0]]])
    found = solved(matrices, right)
    np.testing.assert_allclose(found[0], [[1], [2]], rtol=1e-9)
    np.testing.assert_allclose(matrices[1] @ found[1], right[1], rtol=1e-9)


def test_a_system_of_nothing_has_no_solution():
    assert np.all(np.isnan(solved(np.zeros((1, 2, 2)), np.ones((1, 2, 1)))))


@pytest.mark.parametrize("bands", [[[1.0, 1.0], [5.0, 0.0]], [[1.0] * 3, [5.0] * 3, [0.0] * 3]])
def test_a_banded_matrix_that_is_not_definite(bands):
    with pytest.raises(ArithmeticError, match="definite"):
        BandedCholesky(np.array(bands))


def test_slopes_that_nothing_sees_stay_zero():
    problem, _, V = problem_of(r=1)
    axes = (problem.axis(0, V[:, 0]),)
    solver = SlopeSolver(SlopeOperator(CENTRAL.data, axes), np.zeros((1, 1)))
    right = np.ones(len(axes[0].abscissae) - 1)
    np.testing.assert_array_equal(solver.solve(right), np.zeros_like(right))


def test_no_smoothing_where_its_modes_cannot_be_had(monkeypatch):
    problem, W, V = problem_of()
    noisy = np.random.default_rng(1).standard_normal(problem.values.shape)
    data = make_data(replace(problem, values=noisy))
    fit = evaluate(data, make_stack(Polynomial(3), problem.points @ V[None]), W[None], V[None])
    assert cross_validated(data, fit) > 0

    def singular(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(scipy.linalg, "eigh", singular)
    assert cross_validated(data, fit) == 0


# Steps -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guess:
    loss: float


def test_an_iterate_that_is_not_finite_ends_the_run_at_the_best_before_it():
    losses = iter([0.5, np.nan])
    run = iterate(lambda _: Guess(next(losses)), Guess(1.0), StopRule(10))
    assert run.best == Guess(0.5)
    assert not run.converged
    assert run.stop_reason == "an iterate was not finite; the best before it"


def test_a_step_to_a_branch_that_cannot_be_is_not_taken(monkeypatch):
    problem, W, V = problem_of()
    state = als.start(problem, CENTRAL, W, V + 0.1)

    def degenerate(*_):
        raise DegenerateBranch("z is the same at every point")

    monkeypatch.setattr(vsteps, "settle", degenerate)
    after = vsteps.function_step(problem, CENTRAL, state)
    assert after.damping == 10 * state.damping
    assert after.V is state.V
    assert after.loss == state.loss


def test_columns_one_at_a_time_or_all_at_once(monkeypatch):
    problem, W, V = problem_of()
    state = als.start(problem, CENTRAL, W, V + 0.1)
    _, at_once, _ = vsteps.reduced_normal_equations(problem, CENTRAL, state)
    monkeypatch.setattr(vsteps, "BLOCK", 1)
    _, one_by_one, _ = vsteps.reduced_normal_equations(problem, CENTRAL, state)
    np.testing.assert_allclose(one_by_one, at_once, atol=2e-2 * np.abs(at_once).max())


def test_only_branches_that_ask_for_it_are_searched_for_jumps():
    kept = Mould(breaks=(0.25,))
    problem, W, V = problem_of(N=200, moulds=(kept, Mould(breaks="detect")))
    state = als.start(problem, CENTRAL, W, V)
    first, second = with_detected_breaks(problem, state).moulds
    assert first is kept
    assert second.breaks == ()


def test_derivatives_of_branches_that_are_one_are_those_of_the_filters():
    problem, W, V = problem_of()
    state = als.start(problem, CENTRAL, W[:, [0, 0]], V[:, [0, 0]])
    np.testing.assert_array_equal(pointwise_derivatives(problem, state), state.mean_derivatives)


# Uniqueness ------------------------------------------------------------------------------------


def polyadic(r, n, m, seed=0):
    rng = np.random.default_rng(seed)
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    rows = rng.standard_normal((60, r)) @ khatri_rao(W, V).T
    return rows, PolyadicState(W, V, 0.0)


def test_starts_that_agree_where_kruskal_cannot_tell():
    rows, state = polyadic(r=5, n=1, m=5)
    unique, words = uniqueness(rows, [state, state])
    assert unique
    assert words.startswith("probably unique: 2 of 2 equally good starts agree, though Kruskal's")
    assert "fails" in words


def test_very_many_branches_are_not_checked_by_kruskal():
    rows, state = polyadic(r=15, n=4, m=5)
    assert uniqueness(rows, [state]) == (
        False,
        "not shown to be unique: Kruskal's condition was not checked (too many branches)",
    )


# Options and starts ----------------------------------------------------------------------------


def test_options_that_make_no_sense():
    samples = toy_samples(60, random_state=0)
    with pytest.raises(InvalidOption, match="smoothness"):
        decouple(samples, n_branches=2, method="explicit", smoothness=[[1], [1, 2]])
    with pytest.raises(InvalidOption, match="basis is 'spline'"):
        VarPro(basis="spline").solve(samples, 2)


def test_no_start_that_survives_is_said(monkeypatch):
    monkeypatch.setattr(search, "_polished", lambda *_: ([], ()))
    with pytest.raises(DegenerateBranch, match="survived"):
        VarPro(basis=Polynomial(3), n_starts=2).solve(toy_samples(60, random_state=0), 2)


def test_generators_are_spawned_and_differ():
    first, second = starts.generators(np.random.default_rng(3), 2)
    again = starts.generators(np.random.default_rng(3), 2)
    assert first.integers(1 << 60) == again[0].integers(1 << 60)
    assert second.integers(1 << 60) != again[0].integers(1 << 60)


def test_tasks_in_threads_come_back_in_order(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    found = starts.run_all(lambda k: k * k, list(range(20)), None, size=starts.THREADS_PAY)
    assert found == [k * k for k in range(20)]


def test_a_process_a_core(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert starts.run_all(abs, [-1, 2, -3], -1, size=3) == [1, 2, 3]
