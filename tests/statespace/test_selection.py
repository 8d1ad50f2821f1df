"""Tests of the choice of states, integrators and branches on held-out samples."""

from __future__ import annotations

import numpy as np
import pytest

from statespace.twins import drive, noisy_filter
from unbraid import BSpline
from unbraid.statespace import identify
from unbraid.statespace._integrators import find_integrators

OPTIONS = {"n_starts": 4, "random_state": 0, "progress": False}


@pytest.mark.slow
def test_states_of_nonlinear_effect_are_added():
    """The sign of the speed is not measured: a linear model finds no states."""
    model = identify(*drive(800), n_branches=1, **OPTIONS)
    assert model.n_states >= 1
    assert model.score(*drive(800, seed=1)).percent < 10


def position(n_samples=800, seed=0):
    """The position of a drive with friction: the sum of its speed, nothing depends on it."""
    rng = np.random.default_rng(seed)
    u = np.repeat(rng.standard_normal(n_samples // 10 + 1), 10)[:n_samples]
    y, x, v = np.zeros(n_samples), 0.0, 0.0
    for t in range(n_samples):
        y[t] = x
        x, v = x + 0.1 * v, 0.8 * v + u[t] - 0.6 * np.tanh(2 * v)
    return u, y + 1e-3 * y.std() * rng.standard_normal(n_samples)


@pytest.mark.slow
def test_a_position_is_the_sum_of_a_speed():
    model = identify(*position(), 2, 1, BSpline(10), **OPTIONS)
    assert find_integrators(model.equations()) == {1: 0}
    assert "an integrator" in str(model.describe())
    assert model.score(*position(seed=1)).percent < 5


@pytest.mark.filterwarnings("ignore::unbraid.FitWarning")
def test_a_white_residual_ends_the_search():
    u, y = noisy_filter(400)
    model = identify(u, y, **OPTIONS)
    assert model.n_branches == 0
