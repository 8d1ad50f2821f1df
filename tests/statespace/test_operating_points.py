"""Tests of points at rest, linearisation and the static characteristic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from statespace.systems import random_equations
from unbraid.errors import InvalidOptionError, InvalidSamplesError, OperatingPointError
from unbraid.model import DecoupledFunction
from unbraid.statespace import StateSpace

INTEGRATOR = StateSpace(None, 1, [[1.0, 1.0], [1.0, 0.0]])


def make_model(n_inputs=2, n_outputs=2, seed=0):
    """A stable decoupled model with offsets of its own and of its function."""
    e = random_equations(3, n_inputs, n_outputs, 2, seed=seed, gain=0.1)
    points = np.random.default_rng(seed).standard_normal((300, 3 + n_inputs))
    offset = 0.2 * np.arange(len(e.W))
    function = DecoupledFunction(e.W, e.V, e.branches, offset, points=points)
    return StateSpace(function, 3, e.linear, e.offset, sampling_time=0.1)


def simulate_coupled_tanh(p):
    x, u = p.T
    return np.stack([0.5 * np.tanh(x) + u, x], axis=1)


def test_point_at_rest_does_not_move():
    model, u = make_model(), np.array([0.5, -0.3])
    point = model.find_operating_point(u)
    y = model.simulate(np.tile(u, (200, 1)), x0=point.x)
    np.testing.assert_allclose(y, np.tile(point.y, (200, 1)), atol=1e-8)
    settled = model.simulate(np.tile(u, (300, 1)), x0=np.zeros(3))[-1]
    np.testing.assert_allclose(point.y, settled, atol=1e-8)


def test_one_input_is_a_scalar_or_a_vector():
    model = make_model(1, 1)
    for u in (0.7, [0.7]):
        point = model.find_operating_point(u)
        assert point.u.shape == point.y.shape == (1,)
        assert point.y[0] == pytest.approx(model.simulate(np.full(300, 0.7))[-1])


def test_linear_model_rests_at_the_same_output():
    model, u = make_model(), np.array([0.5, -0.3])
    point, linear = model.find_operating_point(u), model.linearise(u)
    assert linear.n_branches == 0
    rest = linear.find_operating_point(u)
    np.testing.assert_allclose(rest.y, point.y, rtol=1e-9)
    np.testing.assert_allclose(rest.x, point.x, rtol=1e-9)
    np.testing.assert_allclose(linear.simulate(np.tile(u, (20, 1)))[-1], point.y, rtol=1e-9)


def test_linear_model_agrees_with_differences_of_simulations():
    model, u = make_model(), np.array([0.5, -0.3])
    linear, point = model.linearise(u), model.find_operating_point(u)
    direction = np.random.default_rng(1).standard_normal((60, 2))
    errors = []
    for size in (1e-2, 1e-3):
        signal = u + size * direction
        deviation = model.simulate(signal, x0=point.x) - linear.simulate(signal, x0=point.x)
        errors.append(np.abs(deviation).max() / size)
    assert errors[1] < 1e-3
    assert errors[1] < 0.2 * errors[0]  # of first order


def test_linear_model_of_deviations_needs_no_offset():
    model, u = make_model(1, 1), 0.4
    linear, point = model.linearise(u), model.find_operating_point(u)
    step = 0.01 * np.ones((50, 1))
    system = linear.to_scipy()
    x, deviation = np.zeros(3), []
    for value in step:
        deviation.append(system.C @ x + system.D @ value)
        x = system.A @ x + system.B @ value
    y = linear.simulate(u + step, x0=point.x)
    np.testing.assert_allclose(y, point.y + np.array(deviation), atol=1e-12)
    gain = linear.describe().gain[0, 0]
    above, below = (model.find_operating_point(u + s).y[0] for s in (1e-5, -1e-5))
    assert gain == pytest.approx((above - below) / 2e-5, rel=1e-5)
    assert linear.sampling_time == model.sampling_time


def test_coupled_model_is_linearised():
    model = StateSpace(simulate_coupled_tanh, 1)
    point, linear = model.find_operating_point(0.5), model.linearise(0.5)
    assert point.x[0] == pytest.approx(0.5 * np.tanh(point.x[0]) + 0.5)
    assert linear.A[0, 0] == pytest.approx(0.5 / np.cosh(point.x[0]) ** 2)


def test_saturated_output_is_clipped_in_both():
    model = replace(make_model(1, 1), bounds=(np.array([-0.1]), np.array([0.1])))
    free = replace(model, bounds=None)
    u = max(np.linspace(-2, 2, 9), key=lambda u: abs(free.find_operating_point(u).y[0]))
    assert abs(model.find_operating_point(u).y[0]) == pytest.approx(0.1)
    linear = model.linearise(u)
    np.testing.assert_allclose(linear.linear, free.linearise(u).linear)
    np.testing.assert_allclose(linear.offset, free.linearise(u).offset)
    np.testing.assert_allclose(linear.find_operating_point(u).y, model.find_operating_point(u).y)


@pytest.mark.parametrize("method", ["find_operating_point", "linearise"])
def test_bad_inputs_are_refused(method):
    find = getattr(make_model(), method)
    with pytest.raises(InvalidSamplesError, match=r"u has shape \(\): .* 2 inputs"):
        find(0.5)
    with pytest.raises(InvalidSamplesError, match=r"u has shape \(3,\)"):
        find([0.1, 0.2, 0.3])
    with pytest.raises(InvalidSamplesError, match="u holds 1 NaN"):
        find([0.5, np.nan])
    with pytest.raises(InvalidSamplesError, match="u"):
        find("high")


@pytest.mark.parametrize("method", ["find_operating_point", "linearise"])
@pytest.mark.parametrize("u", [0.0, 1.0])
def test_integrating_models_have_no_point_at_rest(method, u):
    with pytest.raises(OperatingPointError, match=r"u = \[.\.\]: the model integrates"):
        getattr(INTEGRATOR, method)(u)


def test_diverging_models_have_no_point_at_rest():
    def exploding(p):
        x, u = p.T
        return np.stack([x + 0.1 * x**2 + 1 + u**2, x], axis=1)

    with pytest.raises(OperatingPointError, match=r"no steady state found at u = \[0.5\]"):
        StateSpace(exploding, 1).find_operating_point(0.5)


def test_unstable_point_is_found_but_is_no_output_at_rest():
    unstable = StateSpace(None, 1, [[1.5, 1.0], [1.0, 0.0]])
    assert unstable.find_operating_point(1.0).y[0] == pytest.approx(-2)
    assert not unstable.linearise(1.0).describe().is_stable
    records = unstable.records(np.linspace(0, 1, 20), np.linspace(0, 1, 20))
    assert np.isnan(replace(unstable, data=records).static_characteristic().y).all()


def test_static_characteristic_is_the_output_at_rest(cubic_model, cubic_record):
    u, y = cubic_model.static_characteristic(n_points=20)
    assert (u.shape, y.shape) == ((20,), (20, 1))
    assert (u[0], u[-1]) == (cubic_record[0].min(), cubic_record[0].max())
    for level, output in zip(u[::5], y[::5, 0], strict=True):
        assert output == pytest.approx(cubic_model.find_operating_point(level).y[0])


def test_other_inputs_stay_at_their_means():
    model = make_model()
    middle = model.function.points[:, 3:].mean(axis=0)
    u, y = model.static_characteristic(5, channel=1)
    np.testing.assert_allclose(model.find_operating_point([middle[0], u[2]]).y, y[2])


def test_static_characteristic_of_integrators_is_unknown():
    records = INTEGRATOR.records(np.linspace(0, 1, 20), np.linspace(0, 1, 20))
    assert np.isnan(replace(INTEGRATOR, data=records).static_characteristic().y).all()


def test_static_characteristic_refuses_bad_options():
    with pytest.raises(InvalidOptionError, match="n_points"):
        make_model().static_characteristic(1)
    with pytest.raises(InvalidOptionError, match="channel = 2: the model has 2 inputs"):
        make_model().static_characteristic(channel=2)
    with pytest.raises(InvalidOptionError, match="holds no records"):
        INTEGRATOR.static_characteristic()


def test_plot_has_a_panel_for_each_pair(tmp_path):
    pytest.importorskip("matplotlib")
    figure = make_model().plot_static(tmp_path / "static.png")
    assert len(figure.axes) == 4
    assert all(len(panel.lines) == 2 for panel in figure.axes)
    assert (tmp_path / "static.png").exists()
