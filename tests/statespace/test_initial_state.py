import numpy as np

from unbraid.statespace import StateSpace


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
