"""Files for the tests of the command line, and helpers that several of them use."""

import numpy as np

MODEL = """\
import numpy as np

def f(p):
    return np.tanh(p[:, :1] + 2 * p[:, 1:]) + 0.1 * p[:, :1] ** 2

def broken(p):
    raise RuntimeError("no luck today")

def endless(p):
    return p[:, :1] / 0

def chatty(p):
    print("here I am")
    return f(p)

def leaving(p):
    raise SystemExit(0)

class box:
    inner = f
"""


def write_network(path):
    """Write an ONNX network of two inputs and one output."""
    from onnx import TensorProto, helper, numpy_helper, save

    nodes = [
        helper.make_node("MatMul", ["p", "V"], ["z"]),
        helper.make_node("Tanh", ["z"], ["g"]),
        helper.make_node("MatMul", ["g", "W"], ["f"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("p", TensorProto.DOUBLE, [None, 2])],
        [helper.make_tensor_value_info("f", TensorProto.DOUBLE, [None, 1])],
        [
            numpy_helper.from_array(np.array([[1.0, 0.5], [2.0, -1.0]]), "V"),
            numpy_helper.from_array(np.array([[1.0], [0.5]]), "W"),
        ],
    )
    opset = [helper.make_opsetid("", 17)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)


def write_table(path, header, columns):
    """Write columns under a header as a .csv file."""
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=header, comments="")


def make_raiser(error):
    """A function that raises the error whatever its arguments."""

    def call(*_, **__):
        raise error

    return call


def load_commands():
    """All commands by name."""
    from unbraid.cli import _app

    context = _app.group.make_context("unbraid", ["show"], resilient_parsing=True)
    return {name: _app.group.get_command(context, name) for name in _app.COMMANDS}
