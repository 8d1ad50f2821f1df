"""The ONNX export in two runtimes."""

import json

import numpy as np
import pytest

from export_helpers import (
    FUNCTIONS,
    assert_agrees,
    every_case,
    make_function,
    sample_points,
    single_precision_points,
    single_tolerance,
)
from step_models import CASES, LONG, every_model
from unbraid import BSpline
from unbraid.export import to_onnx


def make_session(model):
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(model.SerializeToString(), options)


def run_onnx(model, points):
    return make_session(model).run(["f"], {"p": points})[0]


@every_case
def test_values_agree_in_onnxruntime(case):
    pytest.importorskip("onnx")
    d = FUNCTIONS[case]
    p = sample_points(d)
    assert_agrees(run_onnx(to_onnx(d), p), d(p))


@every_case
def test_values_agree_in_the_reference_evaluator(case):
    reference = pytest.importorskip("onnx.reference")
    d = FUNCTIONS[case]
    p = sample_points(d)
    assert_agrees(reference.ReferenceEvaluator(to_onnx(d)).run(["f"], {"p": p})[0], d(p))


@every_case
def test_single_precision_agrees(case):
    pytest.importorskip("onnx")
    d = FUNCTIONS[case]
    p = single_precision_points(d)
    values = run_onnx(to_onnx(d, dtype="float32"), p)
    assert values.dtype == np.float32
    assert_agrees(values, d(p), single_tolerance(case))


def test_model_is_small_and_takes_any_number_of_points(tmp_path):
    onnx = pytest.importorskip("onnx")
    d = make_function([BSpline(12)] * 6, "linear")
    model = to_onnx(d, tmp_path / "d.onnx")
    assert len(model.graph.node) < 25
    assert onnx.load(tmp_path / "d.onnx") == model
    for size in (1, 7):
        p = np.ones((size, 3))
        assert_agrees(run_onnx(model, p), d(p))


def test_names_are_in_the_metadata():
    d = FUNCTIONS["cubic_linear"]
    assert not to_onnx(d).metadata_props
    model = to_onnx(d.named(["speed [m/s]", "a, b", "µ"]))
    properties = {entry.key: json.loads(entry.value) for entry in model.metadata_props}
    assert properties == {"input_names": ["speed [m/s]", "a, b", "µ"]}


def run_steps(case, dtype="float64", evaluator=None):
    """Outputs of one sample after the other, the state passed by hand."""
    model = to_onnx(case.model, dtype=dtype)
    session = (evaluator or make_session)(model)
    state = case.step.initial_state if case.is_narx else case.start
    for t in range(case.n_pushed):
        state = case.step.push(case.u[t], case.y[t], state)
    state, outputs = np.asarray([state], dtype), []
    for u in case.u[case.n_pushed :].astype(dtype):
        y, state = session.run(["y", "next_state"], {"u": u[None], "state": state})
        outputs.append(y[0])
    return outputs


@every_model
def test_steps_equal_the_simulation(case):
    pytest.importorskip("onnx")
    CASES[case].assert_agrees(run_steps(CASES[case]))


@pytest.mark.parametrize("case", ["mixed", "sensors"])
def test_steps_agree_in_the_reference_evaluator(case):
    reference = pytest.importorskip("onnx.reference")
    CASES[case].assert_agrees(run_steps(CASES[case], evaluator=reference.ReferenceEvaluator))


@every_model
def test_steps_in_single_precision_agree(case):
    pytest.importorskip("onnx")
    outputs = run_steps(CASES[case], "float32")
    assert outputs[0].dtype == np.float32
    CASES[case].assert_agrees(outputs, 3e-5)


@pytest.mark.slow
@pytest.mark.parametrize("case", LONG)
def test_long_records_agree(case):
    pytest.importorskip("onnx")
    LONG[case].assert_agrees(run_steps(LONG[case]))


def test_several_models_run_in_one_batch():
    pytest.importorskip("onnx")
    case = CASES["sensors"]
    session = make_session(to_onnx(case.model))
    states = np.random.default_rng(0).standard_normal((5, 4))
    y, after = session.run(["y", "next_state"], {"u": case.u[:5], "state": states})
    expected = [case.step.step(u, state) for u, state in zip(case.u, states, strict=False)]
    assert_agrees(y, np.array([row for row, _ in expected]))
    assert_agrees(after, np.array([row for _, row in expected]))


def test_metadata_of_a_dynamic_model():
    pytest.importorskip("onnx")
    case = CASES["curves"]
    properties = to_onnx(case.model, x0=[1, 2, 3]).metadata_props
    assert {entry.key: json.loads(entry.value) for entry in properties} == {
        "input_names": ["u"],
        "output_names": list(case.step.output_names),
        "state_names": ["x1", "x2", "x3"],
        "initial_state": [1.0, 2.0, 3.0],
        "sampling_time": 0.05,
    }
