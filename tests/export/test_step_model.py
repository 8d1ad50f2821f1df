"""Equations of one sample, beside the simulation of the model that they come from."""

from dataclasses import replace

import numpy as np
import pytest

from export_helpers import FUNCTIONS
from step_models import CASES, every_model
from unbraid import InvalidOptionError, InvalidSamplesError
from unbraid.export import (
    to_c,
    to_c_header,
    to_latex,
    to_matlab,
    to_onnx,
    to_python,
    to_simulink,
)
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.statespace import StateSpace

RUNNING = (to_c, to_matlab, to_simulink, to_python, to_onnx, to_c_header)
WITH_STATE = RUNNING[:-1]


@every_model
def test_steps_equal_the_simulation(case):
    case = CASES[case]
    step, state, outputs = case.step, case.step.initial_state, []
    if not case.is_narx:
        state = case.start
    for t, u in enumerate(case.u):
        if t < case.n_pushed:
            state = step.push(u, case.y[t], state)
        else:
            y, state = step.step(u, state)
            outputs.append(y)
    case.assert_agrees(outputs)


def test_measured_outputs_are_no_state_of_a_state_space_model():
    case = CASES["no_curves"]
    with pytest.raises(InvalidOptionError, match="find_initial_state"):
        case.step.push(case.u[0], case.y[0], case.start)


def test_names_of_signals_and_states():
    step = CASES["gaps"].step
    assert step.input_names + step.output_names == ("u", "y")
    assert step.state_names == ("u(t-1)", "u(t-2)", "u(t-3)", "y(t-1)", "y(t-2)")
    step = CASES["sensors"].step
    assert step.state_names == ("x1", "x2", "x3", "x4")
    assert step.output_names == ("a", "b", "c")
    assert CASES["curves"].step.sampling_time == 0.05
    assert replace(CASES["gaps"].model, sampling_time=0.1).step_model().sampling_time == 0.1


def test_an_input_without_lags_stays_an_input():
    model = CASES["unforced"].model
    assert model.step_model().input_names == ("u",)
    assert replace(model, input_names=["a", "b"]).step_model().input_names == ("a", "b")


@pytest.mark.parametrize("export", RUNNING)
def test_rejects_coupled_models(export, cubic_record):
    u, y = cubic_record
    coupled = fit_polynomial_narx(u, y, (0,), (1,), 2)
    for model in (coupled, NARX(np.tanh, (0,), (1,)), StateSpace(np.tanh, 1)):
        with pytest.raises(InvalidOptionError, match="decouple"):
            export(model)


@pytest.mark.parametrize("export", WITH_STATE)
def test_rejects_wrong_initial_states(export):
    with pytest.raises(InvalidOptionError, match="x0 has 2 entries: 5"):
        export(CASES["gaps"].model, x0=[0, 1])
    with pytest.raises(InvalidSamplesError, match="x0"):
        export(CASES["gaps"].model, x0=[np.nan] * 5)


@pytest.mark.parametrize("export", [to_c, to_matlab, to_python, to_onnx])
def test_functions_have_no_initial_state(export):
    with pytest.raises(InvalidOptionError, match="x0"):
        export(FUNCTIONS["cubic_linear"], x0=[0.0])


@pytest.mark.parametrize("export", [to_simulink, to_c_header])
def test_functions_have_no_state(export):
    with pytest.raises(InvalidOptionError, match="no state"):
        export(FUNCTIONS["cubic_linear"])


def test_rejects_models_without_past_samples():
    model = NARX(FUNCTIONS["scalar_linear"], (0,), ())
    with pytest.raises(InvalidOptionError, match="function"):
        model.step_model()


def test_rejects_functions_of_another_size():
    d = FUNCTIONS["scalar_linear"]
    with pytest.raises(InvalidOptionError, match="1 inputs"):
        StateSpace(d, 1).step_model()
    with pytest.raises(InvalidOptionError, match="lags"):
        NARX(d, (0, 1), (1,)).step_model()


def test_rejects_wrong_numbers_of_names():
    model = CASES["sensors"].model
    with pytest.raises(InvalidOptionError, match="input_names"):
        replace(model, input_names=("only one",)).step_model()


@pytest.mark.parametrize(
    ("export", "ending"),
    [(to_c, ".h"), (to_c_header, ".c"), (to_matlab, ".c"), (to_simulink, ".c"), (to_python, ".m")],
)
def test_rejects_wrong_endings(export, ending, tmp_path):
    with pytest.raises(InvalidOptionError, match="must"):
        export(CASES["plain"].model, tmp_path / f"model{ending}")
    assert not list(tmp_path.iterdir())


def test_other_targets_name_the_static_function():
    with pytest.raises(InvalidOptionError, match=r"\.function"):
        to_latex(CASES["plain"].model)
