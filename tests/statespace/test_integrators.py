"""Tests of integrators as a structure of the equations."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from statespace.systems import random_equations
from unbraid.dynamics._records import Record
from unbraid.statespace import StateSpace
from unbraid.statespace._coordinates import standardise_states
from unbraid.statespace._estimation import prepare, to_fields
from unbraid.statespace._integrators import (
    add_integrators,
    find_integrators,
    mask_structure,
    restore_integrators,
    select_others,
)
from unbraid.statespace._linear import fit_linear_equations
from unbraid.statespace._simulation import simulate_states


def integrating_equations(seed=0):
    """Random equations of three states whose last state sums up to the first output."""
    e = random_equations(3, 1, 2, 2, seed=seed)
    return restore_integrators(e, {2: 0})


def test_the_structure_is_found():
    e = integrating_equations()
    assert find_integrators(e) == {2: 0}
    assert select_others(e).tolist() == [0, 1]
    assert find_integrators(random_equations(3, 1, 2, 2)) == {}


def test_an_estimation_leaves_ones_and_zeros_alone():
    linear, offset, W, V = mask_structure(integrating_equations())
    assert not linear[:, 2].any()
    assert not linear[3].any()
    assert not offset[3]
    assert not W[3].any()
    assert not V[2].any()
    assert linear[2, [0, 1, 3]].all()  # what is summed up
    assert W[2].all()


def test_other_coordinates_keep_structure_and_outputs():
    e = integrating_equations()
    u = np.random.default_rng(0).standard_normal((300, 1))
    x0 = np.array([0.3, -0.2, 0.5])
    run = simulate_states(e, u, x0, 2)
    other, initial = standardise_states(e, [run], x0[None])
    assert find_integrators(other) == {2: 0}
    again = simulate_states(other, u, initial[0], 2)
    np.testing.assert_allclose(again.y, run.y, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(again.x.std(axis=0), 1.0, atol=0.01)


def test_outputs_are_summed_up():
    A, C = np.array([[0.5]]), np.array([[2.0]])
    summed, outputs = add_integrators(A, C)
    np.testing.assert_array_equal(summed, [[0.5, 0.0], [2.0, 1.0]])
    np.testing.assert_array_equal(outputs, [[0.0, 1.0]])


@pytest.fixture(scope="module")
def motor():
    """Position of a motor whose speed decays: 0.9 per sample."""
    rng = np.random.default_rng(0)
    u, x = rng.standard_normal(600), np.zeros((601, 2))
    for t in range(600):
        x[t + 1] = 0.9 * x[t, 0] + u[t], x[t, 1] + 0.2 * x[t, 0]
    return u, x[:-1, 1] + 1e-3 * rng.standard_normal(600)


def test_a_linear_model_with_an_integrator(motor):
    data = prepare(*motor)
    found = fit_linear_equations(data.problem, 2, integrating=True)
    model = StateSpace(**to_fields(data, found, None, ""))
    assert find_integrators(model.equations()) == {1: 0}
    assert abs(model.A[0, 0] - 0.9) < 1e-3
    assert model.score(*motor).percent < 0.2
    assert model.degrees_of_freedom == 4  # pole, gain, direct gain and offset of the speed


def test_an_integrator_is_saved_and_refined(motor, tmp_path):
    data = prepare(*motor)
    found = fit_linear_equations(data.problem, 2, integrating=True)
    model = StateSpace(**to_fields(data, found, None, ""))
    loaded = unbraid.load(model.save(tmp_path / "motor.json"))
    assert find_integrators(loaded.refine(*motor).equations()) == {1: 0}


def test_a_model_with_fewer_states_than_outputs_has_no_integrators():
    rng = np.random.default_rng(0)
    data = prepare(rng.standard_normal(200), rng.standard_normal((200, 2)).cumsum(axis=0))
    assert isinstance(data.records.items[0], Record)
    with pytest.raises(ValueError, match="states"):
        fit_linear_equations(data.problem, 2, integrating=True)
