"""Stage 9: the error to expect on new points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline_states import toy_state
from unbraid import Samples, decouple, relative_error
from unbraid.pipeline import _cross_validation as stage
from unbraid.pipeline._basis_selection import choose_basis
from unbraid.pipeline._cross_validation import cross_validate, estimate_errors, fit_parts


def tanh_samples(n_points: int, seed: int = 0) -> Samples:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_points, 3))
    v = np.array([0.6, 0.0, 0.8])
    z = points @ v
    slopes = 1 / np.cosh(z) ** 2
    return Samples(points, np.tanh(z)[:, None], (slopes[:, None] * v)[:, None, :])


def test_errors_are_those_of_the_predictions():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 2))
    predictions = values + 0.1 * rng.normal(size=values.shape)
    found = estimate_errors(values, predictions, np.ones(400, dtype=bool))
    np.testing.assert_allclose(found["held_out_error"], relative_error(values, predictions))
    np.testing.assert_allclose(found["held_out_error_inside"], found["held_out_error"])
    expected = found["held_out_error"] / np.sqrt(2 * 400)  # of a root mean square of noise
    np.testing.assert_allclose(found["held_out_error_se"], expected, rtol=0.2)


def test_points_outside_the_range_count_only_in_the_whole():
    values = np.arange(10.0)[:, None]
    predictions = values.copy()
    predictions[-1] += 3
    inside = np.arange(10) < 9
    found = estimate_errors(values, predictions, inside)
    assert found["held_out_error_inside"][0] == 0
    assert found["held_out_error"][0] > 10


@pytest.mark.parametrize(("offset", "expected"), [(0.0, 0.0), (1.0, np.inf)])
def test_constant_outputs_are_met_or_not(offset, expected):
    values = np.full((8, 1), 2.0)
    found = estimate_errors(values, values + offset, np.ones(8, dtype=bool))
    assert found["held_out_error"][0] == expected


def test_error_beyond_the_data_replaces_that_of_points_outside():
    values = np.arange(10.0)[:, None]
    predictions = values.copy()
    predictions[-1] += 3
    inside = np.arange(10) < 9
    found = estimate_errors(values, predictions, inside, np.array([1e-4]))
    np.testing.assert_allclose(found["held_out_error"], 1.0)


def test_error_beyond_the_data_enlarges_the_error_and_its_uncertainty():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(100, 1))
    predictions, inside = values + 0.01 * rng.normal(size=(100, 1)), np.ones(100, dtype=bool)
    without = estimate_errors(values, predictions, inside)
    with_beyond = estimate_errors(values, predictions, inside, np.array([0.01]))
    assert with_beyond["held_out_error"][0] > 5 * without["held_out_error"][0]
    assert with_beyond["held_out_error_se"][0] > 5 * without["held_out_error_se"][0]
    assert with_beyond["held_out_error_inside"][0] == without["held_out_error_inside"][0]


def test_every_point_is_predicted_by_a_fit_without_it():
    state = choose_basis(toy_state())
    parts = fit_parts(state, state.fitted)
    assert len(parts.functions) == 5
    assert np.bincount(parts.folds).sum() == len(state.fitted)
    judged = cross_validate(state, state.fitted, parts)
    assert judged.function.held_out_error.max() < 1e-6  # the toy problem is exact


def test_outliers_do_not_enter_the_error():
    state = choose_basis(toy_state())
    values = state.fitted.values.copy()
    values[3] += 100
    samples = Samples(state.fitted.points, values, state.fitted.jacobians)
    parts = fit_parts(state, state.fitted)
    plain = cross_validate(state, samples, parts)
    without = cross_validate(replace(state, outliers=(3,)), samples, parts)
    assert without.function.held_out_error.max() < 1e-6 < plain.function.held_out_error.min()


def test_many_points_are_not_cross_validated(monkeypatch):
    state = choose_basis(toy_state())
    few = replace(stage.CROSS_VALIDATION_SETTINGS, max_points=50)
    monkeypatch.setattr(stage, "CROSS_VALIDATION_SETTINGS", few)
    assert fit_parts(state, state.fitted) is None


def test_error_covers_new_points_outside_the_range():
    samples = tanh_samples(100)
    d = decouple(samples, n_branches=1, n_starts=2, random_state=0)
    fresh = tanh_samples(4000, seed=1)
    true = relative_error(fresh.values, d(fresh.points))[0]
    assert 0.2 < true / d.held_out_error[0] < 3
    assert d.held_out_error_inside[0] < 0.1 * d.held_out_error[0]
    assert d.held_out_error_se[0] > 0


def test_held_out_samples_of_the_user_are_only_judged_on():
    own = tanh_samples(200, seed=3)
    d = decouple(tanh_samples(100), n_branches=1, held_out=own, n_starts=2, random_state=0)
    expected = relative_error(own.values, d(own.points))
    np.testing.assert_allclose(d.held_out_error, expected, rtol=0.5)
