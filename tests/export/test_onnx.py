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
from unbraid import BSpline
from unbraid.export import to_onnx


def run_onnx(model, points):
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options)
    return session.run(["f"], {"p": points})[0]


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
