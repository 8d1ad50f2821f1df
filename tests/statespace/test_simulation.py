"""Tests of the simulation of state-space models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from statespace.systems import random_equations
from tests.reference import statespace as written_out
from unbraid.statespace._simulation import (
    LOOPED_SIZE,
    propagate,
    simulate_states,
    solve_recursion,
)

U = np.random.default_rng(1).standard_normal((2100, 2))
X0 = np.array([0.3, -0.2, 0.5])


@pytest.mark.parametrize("n_branches", [0, 1, 2])
def test_newton_agrees_with_a_loop(n_branches):
    e = random_equations(n_branches=n_branches)
    run = simulate_states(e, U, X0, 2)
    x, y = written_out.simulate(e, U, X0)
    assert run.diverged_at is None
    assert run.looped == 0
    np.testing.assert_allclose(run.x, x, atol=1e-10)
    np.testing.assert_allclose(run.y, y, atol=1e-10)


def test_a_guess_does_not_change_the_result():
    e = random_equations()
    run = simulate_states(e, U, X0, 2)
    other = simulate_states(e, U, X0, 2, guess=run.x + 0.1)
    np.testing.assert_allclose(other.x, run.x, atol=1e-10)


def test_a_chaotic_map_falls_back_to_short_windows_or_the_loop():
    """Newton over a long window cannot follow a map that doubles errors every sample."""

    class Tent:
        vectorised, rounding = True, 1e-16

        def values(self, table):
            return np.stack([1 - 1.9 * np.abs(table[:, 0]), table[:, 0]], axis=1)

        def linearise(self, table, columns):
            slopes = np.stack([-1.9 * np.sign(table[:, 0]), np.ones(len(table))], axis=1)
            return self.values(table), slopes[:, :, None]

    run = simulate_states(Tent(), np.zeros((300, 1)), np.array([0.37]), 1)
    x = [0.37]
    for _ in range(40):
        x.append(1 - 1.9 * abs(x[-1]))
    assert run.diverged_at is None
    np.testing.assert_allclose(run.y[:40, 0], x[:40], rtol=1e-3)
    assert np.abs(run.y).max() <= 1


def test_divergence_is_reported_with_its_sample():
    e = random_equations(n_branches=0)
    unstable = replace(e, linear=e.linear + np.eye(5, 5) * 2.0)
    run = simulate_states(unstable, U, X0, 2, limit=1e6)
    x, _ = written_out.simulate(unstable, U[:60], X0)
    first = int(np.argmax(np.abs(x).max(axis=1) > 1e6))
    assert run.diverged_at == first - 1
    np.testing.assert_allclose(run.x[:first], x[:first], rtol=1e-9)


def test_solve_recursion_agrees_with_a_loop():
    rng = np.random.default_rng(0)
    slopes, right = rng.standard_normal((30, 3, 3)) / 3, rng.standard_normal((30, 3, 4))
    first = rng.standard_normal((3, 4))
    x = [first]
    for A, r in zip(slopes, right, strict=True):
        x.append(A @ x[-1] + r)
    np.testing.assert_allclose(solve_recursion(slopes, right, first), x, atol=1e-12)


@pytest.mark.parametrize("n_columns", [5, LOOPED_SIZE])
def test_propagated_derivatives_agree_with_a_loop(n_columns):
    rng = np.random.default_rng(0)
    slopes, direct = 0.4 * rng.standard_normal((40, 3, 2)), rng.standard_normal((40, 3, n_columns))
    state = first = rng.standard_normal((2, n_columns))
    expected = []
    for slope, row in zip(slopes, direct, strict=True):
        expected.append(slope @ state + row)
        state = expected[-1][:2]
    last = propagate(slopes, direct, first)
    np.testing.assert_allclose(direct, expected, atol=1e-12)
    np.testing.assert_allclose(last, state, atol=1e-12)


def test_a_simulation_can_be_ended_early():
    e = random_equations()
    u = np.random.default_rng(0).standard_normal((5000, 2))
    seen = []

    def is_enough(window, y):
        seen.append(window.stop)
        return y.shape == (window.stop - window.start, 2)

    run = simulate_states(e, u, np.zeros(3), 2, is_enough=is_enough)
    assert run.diverged_at == seen[0]
    assert len(seen) == 1
