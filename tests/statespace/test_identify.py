"""Tests of the identification of decoupled state-space models."""

from __future__ import annotations

import numpy as np
import pytest

from statespace.twins import (
    curve_error,
    dead_zone,
    drive,
    hysteresis,
    mirror,
    noisy_filter,
    saturation,
    servo,
    twin,
    two_by_two,
)
from unbraid import BSpline, FitWarning, InvalidOptionError, Polynomial, SignedSquare
from unbraid.statespace import fit_linear, identify


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("curve", "noise"), [(saturation, 0.0), (saturation, 0.01), (dead_zone, 0.0)]
)
def test_the_true_curve_is_recovered(curve, noise, seed):
    u, y, z = twin(curve, seed=seed, noise=noise)
    options = {"n_starts": 4, "feedthrough": False, "random_state": seed}
    model = identify(u, y, 2, 1, BSpline(16), **options)
    assert curve_error(model, z, curve) < 2.0
    assert model.score(u, y).percent < 1.1 * 100 * noise + 0.4


@pytest.mark.slow
def test_two_inputs_and_outputs_with_a_saturating_actuator():
    u, y = two_by_two()
    model = identify(u, y, 3, 1, BSpline(10), n_starts=4, random_state=0)
    assert np.all(model.score(u, y).percent < 0.5)
    direction = model.function.V[:, 0] * model.function.spread
    assert abs(direction[3]) > 0.999 * np.linalg.norm(direction)  # the first input alone


@pytest.mark.slow
def test_hysteresis():
    u, y = hysteresis()
    model = identify(u, y, 3, 2, SignedSquare(), n_starts=4, random_state=0)
    assert model.score(u, y).percent < 0.1 * fit_linear(u, y, 3).score(u, y).percent


@pytest.mark.slow
def test_automatic_numbers_of_states_and_branches():
    u, y, _ = twin(saturation, 1500, noise=0.02)
    model = identify(u, y, n_starts=3, random_state=0)
    assert model.n_branches == 1
    assert model.score(u, y).percent < 4


@pytest.fixture(scope="module")
def small(cubic_record, cubic_model):
    return *cubic_record, cubic_model, {"n_starts": 1, "random_state": 0}


def test_a_cubic_is_identified_and_better_than_the_linear_model(small):
    u, y, model, _ = small
    assert model.score(u, y).percent < 0.2 * fit_linear(u, y, 2).score(u, y).percent
    assert model.n_branches == 1
    assert model.degrees_of_freedom == 12
    assert np.abs(model.initial_states).max() < 5
    W, V = model.function.W[:, 0], model.function.V[:, 0] * model.function.spread
    effects = W / np.array([1.0, 1.0, y.std()])
    assert effects[np.argmax(np.abs(effects))] > 0
    assert V[np.argmax(np.abs(V))] > 0


def test_the_same_random_state_gives_the_same_model(small):
    u, y, model, options = small
    again = identify(u, y, 2, 1, Polynomial(3), **options)
    np.testing.assert_array_equal(again.A, model.A)


@pytest.mark.slow
def test_processes_do_not_change_the_result(small):
    pytest.importorskip("joblib")
    u, y, model, options = small
    again = identify(u, y, 2, 1, Polynomial(3), **options, n_jobs=2)
    np.testing.assert_allclose(again.A, model.A, rtol=1e-9)


@pytest.mark.slow
def test_units_do_not_matter(small):
    u, y, model, options = small
    scaled = identify(1e6 * u, 1e-6 * y, 2, 1, Polynomial(3), **options)
    np.testing.assert_allclose(1e6 * scaled.simulate(1e6 * u), model.simulate(u), atol=1e-3)


@pytest.mark.slow
def test_no_branch_where_the_system_is_linear():
    u = np.random.default_rng(0).standard_normal(400)
    y = np.convolve(u, 0.7 ** np.arange(30))[:400]
    y += 0.05 * np.random.default_rng(1).standard_normal(400)
    with pytest.warns(FitWarning, match="linear model"):
        model = identify(u, y, 1, n_starts=1, random_state=0)
    assert model.function is None


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_branches_that_do_not_validate_are_left_out(seed):
    """On new records the model is not worse than the linear one."""
    u, y = noisy_filter(150, seed)
    with pytest.warns(FitWarning, match="held-out"):
        model = identify(u, y, 1, 1, BSpline(8), n_starts=1, random_state=seed)
    new = noisy_filter(2000, seed + 100)
    assert model.score(*new).percent <= 1.001 * fit_linear(u, y, 1).score(*new).percent


@pytest.mark.slow
def test_three_inputs_and_outputs_with_hysteresis():
    (u, y), new = mirror(1500), mirror(seed=100)
    model = identify(u, y, 6, 2, SignedSquare(), n_starts=2, random_state=0)
    score, linear = model.score(*new), fit_linear(u, y, 6).score(*new)
    assert np.sum(score.percent**2) < np.sum(linear.percent**2)  # over all outputs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "n_branches", "share"), [(servo, 1, 0.5), (drive, 2, 0.2)], ids=["servo", "drive"]
)
def test_new_records_of_difficult_systems(system, n_branches, share):
    """An integrator with friction; a speed without its sign, of which no line says anything."""
    u, y = system(seed=0)
    options = {"n_starts": 4, "random_state": 0}
    model, new = identify(u, y, 2, n_branches, BSpline(8), **options), system(seed=100)
    assert model.score(*new).percent < share * fit_linear(u, y, 2).score(*new).percent
    assert model.check_stability().is_stable


@pytest.mark.parametrize(
    "options",
    [
        {"n_branches": -1},
        {"n_branches": 1.5},
        {"basis": 3},
        {"extrapolate": "nan"},
        {"n_starts": 0},
        {"held_out": 0.9, "n_branches": "auto"},
        {"ridge": -1.0},
        {"n_jobs": 0},
        {"feedthrough": 1},
    ],
)
def test_bad_options_are_refused(small, options):
    u, y, *_ = small
    with pytest.raises(InvalidOptionError):
        identify(u, y, **{"n_states": 2, "n_branches": 1, "n_starts": 1, **options})
