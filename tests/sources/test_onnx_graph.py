"""Unusual ONNX graphs: those without rules are run as they are, huge ones are refused."""

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper

from hardening import graphs
from hardening.graphs import node, whole
from unbraid import InvalidFileError, SamplingError, sample
from unbraid.sources._onnx import OnnxRun, wrap_onnx_model
from unbraid.sources._onnx_duals import UnsupportedOperatorError, make_dual
from unbraid.sources._onnx_graph import has_rule

POINTS = np.random.default_rng(3).uniform(0.2, 2.8, (12, 2))
EXACT_SOURCE = "exact, from the graph"


def model(nodes, constants=None, width=2):
    """A graph in double precision from x (N, 2) to y."""
    weights = [numpy_helper.from_array(np.asarray(a), n) for n, a in (constants or {}).items()]
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.DOUBLE, ["N", size])]
        for name, size in (("x", width), ("y", None))
    ]
    made = helper.make_graph(nodes, "g", *ends, weights)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def lookup():
    """A constant of which every point takes an entry, along its second axis."""
    nodes = [node("Cast", ["x"], ["i"], to=TensorProto.INT64)]
    nodes += [node("Gather", ["c", "i"], ["t"], axis=1), node("Squeeze", ["t", "a"], ["s"])]
    return [*nodes, node("Add", ["s", "x"], ["y"])], {
        "c": np.array([[3.0, 1.0, 4.0]]),
        "a": whole(0),
    }


def squared_length():
    nodes = [node("Unsqueeze", ["x", "one"], ["row"]), node("Unsqueeze", ["x", "two"], ["column"])]
    nodes += [node("MatMul", ["row", "column"], ["p"]), node("Squeeze", ["p", "two"], ["y"])]
    return nodes, {"one": whole(1), "two": whole(2)}


def soft_rows():
    nodes = [node("Unsqueeze", ["x", "one"], ["t"]), node("Softmax", ["t"], ["s"], axis=-1)]
    return [*nodes, node("Squeeze", ["s", "one"], ["y"])], {"one": whole(1)}


def reshape_twice(first, *inputs, **attributes):
    """Reshape, and back to rows of two by a second Reshape."""
    nodes = [
        node(first, ["x", *inputs], ["t"], **attributes),
        node("Reshape", ["t", "rows"], ["y"]),
    ]
    return nodes, {"flat": whole(-1), "rows": whole(-1, 2)}


def higher_rank():
    nodes = [node("Add", ["x", "c"], ["t"]), node("Squeeze", ["t", "first"], ["y"])]
    return nodes, {"c": np.array([[[1.0, 2.0]]]), "first": whole(0)}


def truth_values():
    nodes = [node("Cast", ["x"], ["b"], to=TensorProto.BOOL)]
    nodes += [node("Cast", ["b"], ["d"], to=TensorProto.DOUBLE), node("Mul", ["x", "d"], ["y"])]
    return nodes, {}


RUN = {  # graphs without a rule, and what they compute
    "constant of a higher rank": (higher_rank(), lambda x: x + np.array([1, 2])),
    "exponents that move": (
        ([node("Pow", ["c", "x"], ["y"])], {"c": np.array([2.0])}),
        lambda x: 2**x,
    ),
    "product of two that move": (squared_length(), lambda x: np.sum(x**2, axis=1, keepdims=True)),
    "softmax of a higher rank": (
        soft_rows(),
        lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True),
    ),
    "lookup along the second axis": (
        lookup(),
        lambda x: x + np.array([3.0, 1.0, 4.0])[x.astype(int)],
    ),
    "all in one row": (reshape_twice("Reshape", "flat"), lambda x: x),
    "flattened to one row": (reshape_twice("Flatten", axis=0), lambda x: x),
    "truth values": (truth_values(), lambda x: x),
    "constant of an unknown size": (
        ([node("Sign", ["c"], ["s"]), node("Mul", ["x", "s"], ["y"])], {"c": np.array([-3.0])}),
        lambda x: -x,
    ),
}


@pytest.mark.parametrize("name", RUN)
def test_runs_graphs_without_rules_and_takes_differences(name):
    (nodes, constants), expected = RUN[name]
    samples = sample(model(nodes, constants), POINTS)
    assert samples.source != EXACT_SOURCE
    np.testing.assert_allclose(samples.values, expected(POINTS), atol=1e-12)
    h = 1e-6
    for l, e in enumerate(np.eye(2)):
        slope = (expected(POINTS + h * e) - expected(POINTS - h * e)) / (2 * h)
        np.testing.assert_allclose(samples.jacobians[:, :, l], slope, atol=1e-6)


def test_computes_open_sizes_of_a_reshape():
    nodes = [node("Reshape", ["x", "tall"], ["t"]), node("Sin", ["t"], ["s"])]
    nodes += [node("Reshape", ["s", "rows"], ["y"])]
    samples = sample(model(nodes, {"tall": whole(0, -1, 1), "rows": whole(0, -1)}), POINTS)
    assert samples.source == EXACT_SOURCE
    np.testing.assert_allclose(samples.values, np.sin(POINTS), atol=1e-15)
    slopes = np.cos(POINTS)[:, :, None] * np.eye(2)
    np.testing.assert_allclose(samples.jacobians, slopes, atol=1e-15)


def test_steps_alone_have_slopes_of_zero():
    nodes = [node("Cast", ["x"], ["i"], to=TensorProto.INT64)]
    nodes += [node("Cast", ["i"], ["y"], to=TensorProto.DOUBLE)]
    function = wrap_onnx_model(model(nodes))
    np.testing.assert_array_equal(function(POINTS), np.trunc(POINTS))
    np.testing.assert_array_equal(function.jacobian(POINTS), np.zeros((12, 2, 2)))


