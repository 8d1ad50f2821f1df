"""The same network in several frameworks, and ONNX models made of nodes."""

import warnings

import numpy as np
import pytest

from unbraid.cases._network import random_network

NETWORK = random_network(random_state=0)
POINTS = np.random.default_rng(1).uniform(-1.5, 1.5, (40, 2))


def torch_network(torch):
    layers = []
    for weight, bias in zip(NETWORK.weights, NETWORK.biases, strict=True):
        layer = torch.nn.Linear(*weight.shape[::-1], dtype=torch.float64)
        with torch.no_grad():
            layer.weight.copy_(torch.as_tensor(weight))
            layer.bias.copy_(torch.as_tensor(bias))
        layers += [layer, torch.nn.Sigmoid()]
    return torch.nn.Sequential(*layers[:-1])


def jax_network(jax):
    def forward(p):
        for weight, bias in zip(NETWORK.weights[:-1], NETWORK.biases[:-1], strict=True):
            p = jax.nn.sigmoid(jax.numpy.asarray(weight) @ p + jax.numpy.asarray(bias))
        return NETWORK.weights[-1] @ p + NETWORK.biases[-1]

    return jax.jit(forward)


def onnx_model(nodes, inputs, outputs, constants=None, opset=20):
    """A model from nodes (operator, inputs, outputs, attributes)."""
    onnx = pytest.importorskip("onnx")
    made = [onnx.helper.make_node(op, i, o, **a) for op, i, o, a in nodes]
    kinds = {np.dtype(np.float32): 1, np.dtype(np.float64): 11, np.dtype(np.int64): 7}
    ends = [
        [
            onnx.helper.make_tensor_value_info(name, kinds[np.dtype(kind)], shape)
            for name, kind, shape in side
        ]
        for side in (inputs, outputs)
    ]
    weights = [onnx.numpy_helper.from_array(np.asarray(a), k) for k, a in (constants or {}).items()]
    graph = onnx.helper.make_graph(made, "g", *ends, weights)
    opsets = [onnx.helper.make_opsetid("", opset)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=9)


def onnx_network(batch="N", kind=np.float64):
    nodes, constants, name = [], {}, "p"
    for k, (weight, bias) in enumerate(zip(NETWORK.weights, NETWORK.biases, strict=True)):
        constants[f"W{k}"], constants[f"b{k}"] = weight.astype(kind), bias.astype(kind)
        nodes.append(("Gemm", [name, f"W{k}", f"b{k}"], [f"z{k}"], {"transB": 1}))
        nodes.append(("Sigmoid", [f"z{k}"], [f"a{k}"], {}))
        name = f"a{k}"
    last = len(NETWORK.weights) - 1
    return onnx_model(
        nodes[:-1], [("p", kind, [batch, 2])], [(f"z{last}", kind, [batch, 2])], constants
    )


def sklearn_network(sklearn):
    from sklearn.neural_network import MLPRegressor

    model = MLPRegressor(hidden_layer_sizes=(15, 10, 10, 5), activation="logistic", solver="lbfgs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(max_iter=1).fit(np.eye(2), np.eye(2))
    model.coefs_ = [weight.T for weight in NETWORK.weights]
    model.intercepts_ = list(NETWORK.biases)
    return model


def framework_network(kind):
    package = pytest.importorskip(kind)
    made = {
        "torch": torch_network,
        "jax": jax_network,
        "onnx": lambda _: onnx_network(),
        "sklearn": sklearn_network,
    }
    return made[kind](package)
