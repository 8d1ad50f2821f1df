from dataclasses import replace

import numpy as np
import pytest

from unbraid import Branch, DecoupledFunction, Polynomial
from unbraid.model._branch_fit import fit_branch
from unbraid.statespace import StateSpace, load


def make_tank(u_scale=1.0):
    """x(t+1) = 0.5 x - 0.1 x^2 + u around u = 1, with a record of states and inputs."""
    z = np.linspace(0, 4, 40)
    square: Branch = fit_branch(Polynomial(2), z, -0.1 * z**2)
    u = np.random.default_rng(0).uniform(0.5, 1.5, 100)
    x = np.zeros(101)
    for t in range(100):
        x[t + 1] = 0.5 * x[t] - 0.1 * x[t] ** 2 + u[t]
    d = DecoupledFunction(
        np.array([[1.0], [0.0]]),
        np.array([[1.0], [0.0]]),
        (square,),
        np.zeros(2),
        points=np.column_stack([x[:-1], u_scale * u]),
    )
    return StateSpace(d, 1, linear=[[0.5, 1.0 / u_scale], [1.0, 0.0]]), u_scale * u.mean()


@pytest.mark.parametrize("u_scale", [1e-6, 1.0, 1e6])
def test_exports_start_at_rest_at_the_mean_inputs(u_scale, tmp_path):
    model, mean = make_tank(u_scale)
    y = model.simulate(np.full(20, mean), x0=model.operating_state)
    assert y[0] > 1
    np.testing.assert_allclose(y, y[0], rtol=1e-9)
    step = model.step_model()
    np.testing.assert_array_equal(step.initial_state, model.find_initial_state())
    assert "at rest" in step.start
    again = load(model.save(tmp_path / "tank.json"))
    np.testing.assert_array_equal(again.step_model().initial_state, step.initial_state)


def test_a_rest_out_of_reach_is_no_start():
    """A near integrator would rest far from all states of its record."""
    model, _ = make_tank()
    idle = replace(model.function, W=0 * model.function.W)
    leaking = replace(model, function=idle, linear=[[0.999999, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(leaking.operating_state, [0.0])
    assert leaking.step_model().start == "zeros"


def test_steady_state_beside_a_steep_curve_is_found():
    def friction(p):  # Newton's method from zero cycles between the two saturated sides
        x, u = p.T
        force = x + np.clip(20 * (x - 0.2), -1, 1) - 0.3 - u
        return np.stack([x - 0.05 * force, x], axis=1)

    model = StateSpace(friction, n_states=1)
    rest = model.find_initial_state(np.zeros(5))
    np.testing.assert_allclose(rest, [4.3 / 21], rtol=1e-6)
    np.testing.assert_allclose(model.simulate(np.zeros(5)), rest[0], rtol=1e-6)


def test_integrator_without_a_steady_state_starts_from_zero():
    model = StateSpace(None, 1, linear=[[1.0, 1.0], [1.0, 0.0]], offset=[0.5, 0.0])
    np.testing.assert_array_equal(model.find_initial_state(np.zeros(3)), [0.0])
