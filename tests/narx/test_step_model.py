"""Tests of where NARX models start sample by sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unbraid import load
from unbraid.narx import NARX, fit_polynomial_narx

U_SCALE, Y_SCALE = 1e6, 1e-6


@pytest.fixture(scope="module")
def model():
    """y(t) = 0.5 y(t-1) - 0.1 y(t-1)^2 + u(t-2), of inputs around 1, in odd units."""
    u = np.random.default_rng(0).uniform(0.5, 1.5, 300)
    y = np.zeros(300)
    for t in range(2, 300):
        y[t] = 0.5 * y[t - 1] - 0.1 * y[t - 1] ** 2 + u[t - 2]
    coupled = fit_polynomial_narx(U_SCALE * u[20:], Y_SCALE * y[20:], (2,), (1,), 2)
    return coupled.decouple(1, random_state=0)


def test_a_model_starts_at_rest_at_the_mean_inputs(model):
    step = model.step_model()
    mean = model.function.points[:, 0].mean()
    np.testing.assert_allclose(step.initial_state[:2], mean, rtol=1e-12)
    y, after = step.step([mean], step.initial_state)
    np.testing.assert_allclose(after, step.initial_state, rtol=1e-9)
    rest = (np.sqrt(0.25 + 0.4 * mean / U_SCALE) - 0.5) / 0.2
    assert y[0] == pytest.approx(rest * Y_SCALE, rel=0.02)
    assert "at rest" in step.start


def test_a_loaded_model_starts_there_as_well(model, tmp_path):
    again = load(model.save(tmp_path / "model.json"))
    np.testing.assert_array_equal(
        again.step_model().initial_state, model.step_model().initial_state
    )


def test_a_model_without_a_steady_state_starts_from_zeros(model):
    growing = replace(model.function, W=-10 * model.function.W)
    step = NARX(growing, (2,), (1,)).step_model()
    np.testing.assert_array_equal(step.initial_state, np.zeros(3))
    assert step.start == "zeros"


def test_a_model_without_points_starts_from_zeros(model):
    bare = NARX(replace(model.function, points=None), (2,), (1,))
    np.testing.assert_array_equal(bare.step_model().initial_state, np.zeros(3))
