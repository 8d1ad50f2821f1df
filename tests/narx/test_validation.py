"""Tests of the validation of NARX models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from narx.systems import ridge_system
from unbraid.errors import InvalidOptionError, InvalidSamplesError
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.statespace import fit_linear


def noisy_system(size=2000, seed=0, scale=1.0):
    """A system with noise in its equation, so that prediction errors are white."""
    rng = np.random.default_rng(seed)
    u, y = scale * rng.uniform(-1, 1, size), np.zeros(size)
    for t in range(2, size):
        y[t] = 0.6 * y[t - 1] + u[t - 1] + 0.4 * u[t - 2] ** 2 + 0.05 * rng.standard_normal()
    return u, y


TRAIN, TEST = noisy_system(), noisy_system(seed=1)


def fit(input_lags=(1, 2), degree=2, data=TRAIN):
    return fit_polynomial_narx(*data, input_lags, (1,), degree)


@pytest.fixture(scope="module")
def good():
    model = fit()
    return model, model.validate(*TEST)


def test_a_complete_model_passes(good):
    model, found = good
    assert found.is_white
    assert found.is_independent_of_input
    assert found.is_independent_of_squares
    assert not found.extrapolates
    assert not found.diverges
    assert found.simulation == model.score(*TEST)


def test_errors_grow_with_the_steps_towards_the_simulation(good):
    model, found = good
    errors = [found.predictions[k].rmse for k in (1, 5, 10)]
    assert errors[0] < errors[1] < errors[2]
    assert errors[0] == pytest.approx(np.std(TEST[1][2:] - model.predict(*TEST)[2:]), rel=0.01)
    assert errors[2] == pytest.approx(found.simulation.rmse, rel=0.05)


def test_the_linear_model_is_fitted_to_the_training_record(good):
    model, found = good
    assert found.linear.n_states == 2
    assert found.linear.score.percent > 2 * found.simulation.percent
    given = fit_linear(*TRAIN, 2)
    other = model.validate(*TEST, linear=given)
    assert other.linear.score.percent == pytest.approx(found.linear.score.percent, rel=1e-3)
    assert model.validate(*TEST, linear=None).linear.score is None
    assert "hold" in replace(model, data=None).validate(*TEST).linear.reason


def test_a_missing_lag_is_found():
    found = fit(input_lags=(1,)).validate(*TEST)
    part = found.residuals[0].squares[0]
    assert found.is_independent_of_squares is False
    assert part.largest[1] == 2


def test_a_missing_linear_lag_is_found():
    u, y = ridge_system(2000)
    found = fit_polynomial_narx(u[:1000], y[:1000], (0,), (1, 2), 3).validate(u[1000:], y[1000:])
    assert found.is_independent_of_input is False
    assert abs(found.residuals[0].inputs[0].largest[1] - 1) <= 1


def test_a_missing_nonlinearity_is_found():
    found = fit(degree=1).validate(*TEST)
    assert found.is_independent_of_input
    assert found.is_independent_of_squares is False
    assert "nonlinearity" in str(found)


def test_a_record_outside_of_the_training_range_is_told():
    model = fit()
    u, y = noisy_system(seed=2, scale=1.5)
    found = model.validate(u, y)
    uses = {use.name: use for use in found.ranges}
    assert found.extrapolates
    assert uses["u"].share == pytest.approx(1 / 3, abs=0.05)
    assert uses["u"].excess == pytest.approx(0.25, abs=0.02)
    assert "leaves the training range" in str(found)
    small = model.decouple(2, random_state=0).validate(u, y)
    assert {use.kind for use in small.ranges} == {"branch", "input", "output"}


def test_prediction_and_simulation_errors_can_be_tested():
    model = fit()
    assert model.validate(*TEST).residual_kind == "prediction"
    assert model.validate(*TEST, residuals="simulation").is_white is False
    refined = model.decouple(2, random_state=0).refine(*TRAIN)
    assert refined.validate(*TEST).residual_kind == "simulation"


def test_a_diverging_model_has_a_validation_without_nan():
    model = NARX(lambda p: 1.5 * p[:, 1] + p[:, 0], (0,), (1,), limit=1e6)
    u = np.ones(200)
    y = np.random.default_rng(0).standard_normal(200)
    found = model.validate(u, y, steps=(1, 5, 60))
    assert found.diverges
    assert found.simulation.percent == np.inf
    assert found.predictions[60].percent == np.inf
    assert found.predictions[5].percent < np.inf
    assert found.spectrum is None
    assert "diverges at sample" in str(found)
    assert "nan" not in str(found).lower()
    assert found.is_independent_of_input is None  # the input is constant
    assert all(np.all(np.isfinite(y)) for y in found.simulated)
    assert len(found.simulated[0]) == found.simulation.diverged_at


def test_predictions_beyond_the_data_of_nan_branches_are_not_tested():
    model = fit().decouple(2, extrapolate="nan", random_state=0)
    found = model.validate(*noisy_system(seed=3, scale=4.0), linear=None)
    assert found.diverges
    assert found.residuals == ()
    assert found.is_white is None
    assert "nan" not in str(found).lower()


def test_several_records_and_outputs():
    rng = np.random.default_rng(0)
    us = [rng.standard_normal((300, 2)), rng.standard_normal((200, 2))]
    ys = [np.column_stack([u[:, 0], u.sum(axis=1)]) for u in us]
    ys = [y + 0.1 * rng.standard_normal(y.shape) for y in ys]
    model = fit_polynomial_narx(us, ys, (0,), (1,), 1, output_names=["a", "b"])
    found = model.validate(us, ys)
    assert [test.output for test in found.residuals] == ["a", "b"]
    assert [part.signal for part in found.residuals[0].inputs] == ["u1", "u2"]
    assert found.simulation.percent.shape == (2,)
    assert "b: simulation" in str(found)
    assert found.n_samples == 498


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"steps": 0}, "steps"),
        ({"steps": (1, 2.5)}, "steps"),
        ({"steps": "many"}, "steps"),
        ({"steps": (True,)}, "steps"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 0}, "confidence"),
        ({"confidence": "99"}, "confidence"),
        ({"n_lags": 0}, "n_lags"),
        ({"residuals": "both"}, "residuals"),
        ({"linear": "yes"}, "linear"),
        ({"linear": 3}, "linear"),
    ],
)
def test_bad_options_are_refused(good, options, word):
    with pytest.raises(InvalidOptionError, match=word):
        good[0].validate(*TEST, **options)


def test_records_that_do_not_fit_are_refused(good):
    model = good[0]
    u, y = TEST
    with pytest.raises(InvalidSamplesError, match="steps"):
        model.validate(u[:20], y[:20], steps=(1, 30))
    with pytest.raises(InvalidSamplesError, match="too few"):
        model.validate(u[:6], y[:6], steps=1)
    with pytest.raises(InvalidSamplesError, match="samples of u"):
        model.validate(u[:60], y[:50])
    with pytest.raises(InvalidSamplesError, match="inputs"):
        model.validate(np.column_stack([u, u]), y)
    with pytest.raises(InvalidSamplesError, match="inputs"):
        model.validate(u, y, linear=fit_linear(np.column_stack([u, u**2]), y, 1))
