"""Tests of the exchange of linear systems with SciPy and python-control."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import signal

from unbraid.errors import InvalidOptionError, MissingExtraError
from unbraid.statespace import StateSpace, fit_linear, from_lti

U = np.random.default_rng(0).standard_normal(80)
MATRICES = (
    np.array([[0.5, 0.2], [0.0, -0.3]]),
    np.array([[1.0, 0.0], [0.5, 1.0]]),
    np.array([[1.0, -1.0]]),
    np.array([[0.1, 0.0]]),
)


def respond(system, u):
    """The response of SciPy from rest."""
    return np.asarray(signal.dlsim(system, u)[1])


@pytest.mark.parametrize(
    "system",
    [
        signal.TransferFunction([1.0, 0.3], [1.0, -0.9, 0.2], dt=0.1),
        signal.TransferFunction([1.0], [1.0, -0.5], dt=0.1),
        signal.ZerosPolesGain([0.1], [0.5 + 0.2j, 0.5 - 0.2j], 2.0, dt=0.1),
        signal.StateSpace([[0.5]], [[1.0]], [[2.0]], [[0.3]], dt=0.1),
        signal.dlti([1.0], [1.0, 0.0, 0.25], dt=0.1),
    ],
)
def test_systems_of_scipy_simulate_the_same(system):
    model = from_lti(system)
    expected = respond(system, U)[:, 0]
    found = model.simulate(U, x0=np.zeros(model.n_states))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert model.sampling_time == 0.1


def test_there_and_back():
    model = from_lti((*MATRICES, 0.2))
    again = from_lti(model.to_scipy())
    np.testing.assert_array_equal(again.linear, model.linear)
    assert again.sampling_time == 0.2
    assert from_lti(MATRICES).to_scipy().dt is True
    assert from_lti(from_lti(MATRICES).to_scipy()).sampling_time is None
    assert from_lti(MATRICES, sampling_time=0.5).sampling_time == 0.5


def test_an_identified_model_has_the_response_of_its_linear_part():
    y = signal.lfilter([0.0, 1.0], [1.0, -0.8], U)
    model = fit_linear(U, y + 3.0, 1)
    out = respond(model.to_scipy(), U)[:, 0]
    np.testing.assert_allclose(out, y, atol=1e-6)


def test_a_static_gain_has_a_state_without_effect():
    model = from_lti(signal.StateSpace([], [], [], [[2.0]], dt=True))
    np.testing.assert_allclose(model.simulate(U, x0=[0.0]), 2 * U)
    assert from_lti(([], [], [], [[2.0, 1.0]])).D.shape == (1, 2)


@pytest.mark.parametrize(
    ("system", "word"),
    [
        (signal.TransferFunction([1.0], [1.0, 2.0]), "discretise"),
        (signal.StateSpace([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), "discretise"),
        (MATRICES[:3], "parts"),
        (([[0.5]], [[1.0]], [[1.0, 2.0]], [[0.0]]), "belong together"),
        (([[0.5, 1.0]], [[1.0]], [[1.0]], [[0.0]]), "belong together"),
        ((*MATRICES, -1.0), "sampling_time"),
        ("system", "no linear system"),
        (None, "no linear system"),
    ],
)
def test_other_systems_are_refused(system, word):
    with pytest.raises(InvalidOptionError, match=word):
        from_lti(system)


def test_bad_numbers_and_times_are_refused():
    with pytest.raises(ValueError, match="A holds"):
        from_lti(([[np.nan]], [[1.0]], [[1.0]], [[0.0]]))
    with pytest.raises(InvalidOptionError, match="leave one"):
        from_lti((*MATRICES, 0.2), sampling_time=0.3)
    with pytest.raises(ValueError, match="sampling_time"):
        from_lti(MATRICES, sampling_time="fast")


def test_a_coupled_model_has_no_known_linear_part():
    with pytest.raises(InvalidOptionError, match="coupled"):
        StateSpace(lambda p: p, 1).to_scipy()


def test_python_control_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(MissingExtraError, match="control"):
        from_lti(MATRICES).to_control()


class Transfer:
    """What this library reads of a TransferFunction of python-control."""

    def __init__(self, num, den, dt):
        self.num, self.den, self.dt = num, den, dt
        self.input_labels, self.output_labels = ["pump", "valve"], ["y[0]"]


def test_a_table_of_transfer_functions_is_read_without_python_control():
    model = from_lti(Transfer([[[0.0, 1.0], [2.0, 0.0]]], [[[1.0, -0.5], [1.0, 0.3]]], 0.1))
    u = np.random.default_rng(1).standard_normal((50, 2))
    expected = signal.lfilter([0.0, 1.0], [1.0, -0.5], u[:, 0])
    expected += signal.lfilter([2.0], [1.0, 0.3], u[:, 1])
    np.testing.assert_allclose(model.simulate(u, x0=np.zeros(2))[:, 0], expected, atol=1e-12)
    assert model.input_names == ("pump", "valve")
    assert model.output_names is None


@pytest.mark.parametrize(("dt", "word"), [(0, "discretise"), (None, "discrete")])
def test_times_of_python_control(dt, word):
    with pytest.raises(InvalidOptionError, match=word):
        from_lti(Transfer([[[1.0]]], [[[1.0, -0.5]]], dt))


def test_improper_transfer_functions_are_refused():
    with pytest.raises(InvalidOptionError, match="state-space form"):
        from_lti(Transfer([[[1.0, 0.0, 0.0]]], [[[1.0, -0.5]]], True))


def test_python_control_itself():
    control = pytest.importorskip("control")
    model = from_lti(control.ss(*MATRICES, 0.1, inputs=["pump", "valve"], outputs=["level"]))
    assert (model.input_names, model.output_names) == (("pump", "valve"), ("level",))
    assert model.sampling_time == 0.1
    np.testing.assert_array_equal(model.B, MATRICES[1])
    system = model.to_control()
    assert system.input_labels == ["pump", "valve"]
    assert system.dt == 0.1
    np.testing.assert_array_equal(system.A, MATRICES[0])
    assert from_lti(control.tf([1.0], [1.0, -0.5], True)).sampling_time is None
    with pytest.raises(InvalidOptionError, match="discretise"):
        from_lti(control.tf([1.0], [1.0, 0.5]))