def test_folds_constants():
    nodes = [node("Expand", ["c", "size"], ["wide"]), node("Mul", ["wide", "d"], ["e"])]
    nodes += [node("Add", ["x", "e"], ["y"])]
    constants = {"c": np.array([2.0]), "size": whole(1, 2), "d": np.array([[3.0, 5.0]])}
    function = wrap_onnx_model(model(nodes, constants))
    assert [left.op_type for left in function.nodes] == ["Add"]
    np.testing.assert_array_equal(function(POINTS), POINTS + np.array([6, 10]))


MIXED = {  # graphs that mix rows, and their values for single points
    "every point by every other": (
        ([node("Gemm", ["x", "x"], ["y"], transB=1)], {}),
        lambda x: np.sum(x**2, axis=1, keepdims=True),
    ),
    "sum of all": (
        ([node("ReduceSum", ["x"], ["s"], keepdims=0), node("Add", ["x", "s"], ["y"])], {}),
        lambda x: x + x.sum(axis=1, keepdims=True),
    ),
    "constant of many rows": (
        (
            [node("Add", ["x", "c"], ["t"]), node("ReduceSum", ["t", "a"], ["y"])],
            {"c": np.arange(10.0).reshape(5, 2), "a": whole(0)},
        ),
        lambda x: 5 * x + [20, 25],
    ),
    "a constant and nothing else": (
        ([node("Neg", ["c"], ["y"])], {"c": np.array([[3.0, 4.0]])}),
        lambda x: np.full(x.shape, [-3.0, -4.0]),
    ),
}


@pytest.mark.parametrize("name", MIXED)
def test_evaluates_graphs_that_mix_rows_point_by_point(name):
    (nodes, constants), expected = MIXED[name]
    samples = sample(model(nodes, constants), POINTS)
    assert samples.source == "by central differences"
    np.testing.assert_allclose(samples.values, expected(POINTS), rtol=1e-12)


BAD = {  # graphs that cannot be run
    "limits of several numbers": (
        [node("Clip", ["x", "c", "d"], ["y"])],
        {"c": np.zeros(2), "d": np.ones(2)},
    ),
    "constants that do not fit": (
        [node("Add", ["c", "d"], ["e"]), node("Add", ["x", "e"], ["y"])],
        {"c": np.ones(2), "d": np.ones(3)},
    ),
    "constant of another size": (
        [node("Reshape", ["c", "s"], ["e"]), node("Add", ["x", "e"], ["y"])],
        {"c": np.ones(6), "s": whole(4)},
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_reports_graphs_that_cannot_be_run(name):
    pytest.importorskip("onnxruntime")  # the reference of onnx lets some of them pass
    with pytest.raises(SamplingError, match=r"cannot be run|Clip"):
        sample(model(*BAD[name]), POINTS)


VAST = {
    "vast constant": (InvalidFileError, "ConstantOfShape"),
    "expanded": (InvalidFileError, "Expand"),
    "expanded points": (SamplingError, "1000000000"),
    "outer product": (SamplingError, "8000, 8000"),
    "endless loop": (SamplingError, "Loop"),
    "vast width": (SamplingError, "'x'"),
    "negative weight": (InvalidFileError, "negative size"),
    "short weight": (InvalidFileError, "weight 'w'"),
}


@pytest.mark.parametrize("name", VAST)
def test_refuses_graphs_that_would_exhaust_memory(name):
    error, says = VAST[name]
    with pytest.raises(error, match=says):
        wrap_onnx_model(graphs.evil()[name])


def test_refuses_a_batch_beyond_memory():
    with pytest.raises(SamplingError, match="4096 points"):
        wrap_onnx_model(graphs.rows_of(4096, 4096))


def test_very_many_inputs_are_run_without_slopes():
    made = model([node("ReduceSum", ["x", "a"], ["y"])], {"a": whole(1)}, width=5000)
    function = wrap_onnx_model(made)
    assert isinstance(function, OnnxRun)
    np.testing.assert_allclose(function(np.ones((3, 5000))), np.full((3, 1), 5000.0))
    with pytest.raises(UnsupportedOperatorError):
        make_dual(np.ones((2, 5000)), with_slopes=True)


def test_an_unknown_operator_has_no_rule():
    assert not has_rule(node("Frobnicate", ["x"], ["y"]))


POINTS = np.random.default_rng(3).uniform(-1, 1, (12, 2))


@pytest.mark.parametrize("width", [1, 2])
def test_squeezes_every_axis(width):
    """As torch exports model(x).squeeze(): of a single point it drops the axis of the points."""
    pytest.importorskip("onnx")
    from hardening.graphs import node
    from sources.test_onnx_graph import model

    V = np.random.default_rng(0).standard_normal((2, width))
    nodes = [node("MatMul", ["x", "w"], ["h"]), node("Tanh", ["h"], ["t"])]
    walked = sample(model([*nodes, node("Squeeze", ["t"], ["y"])], {"w": V}), POINTS)
    assert walked.source == "exact, from the graph"
    nodes[1] = node("Sign", ["h"], ["t"])  # which has no rule, so that it is run
    run = sample(model([*nodes, node("Squeeze", ["t"], ["y"])], {"w": V}), POINTS)
    np.testing.assert_allclose(walked.values, np.tanh(POINTS @ V), atol=1e-14)
    np.testing.assert_array_equal(run.values, np.sign(POINTS @ V))
