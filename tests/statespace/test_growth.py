"""Tests of the score test for one more branch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from statespace.systems import random_equations
from unbraid import BSpline
from unbraid.dynamics._records import Record
from unbraid.statespace import _starts
from unbraid.statespace._branches import BranchKind, trajectory
from unbraid.statespace._growth import _fit_rank_one, grow, propose_branches
from unbraid.statespace._parameters import EquationParameters
from unbraid.statespace._problem import StateSpaceProblem
from unbraid.statespace._simulation import simulate_states


def test_the_score_test_finds_a_missing_feature():
    """A model that misses max(z - c, 0) x_2 gets the direction of x_2."""
    e = random_equations(3, 1, 1, 1, seed=1)
    u = np.random.default_rng(0).standard_normal((3000, 1))

    run = simulate_states(e, u, np.zeros(3), 1)
    table = trajectory([Record(u, run.y)], [run])
    z = table @ e.V[:, 0]
    missing = 0.05 * np.maximum(z - z.mean() - z.std(), 0) * table[:, 1]
    slopes = e.linearise(table, np.arange(3))[1]
    change, state = np.zeros((3000, 1)), np.zeros(3)
    for t in range(3000):
        change[t] = slopes[t, 3:] @ state
        state = slopes[t, :3] @ state + np.array([missing[t], 0.0, 0.0])
    problem = StateSpaceProblem([Record(u, run.y + change)])
    best = propose_branches(e, problem, [run], EquationParameters(e))[0]
    assert best.side == 1.0
    assert best.gain > 0.5
    direction = best.direction * table.std(axis=0)
    assert abs(direction[1]) > 0.9 * np.linalg.norm(direction)
    grown = grow(e, table, best, 1.0, BranchKind(BSpline(8)))
    np.testing.assert_allclose(grown.values(table), e.values(table), atol=1e-12)
    assert grown.n_branches == 2


def test_rank_one_least_squares():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 6))
    w, d = np.array([1.0, -2.0]), np.array([0.5, 1.0, 3.0])
    target = rows @ np.outer(w, d).ravel()
    gain, direction = _fit_rank_one(rows.T @ rows, rows.T @ target, (2, 3))
    assert abs(gain - target @ target) < 1e-6 * gain
    np.testing.assert_allclose(direction / direction[0], d / d[0], rtol=1e-5)


def test_features_without_samples_give_no_gain():
    gain, direction = _fit_rank_one(np.zeros((6, 6)), np.zeros(6), (2, 3))
    assert gain == 0
    assert not np.any(direction)


def test_grown_models_are_reduced_in_rounds(monkeypatch):
    """Every round refines those that are left, and the best of all rounds is returned."""
    e = random_equations(2, 1, 1, 1, seed=1)
    u = np.random.default_rng(0).standard_normal((200, 1))
    problem = StateSpaceProblem([Record(u, simulate_states(e, u, np.zeros(2), 1).y)])
    calls = []
    refine = _starts.refine_equations

    def count(*arguments):
        calls.append(arguments[4])
        return refine(*arguments)

    monkeypatch.setattr(_starts, "refine_equations", count)
    rng = np.random.default_rng(1)
    starts = [replace(e, W=e.W * (1 + 0.5 * rng.standard_normal(e.W.shape))) for _ in range(4)]
    settings = _starts.StartSettings(growth_rounds=(1, 2, 30), growth_tolerance=0.0)
    form = _starts.ModelForm(BSpline(8), "linear", ridge=0.0)
    candidates = [(start, np.zeros((1, 2))) for start in starts]
    best = _starts._refine_in_rounds(problem, candidates, form, settings)
    assert calls == [1, 1, 1, 1, 2, 2, 30]
    assert best.loss < 1e-6
