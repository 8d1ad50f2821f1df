"""ONNX files that would take all memory or time, or make no sense."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

node = helper.make_node
FLOAT = np.float32


def whole(*numbers: int):
    return np.array(numbers, np.int64)


def ones(*shape: int):
    return np.ones(shape, FLOAT)


def graph(nodes, constants=None, shape=("N", 2)):
    weights = [numpy_helper.from_array(np.asarray(a), n) for n, a in (constants or {}).items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(shape))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 1])
    made = helper.make_graph(nodes, "g", [x], [y], weights)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def network():
    nodes = [node("MatMul", ["x", "V"], ["z"]), node("Tanh", ["z"], ["g"])]
    nodes += [node("Gemm", ["g", "W", "c"], ["y"])]
    rng = np.random.default_rng(0)
    weights = {"V": rng.normal(size=(2, 5)), "W": rng.normal(size=(5, 1)), "c": np.ones(1)}
    return graph(nodes, {name: a.astype(FLOAT) for name, a in weights.items()})


def weight(**changes):
    """A product with a weight that is not what it says."""
    model = graph([node("MatMul", ["x", "w"], ["y"])], {"w": ones(2, 1)})
    tensor = model.graph.initializer[0]
    if "rows" in changes:
        tensor.dims[0] = changes["rows"]
    if "type" in changes:
        tensor.data_type = changes["type"]
    if "file" in changes:
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", changes["file"]), ("length", changes.get("length", "8"))):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, value
    return model


def summed(nodes, constants):
    """A constant that is summed up and added."""
    last = nodes[-1].output[0]
    nodes = [*nodes, node("ReduceSum", [last], ["s"], keepdims=0), node("Add", ["x", "s"], ["y"])]
    return graph(nodes, constants)


def loop():
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [node("Identity", ["c"], ["d"]), node("Add", ["s", "s"], ["t"])],
        "body",
        [
            value("i", TensorProto.INT64, []),
            value("c", TensorProto.BOOL, []),
            value("s", TensorProto.FLOAT, None),
        ],
        [value("d", TensorProto.BOOL, []), value("t", TensorProto.FLOAT, None)],
    )
    constants = {"n": np.array(1 << 62, np.int64), "on": np.array(True), "a": whole(1)}
    nodes = [node("Loop", ["n", "on", "x"], ["o"], body=body), node("ReduceSum", ["o", "a"], ["y"])]
    return graph(nodes, constants)


def outer_product():
    nodes = [node("MatMul", ["x", "w"], ["h"])]
    nodes += [node("Unsqueeze", ["h", "one"], ["p"]), node("Unsqueeze", ["h", "two"], ["q"])]
    nodes += [node("Mul", ["p", "q"], ["r"]), node("ReduceSum", ["r", "both"], ["y"], keepdims=0)]
    axes = {"one": whole(1), "two": whole(2), "both": whole(1, 2)}
    return graph(nodes, {"w": ones(2, 8000), **axes})


def doubled():
    return [node("Concat", [f"c{k}", f"c{k}"], [f"c{k + 1}"], axis=0) for k in range(40)]


def rows_of(*shape: int | str):
    return graph([node("ReduceSum", ["x", "a"], ["y"])], {"a": whole(1)}, shape)


def evil():
    """Models by what is wrong with them; all must be refused."""
    tanh = node("Tanh", ["x"], ["y"])
    return {
        "cycle": graph([node("Add", ["x", "b"], ["a"]), node("Tanh", ["a"], ["b"]), tanh]),
        "its own input": graph([node("Add", ["x", "y"], ["y"])]),
        "unknown operator": graph([node("Frobnicate", ["x"], ["y"])]),
        "unknown domain": graph([node("Tanh", ["x"], ["y"], domain="evil.example")]),
        "no operator": graph([node("", ["x"], ["y"])]),
        "no nodes": graph([]),
        "no inputs": graph([node("Tanh", [], ["y"])]),
        "no attribute": graph([node("Concat", ["x", "x"], ["y"])]),
        "index out of range": graph([node("Gather", ["x", "i"], ["y"], axis=1)], {"i": whole(9)}),
        "vast constant": summed([node("ConstantOfShape", ["s"], ["c"])], {"s": whole(4 * 10**8)}),
        "expanded": summed(
            [node("Expand", ["o", "s"], ["c"])], {"o": ones(1), "s": whole(20_000, 20_000)}
        ),
        "expanded points": graph(
            [node("Expand", ["x", "s"], ["c"]), node("ReduceSum", ["c"], ["y"])],
            {"s": whole(10**9, 1, 2)},
        ),
        "doubled": summed(doubled(), {"c0": ones(4)}),
        "outer sum": summed(
            [node("Add", ["a", "b"], ["c"])], {"a": ones(12_000, 1), "b": ones(1, 12_000)}
        ),
        "outer product": outer_product(),
        "endless loop": loop(),
        "vast width": rows_of("N", 1 << 60),
        "vast batch": rows_of(1 << 40, 2),
        "large batch": rows_of(10**8, 2),
        "negative batch": rows_of(-3, 2),
        "no rows": rows_of(0, 2),
        "negative width": rows_of("N", -2),
        "vast weight": weight(rows=1 << 40),
        "negative weight": weight(rows=-2),
        "short weight": weight(rows=3),
        "unknown type": weight(type=99),
        "weights of NaN": graph([node("MatMul", ["x", "w"], ["y"])], {"w": np.nan * ones(2, 1)}),
        "password file": weight(file="/etc/passwd"),
        "file above": weight(file="../../../../../../etc/passwd"),
        "pipe": weight(file="pipe.bin"),
        "device": weight(file="device.bin"),
        "too short a file": weight(file="weights.bin", length=str(1 << 40)),
        "length in letters": weight(file="weights.bin", length="many"),
    }
