"""Tests of the stability check at the largest inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unbraid import InvalidOptionError, Polynomial, StabilityWarning, load
from unbraid.model._branch_fit import fit_branch
from unbraid.model._function import DecoupledFunction
from unbraid.statespace import StateSpace
from unbraid.statespace._stability import check_stability, warn_of_instability


def make_model(gain, n_samples=300, peak=3.0):
    """x+ = 0.5 x + u + gain x^3: it diverges beyond a level of x that depends on the gain."""
    z = np.linspace(-1.0, 1.0, 21)
    cubic = replace(fit_branch(Polynomial(3), z, z**3), extrapolate="basis")
    function = DecoupledFunction(
        np.array([[gain], [0.0]]), np.array([[1.0], [0.0]]), (cubic,), np.zeros(2)
    )
    model = StateSpace(function, 1, linear=np.array([[0.5, 1.0], [1.0, 0.0]]))
    u = 0.1 * np.sin(np.arange(n_samples))
    u[100] = peak
    return model, model.records(u, np.cos(np.arange(n_samples)))


def test_a_model_that_stays_bounded_is_stable():
    model, records = make_model(-0.01)
    check = check_stability(model, records)
    assert check.is_stable
    assert check.sample is None
    assert check.n_simulations == 3  # the record, the minimum, the maximum


def test_a_model_that_survives_a_peak_but_not_its_level_is_reported():
    model, records = make_model(0.02)
    model.simulate(records.items[0].u)  # the record itself
    check = check_stability(model, records)
    assert not check.is_stable
    assert check.excitation == "u at its maximum"
    assert check.sample is not None
    with pytest.warns(StabilityWarning, match="u at its maximum"):
        warn_of_instability(replace(model, data=records))


def test_all_inputs_are_held_at_their_extremes_together():
    linear = StateSpace(
        None, 1, linear=np.array([[0.5, 1.0, 1.0], [1.0, 0.0, 0.0]]), input_names=("a", "b")
    )
    u = np.random.default_rng(0).standard_normal((50, 2))
    check = check_stability(linear, linear.records(u, u[:, :1]))
    assert check.n_simulations == 7
    assert check.is_stable


def test_a_model_without_records_is_refused():
    model, records = make_model(-0.01)
    with pytest.raises(InvalidOptionError, match="without records"):
        model.check_stability()
    assert replace(model, data=records).check_stability().is_stable


@pytest.mark.parametrize(("gain", "is_stable"), [(-0.01, True), (0.02, False)])
def test_a_loaded_model_is_checked_at_the_inputs_of_its_points(gain, is_stable, tmp_path):
    model, records = make_model(gain)
    u = records.items[0].u
    function = replace(model.function, points=np.column_stack([0 * u, u]))
    again = load(replace(model, function=function).save(tmp_path / "model.json"))
    check = again.check_stability()
    assert check.is_stable is is_stable
    assert check.excitation == ("" if is_stable else "u at its maximum")


def test_a_near_integrator_is_simulated_from_zero():
    almost = StateSpace(None, 1, linear=np.array([[1 - 1e-9, 1.0], [1.0, 0.0]]))
    u = np.full(50, 0.1)
    u[10:] = 0.2
    assert check_stability(almost, almost.records(u, np.cumsum(u))).is_stable
