"""Rules for ONNX operators, compared with differences and with the evaluator of onnx."""

import numpy as np
import pytest

from sources.functions import differences
from sources.networks import POINTS, onnx_model
from unbraid import sample
from unbraid.sources import as_function

UNARY = {
    "Neg": {},
    "Abs": {},
    "Sqrt": {},
    "Exp": {},
    "Log": {},
    "Reciprocal": {},
    "Sin": {},
    "Cos": {},
    "Tan": {},
    "Atan": {},
    "Sinh": {},
    "Cosh": {},
    "Tanh": {},
    "Sigmoid": {},
    "Erf": {},
    "Gelu": {},
    "Softplus": {},
    "Softsign": {},
    "Relu": {},
    "LeakyRelu": {"alpha": 0.2},
    "Elu": {"alpha": 1.5},
    "Softmax": {"axis": -1},
    "Identity": {},
    "Flatten": {},
    "Dropout": {},
    "Floor": {},
    "Ceil": {},
}


def _ends(n_outputs=2, kind=np.float64):
    return [("p", kind, ["N", 2])], [("y", kind, ["N", n_outputs])]


def check_graph(model, points):
    """Against differences, and its values against the reference of onnx."""
    from onnx.reference import ReferenceEvaluator

    samples = sample(model, points)
    assert samples.source == "exact, from the graph"
    run = ReferenceEvaluator(model)

    def f(p):
        kind = np.float32 if model.graph.input[0].type.tensor_type.elem_type == 1 else float
        rows = [run.run(None, {"p": row[None].astype(kind)})[0] for row in p]
        return np.reshape(rows, (len(p), -1))

    numeric = differences(as_function(model), points)
    np.testing.assert_allclose(samples.values, f(points), rtol=1e-5, atol=1e-6)
    assert np.abs(samples.jacobians - numeric).max() <= 1e-6 * max(1.0, np.abs(numeric).max())


@pytest.mark.parametrize("operator", UNARY)
def test_differentiates_unary_operators(operator):
    points = np.random.default_rng(0).uniform(0.55, 0.95, (10, 2))
    for sign in (1, -1):
        if sign < 0 and operator in ("Sqrt", "Log"):
            continue
        model = onnx_model([(operator, ["p"], ["y"], UNARY[operator])], *_ends())
        check_graph(model, sign * points)


def test_differentiates_the_tanh_form_of_gelu():
    model = onnx_model([("Gelu", ["p"], ["y"], {"approximate": "tanh"})], *_ends())
    check_graph(model, POINTS)


BINARY = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Sum"]


@pytest.mark.parametrize("operator", BINARY)
@pytest.mark.parametrize("other", ["c", "q"])
@pytest.mark.parametrize("swapped", [False, True])
def test_differentiates_binary_operators(operator, other, swapped):
    points = np.random.default_rng(0).uniform(0.6, 0.9, (10, 2))
    pair = ["p", other][:: -1 if swapped else 1]
    nodes = [("Exp", ["p"], ["q"], {}), (operator, pair, ["y"], {})]
    check_graph(onnx_model(nodes, *_ends(), {"c": np.array([0.3, 1.2])}), points)


@pytest.mark.parametrize("exponent", [[0.0, 3.0], [0.5, -1.0], 2.0])
def test_differentiates_powers(exponent):
    points = np.random.default_rng(0).uniform(0.6, 0.9, (10, 2))
    check_graph(
        onnx_model([("Pow", ["p", "c"], ["y"], {})], *_ends(), {"c": np.array(exponent)}), points
    )


def test_differentiates_a_graph_of_many_shapes():
    """Axes added, moved and taken away, a computed constant, comparisons and reductions."""
    nodes = [
        ("MatMul", ["p", "W"], ["a"], {}),
        ("Reshape", ["a", "shape"], ["b"], {}),
        ("ReduceSum", ["b", "last"], ["c"], {"keepdims": 0}),
        ("Unsqueeze", ["c", "last"], ["d"], {}),
        ("Squeeze", ["d", "last"], ["e"], {}),
        ("Gather", ["a", "picks"], ["f"], {"axis": 1}),
        ("Concat", ["e", "f", "row"], ["g"], {"axis": 1}),
        ("Clip", ["g", "low", "high"], ["h"], {}),
        ("Transpose", ["T"], ["U"], {}),
        ("Gemm", ["h", "U", "bias"], ["i"], {"alpha": 0.5, "beta": 2.0}),
        ("Cast", ["i"], ["j"], {"to": 11}),
        ("GreaterOrEqual", ["j", "zero"], ["k"], {}),
        ("Sin", ["j"], ["l"], {}),
        ("Where", ["k", "j", "l"], ["y"], {}),
    ]
    rng = np.random.default_rng(0)
    constants = {
        "W": rng.standard_normal((2, 6)),
        "shape": np.array([-1, 2, 3]),
        "last": np.array([2]),
        "picks": np.array([5, 0]),
        "row": np.ones((1, 1)),
        "low": np.array(-2.0),
        "high": np.array(2.5),
        "T": rng.standard_normal((3, 5)),
        "bias": rng.standard_normal(3),
        "zero": np.array(0.0),
    }
    ends = [("p", float, [1, 2])], [("y", float, [1, 3])]
    check_graph(onnx_model(nodes, *ends, constants), POINTS[:12])
