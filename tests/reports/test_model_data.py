"""The page evaluates and simulates models as Python does."""

import shutil

import numpy as np
import pytest

from export_helpers import FUNCTIONS, mark_slow, sample_points
from javascript import run_in_chromium, run_in_node
from step_models import CASES, every_model
from unbraid.export._step_model import StepModel
from unbraid.model._parts import Part
from unbraid.reports._model_data import function_data, part_data, step_data
from unbraid.statespace import StateSpace

FILES = ("base", "model")
RESPONSE_FILES = (*FILES, "scales", "sliders", "responses")
EVALUATE = "const model = makeFunction(data.model); return data.points.map(model.evaluate)"
SIMULATE = "return simulate(makeStepModel(data.model), data.u, data.state).y"
TOLERANCE = 1e-9  # of the largest value


@pytest.fixture(
    params=[
        pytest.param("node", marks=pytest.mark.skipif(not shutil.which("node"), reason="no node")),
        pytest.param("chromium", marks=pytest.mark.slow),
    ]
)
def run(request):
    if request.param == "node":
        return run_in_node
    driver = request.getfixturevalue("driver")
    return lambda *arguments: run_in_chromium(driver, *arguments)


def assert_close(found, expected):
    """NaN, which JSON writes as null, in the same places; elsewhere close."""
    values = np.array(found, dtype=float).reshape(expected.shape)
    np.testing.assert_array_equal(np.isnan(values), np.isnan(expected))
    scale = np.nanmax(np.abs(expected))
    np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE * scale)


@pytest.mark.parametrize("case", mark_slow(FUNCTIONS))
def test_values_are_those_of_python(run, case):
    d = FUNCTIONS[case]
    few = sample_points(d)
    extra = np.random.default_rng(1).uniform(-3, 3, (max(1000 - len(few), 0), d.n_inputs))
    points = np.concatenate([few, extra])
    found = run(FILES, EVALUATE, {"model": function_data(d), "points": points})
    assert len(points) >= 1000
    assert_close(found, d(points))


@every_model
def test_simulation_is_that_of_python(run, case):
    c = CASES[case]
    state = c.start if not c.is_narx else c.step.initial_state
    pushed = c.n_pushed
    for u, y in zip(c.u[:pushed], c.y[:pushed], strict=True):
        state = c.step.push(u, y, state)
    data = {"model": step_data(c.step), "u": c.u[pushed:], "state": state}
    c.assert_agrees(run(FILES, SIMULATE, data), TOLERANCE)


@pytest.mark.parametrize("kind", ["step", "sine"])
@pytest.mark.parametrize("case", ["plain", "curves"])
def test_responses_are_those_of_simulate(run, case, kind):
    c, lead, count, rest = CASES[case], 5, 60, 3000
    settings = {"base": [0.3], "channel": 0, "amplitude": 0.7, "kind": kind, "period": 12}
    body = f"return respond(makeStepModel(data.model), data.settings, {count}, {lead})"
    found = run(RESPONSE_FILES, body, {"model": step_data(c.step), "settings": settings})
    t = np.arange(count) - lead
    wave = np.where(t < 0, 0.0, 1.0 if kind == "step" else np.sin(2 * np.pi * t / 12))
    np.testing.assert_allclose(np.ravel(found["u"]), 0.3 + 0.7 * wave, atol=1e-12)
    u = np.concatenate([np.full(rest, 0.3), 0.3 + 0.7 * wave])
    start = {"initial": np.zeros(2)} if c.is_narx else {"x0": np.zeros(c.step.n_states)}
    expected = c.model.simulate(u, **start).reshape(len(u), -1)[rest:]
    assert_close(found["y"], expected)


def test_simulation_ends_where_it_diverges(run):
    model = StateSpace(None, 1, linear=[[2.0, 1.0], [1.0, 0.0]]).step_model()
    assert isinstance(model, StepModel)
    found = run(FILES, SIMULATE, {"model": step_data(model), "u": [[1.0]] * 200, "state": [0.0]})
    assert 30 < len(found) < 50


def test_parts_leave_out_what_is_zero():
    assert part_data(Part()) == {}
    assert part_data(Part({1: 2.0}, constant=3.0)) == {"g": [[1, 2.0]], "c": 3.0}
