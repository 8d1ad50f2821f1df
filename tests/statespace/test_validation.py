"""Tests of the validation of state-space models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unbraid import Polynomial
from unbraid.errors import InvalidSamplesError
from unbraid.statespace import StateSpace, fit_linear, identify


def hammerstein(size=900, seed=0, noise=0.02, scale=1.0):
    rng = np.random.default_rng(seed)
    u, x, y = scale * rng.standard_normal(size), 0.0, np.zeros(size)
    for t in range(size):
        y[t] = x
        x = 0.7 * x + u[t] + 0.4 * u[t] ** 2
    return u, y + noise * rng.standard_normal(size)


TRAIN, TEST = hammerstein(), hammerstein(seed=1)


@pytest.fixture(scope="module")
def model():
    return identify(*TRAIN, 1, 1, Polynomial(2), n_starts=1, extrapolate="basis", random_state=0)


def test_a_complete_model_passes(model):
    found = model.validate(*TEST)
    assert found.is_white
    assert found.is_independent_of_input
    assert found.is_independent_of_squares
    assert found.simulation == model.score(*TEST)
    assert found.linear.score.percent > 5 * found.simulation.percent
    assert found.linear.n_states == 1


def test_predictions_are_the_simulation(model):
    found = model.validate(*TEST, steps=(1, 20), linear=None)
    assert found.predicts_by_simulation
    assert found.predictions == {1: found.simulation, 20: found.simulation}
    assert "no noise model" in str(found)


def test_a_missing_nonlinearity_is_found():
    found = fit_linear(*TRAIN, 1).validate(*TEST)
    assert found.is_independent_of_squares is False
    assert found.linear.reason == "the model is linear"


def test_a_missing_feedthrough_is_found():
    u, y = TRAIN
    straight = fit_linear(u, y + 0.5 * u, 1, feedthrough=False)
    part = straight.validate(TEST[0], TEST[1] + 0.5 * TEST[0]).residuals[0].inputs[0]
    assert part.is_zero is False


def test_range_of_branches_and_inputs(model):
    assert not model.validate(*TRAIN, linear=None).extrapolates
    found = model.validate(*hammerstein(seed=2, scale=2.0), linear=None)
    assert {use.name for use in found.ranges if use.is_left} == {"z1", "u"}
    alone = replace(model, data=None).validate(*TEST)
    assert [use.kind for use in alone.ranges] == ["branch", "input"]  # of the points it keeps
    assert alone.linear.score is None
    linear = replace(fit_linear(*TRAIN, 1), data=None).validate(*TEST)
    assert linear.ranges == ()
    assert "not known" in linear.range_reason


def test_a_diverging_model_has_a_validation_without_nan():
    grows = StateSpace(None, 1, linear=[[2.0, 1.0], [1.0, 0.0]])
    found = grows.validate(*TEST, initial=0)
    assert found.diverges
    assert found.simulation.percent == np.inf
    assert found.residuals == ()
    assert found.is_white is None
    assert found.diverged_record == 0
    assert "nan" not in str(found).lower()
    assert all(np.all(np.isfinite(y)) for y in found.simulated)
    found.plot()


def test_several_records_and_a_sampling_time():
    u, y = TRAIN
    timed = fit_linear([u[:500], u[500:]], [y[:500], y[500:]], 1, sampling_time=0.1)
    found = timed.validate([u[:300], u[300:600]], [y[:300], y[300:600]])
    assert found.n_samples == 500
    assert found.spectrum.unit == "Hz"
    assert found.spectrum.frequency[-1] == pytest.approx(5.0)


def test_records_that_do_not_fit_are_refused(model):
    with pytest.raises(InvalidSamplesError, match="initial"):
        model.validate(TEST[0][:40], TEST[1][:40])
    with pytest.raises(InvalidSamplesError, match="inputs"):
        model.validate(np.column_stack([TEST[0], TEST[0]]), TEST[1])
