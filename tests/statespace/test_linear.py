"""Tests of linear state-space models."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import InvalidOptionError, InvalidSamplesError
from unbraid.statespace import fit_linear

RNG = np.random.default_rng(0)
U = RNG.standard_normal(600)


def respond(A, B, C, D, u, x0=None):
    x, y = np.zeros(len(A)) if x0 is None else np.asarray(x0, dtype=float), []
    for row in np.atleast_2d(u.T).T:
        y.append(C @ x + D @ row)
        x = A @ x + B @ row
    return np.array(y)


ROTATION = 0.95 * np.array([[np.cos(0.4), -np.sin(0.4)], [np.sin(0.4), np.cos(0.4)]])


@pytest.mark.parametrize("feedthrough", [True, False])
def test_a_resonance_is_recovered(feedthrough):
    D = np.array([[0.5 if feedthrough else 0.0]])
    y = respond(ROTATION, np.array([[1.0], [0.5]]), np.array([[1.0, 0.0]]), D, U)[:, 0]
    model = fit_linear(U, y, 2, feedthrough=feedthrough)
    assert model.score(U, y).percent < 1e-5
    poles = np.sort_complex(np.linalg.eigvals(model.A))
    np.testing.assert_allclose(poles, np.sort_complex(np.linalg.eigvals(ROTATION)), atol=1e-6)
    np.testing.assert_allclose(model.D, D, atol=1e-6)


def test_offsets_and_initial_states_are_estimated():
    y = respond(ROTATION, np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)), U, [5.0, -3.0])
    model = fit_linear(U + 4, y + 100, 2)
    assert model.score(U + 4, y + 100, initial=20).percent < 1e-5


def test_several_inputs_and_outputs_with_noise():
    rng = np.random.default_rng(1)
    u = rng.standard_normal((1500, 2))
    A = np.diag([0.9, 0.5, -0.3])
    y = respond(A, rng.standard_normal((3, 2)), rng.standard_normal((2, 3)), np.eye(2), u)
    noisy = y + 0.01 * y.std(axis=0) * rng.standard_normal(y.shape)
    model = fit_linear(u, noisy, 3)
    assert np.all(model.score(u, y).percent < 0.5)
    assert model.degrees_of_freedom == 3 * 4 + 4 + 2


def test_several_records_have_their_own_initial_states():
    B, C, D = np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1))
    parts = [U[:200], U[200:500]]
    outputs = [
        respond(ROTATION, B, C, D, u, x0)[:, 0]
        for u, x0 in zip(parts, ([9, 0], [0, -9]), strict=True)
    ]
    model = fit_linear(parts, outputs, 2)
    assert model.score(parts, outputs, initial=10).percent < 1e-5
    assert model.initial_states.shape == (2, 2)


def test_automatic_order_is_at_the_knee():
    y = respond(ROTATION, np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)), U)[:, 0]
    noisy = y + 0.02 * y.std() * np.random.default_rng(2).standard_normal(y.size)
    assert fit_linear(U, noisy, "auto").n_states == 2


def test_a_drifting_output_gives_a_stable_model():
    y = np.cumsum(U)
    model = fit_linear(U, y, 1)
    assert np.abs(np.linalg.eigvals(model.A)).max() < 1
    assert model.score(U, y).percent < 30


def test_units_do_not_matter():
    y = respond(ROTATION, np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)), U)[:, 0]
    model, scaled = fit_linear(U, y, 2), fit_linear(1e6 * U, 1e-6 * y, 2)
    np.testing.assert_allclose(scaled.A, model.A, atol=1e-5)
    np.testing.assert_allclose(1e6 * scaled.simulate(1e6 * U), model.simulate(U), atol=1e-5)


def test_states_are_reproducible():
    """Zero mean, unit covariance: other coordinates of the same system give the same matrices."""
    y = respond(ROTATION, np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)), U)[:, 0]
    model = fit_linear(U, y, 2)
    x = model.simulate_records(model.data)[0].x
    np.testing.assert_allclose(np.cov(x.T), np.eye(2), atol=1e-6)
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-6)


@pytest.mark.parametrize(
    ("u", "y", "options", "error"),
    [
        (np.ones(100), U[:100], {}, InvalidSamplesError),
        (U[:100], np.ones(100), {}, InvalidSamplesError),
        (U[:100], U[:99], {}, InvalidSamplesError),
        (np.append(U[:99], np.nan), U[:100], {}, InvalidSamplesError),
        (U[:5], U[:5], {}, InvalidSamplesError),
        (U[:60], U[60:120], {"n_states": 40}, InvalidSamplesError),
        (U, U, {"n_states": 0}, InvalidOptionError),
        (U, U, {"n_states": "many"}, InvalidOptionError),
        (U, U, {"sampling_time": -1.0}, InvalidOptionError),
        ([U, U], [U, U], {"n_states": 1, "sampling_time": [0.1, 0.2]}, InvalidSamplesError),
    ],
)
def test_bad_input_is_refused(u, y, options, error):
    with pytest.raises(error):
        fit_linear(u, y, **{"n_states": 2, **options})
