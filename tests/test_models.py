"""Models of every kind behind one ``sample``: their Jacobians, and what goes wrong."""

import subprocess
import sys
import types
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import unbraid
from unbraid import InvalidFile, InvalidOption, InvalidSamples, SamplingError, sample
from unbraid.cases._network import random_network
from unbraid.sources import as_function

NETWORK = random_network(random_state=0)
POINTS = np.random.default_rng(1).uniform(-1.5, 1.5, (40, 2))


def high_order(f, points, h=3e-3):
    """Jacobians by central differences of sixth order."""
    columns = []
    for e in np.eye(points.shape[1]):
        at = {k: np.asarray(f(points + k * h * e), dtype=float) for k in (-3, -2, -1, 1, 2, 3)}
        odd = 45 * (at[1] - at[-1]) - 9 * (at[2] - at[-2]) + (at[3] - at[-3])
        columns.append(odd / (60 * h))
    return np.stack(columns, axis=2)


def check_against_differences(model, points, f=None):
    samples = sample(model, points)
    assert samples.source.startswith("exact")
    plain = as_function(model) if f is None else f
    numeric = high_order(plain, points)
    assert np.abs(samples.jacobians - numeric).max() < 1e-6 * np.abs(numeric).max()
    return samples


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

    return forward


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


SOURCES = {
    "torch": "exact, by torch (evaluation mode)",
    "jax": "exact, by jax",
    "onnx": "exact, from the graph",
    "sklearn": "exact, from the fitted model",
}


DECOUPLING = {"n_branches": 3, "basis": unbraid.BSpline(10), "n_starts": 2, "random_state": 0}
MANY = unbraid.sampling.uniform(150, [-1.5] * 2, [1.5] * 2, random_state=2)


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_network_gives_the_same_samples(kind):
    samples = sample(framework_network(kind), MANY)
    assert samples.source == SOURCES[kind]
    assert samples.accuracy == 0
    np.testing.assert_allclose(samples.values, NETWORK(MANY), rtol=0, atol=1e-12)
    np.testing.assert_allclose(samples.jacobians, NETWORK.jacobian(MANY), rtol=0, atol=1e-12)
    numeric = high_order(NETWORK, MANY)
    assert np.abs(samples.jacobians - numeric).max() < 1e-6 * np.abs(numeric).max()


@pytest.fixture(scope="module")
def decoupled_network():
    return unbraid.decouple(NETWORK, MANY, **DECOUPLING)


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_network_gives_the_same_decoupling(kind, decoupled_network):
    found = unbraid.decouple(framework_network(kind), MANY, **DECOUPLING)
    for name in ("W", "V"):
        expected = getattr(decoupled_network, name)
        room = 1e-6 * np.abs(expected).max()
        np.testing.assert_allclose(getattr(found, name), expected, rtol=0, atol=room)


def test_no_package_is_imported_in_vain():
    code = (
        "import sys, numpy as np, unbraid; unbraid.sample(lambda p: p**2, np.eye(2)); "
        "print([p for p in ('torch', 'jax', 'onnx', 'onnxruntime', 'sympy', 'sklearn') "
        "if p in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- torch ---------------------------------------------------------------------------------------


@pytest.fixture
def torch():
    package = pytest.importorskip("torch")
    package.manual_seed(0)
    return package


def small(torch, dtype=None):
    layers = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    return layers.to(dtype or torch.float64)


def test_a_module_keeps_its_modes_and_gets_no_gradients(torch):
    net = torch.nn.Sequential(
        small(torch), torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(3, dtype=torch.float64)
    )
    net[0].eval()
    modes = [part.training for part in net.modules()]
    samples = check_against_differences(net, POINTS)
    assert samples.source == "exact, by torch (evaluation mode)"
    assert [part.training for part in net.modules()] == modes
    assert all(parameter.grad is None for parameter in net.parameters())
    assert int(net[2].num_batches_tracked) == 0
    assert sample(net.eval(), POINTS).source == "exact, by torch"


def test_modes_come_back_after_an_error(torch):
    net = small(torch).train()
    with pytest.raises(SamplingError, match="multiplied"):
        sample(net, np.ones((5, 4)))
    assert all(part.training for part in net.modules())


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
def test_any_gradient_mode_outside_will_do(torch, mode):
    net = small(torch)
    expected = sample(net, POINTS).jacobians
    with getattr(torch, mode)():
        np.testing.assert_array_equal(sample(net, POINTS).jacobians, expected)


@pytest.mark.parametrize(
    ("name", "room"), [("float32", 1e-5), ("float16", 2e-2), ("bfloat16", 1e-1)]
)
def test_lower_precision(torch, name, room):
    net = small(torch)
    expected = sample(net, POINTS)
    samples = sample(net.to(getattr(torch, name)), POINTS)
    assert samples.values.dtype == samples.jacobians.dtype == np.float64
    assert samples.accuracy > 1e-8
    for found, wanted in (
        (samples.values, expected.values),
        (samples.jacobians, expected.jacobians),
    ):
        assert np.abs(found - wanted).max() < room * np.abs(wanted).max()


def test_plain_functions_of_tensors(torch):
    net = small(torch, torch.float32)

    def table(p):
        return torch.stack([torch.sin(p[:, 0] * p[:, 1]), p[:, 0].exp()], dim=1)

    def point(p):
        return torch.stack([torch.sin(p[0] * p[1]), p[0].exp()])

    first, second = (
        check_against_differences(table, POINTS, lambda p: table(torch.as_tensor(p)).numpy()),
        sample(point, POINTS),
    )
    np.testing.assert_allclose(second.jacobians, first.jacobians, atol=1e-14)
    assert second.source == "exact, by torch"
    assert sample(point, POINTS[:1]).n_outputs == 2
    expected = sample(net, POINTS)
    for f in (lambda p: net(p), net.forward, lambda p: net(torch.as_tensor(p).float())):
        samples = sample(f, POINTS)
        assert samples.source == "exact, by torch"
        np.testing.assert_allclose(samples.jacobians, expected.jacobians, atol=1e-6)


def test_functions_that_leave_torch_are_differentiated_numerically(torch):
    net = small(torch)
    expected = sample(net, POINTS).jacobians

    def half_detached(p):
        y = net(p)
        return torch.cat([y[:, :2], y[:, 2:].detach()], dim=1)

    for f in (
        lambda p: net(torch.from_numpy(p)),
        lambda p: net(torch.tensor(p)),
        lambda p: net(p).detach(),
        half_detached,
    ):
        samples = sample(f, POINTS)
        assert samples.source == "by central differences"
        np.testing.assert_allclose(samples.jacobians, expected, atol=1e-7)


def test_scripted_modules_and_functions(torch):
    net = small(torch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *a, **k: None)
        scripted = torch.jit.trace(net, torch.zeros(1, 2, dtype=torch.float64))
    np.testing.assert_allclose(
        sample(scripted, POINTS).jacobians, sample(net, POINTS).jacobians, atol=1e-12
    )


def test_a_module_of_one_point(torch):
    class Single(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W = torch.nn.Parameter(torch.randn(3, 2, dtype=torch.float64))

        def forward(self, p):
            return torch.tanh(self.W @ p)

    check_against_differences(Single(), POINTS[:5])


def test_many_points_go_in_batches(torch):
    longest = []

    class Watching(torch.nn.Module):
        def forward(self, p):
            longest.append(len(p))
            return p**2

    samples = sample(Watching(), np.random.default_rng(0).standard_normal((9000, 2)))
    np.testing.assert_allclose(samples.jacobians[:, 0, 0], 2 * samples.points[:, 0])
    assert sorted(longest)[-2] <= 4096


@dataclass
class Output:
    logits: object
    hidden: object


@pytest.mark.parametrize(
    ("wrap", "message"),
    [
        (lambda y: {"logits": y, "hidden": y}, "'hidden'"),
        (lambda y: (y, y), "tuple of 2"),
        (lambda y: (y,), "tuple of 1"),
        (lambda y: Output(y, y), "Output with"),
        (lambda y: y.detach(), "no derivative"),
        (lambda y: "text", "returned str"),
    ],
)
def test_modules_with_unusable_outputs(torch, wrap, message):
    class Wrapped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = small(torch, torch.float32)

        def forward(self, p):
            return wrap(self.inner(p))

    with pytest.raises(SamplingError, match=message):
        sample(Wrapped(), POINTS)


def test_a_picked_output_is_exact(torch):
    net = small(torch, torch.float32)
    picked = sample(lambda p: {"y": net(p)}["y"], POINTS)
    assert picked.source == "exact, by torch"


def test_modules_of_integers(torch):
    net = torch.nn.Sequential(torch.nn.Embedding(5, 2), torch.nn.Flatten())
    with pytest.raises(SamplingError, match="takes integers"):
        sample(net, POINTS)


def test_points_may_be_tensors(torch):
    samples = sample(small(torch), torch.as_tensor(POINTS, dtype=torch.float32).requires_grad_())
    assert samples.points.dtype == np.float64


# --- jax -----------------------------------------------------------------------------------------


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


@pytest.mark.slow  # JAX compiles six functions
def test_jax_functions_of_rows_and_points_jitted_or_not(jax):
    jnp = jax.numpy

    def table(p):
        return jnp.stack([jnp.sin(p[:, 0] * p[:, 1]), jnp.exp(p[:, 0])], axis=1)

    def point(p):
        return jnp.stack([jnp.sin(p[0] * p[1]), jnp.exp(p[0])])

    def listed(p):
        return [jnp.sin(p[0] * p[1]), jnp.exp(p[0])]

    exact = np.stack([np.cos(POINTS[:, 0] * POINTS[:, 1])] * 2, axis=1) * POINTS[:, ::-1]
    kinds = [(f, 2) for f in (table, listed, jax.jit(table), jax.jit(point))]
    for f, n_points in (*kinds, (jax.vmap(point), 2), (point, 1)):
        samples = sample(f, POINTS[:n_points])
        assert samples.source == "exact, by jax"
        assert samples.accuracy == 0
        np.testing.assert_allclose(samples.jacobians[:, 0], exact[:n_points], atol=1e-14)
    assert jnp.ones(1).dtype == jnp.float32


@pytest.mark.parametrize("n_outputs", [1, 5])
def test_jax_forward_and_reverse(jax, n_outputs):
    jnp = jax.numpy
    weights = np.random.default_rng(0).standard_normal((n_outputs, 3))
    points = np.random.default_rng(1).standard_normal((6, 3))
    samples = sample(jax.jit(lambda p: jnp.tanh(weights @ p)), points)
    values = np.tanh(points @ weights.T)
    np.testing.assert_allclose(samples.values, values, atol=1e-14)
    np.testing.assert_allclose(samples.jacobians, (1 - values**2)[:, :, None] * weights, atol=1e-14)


@pytest.mark.slow  # JAX compiles, and fails to
def test_jax_functions_that_know_one_way_only(jax):
    jnp = jax.numpy

    def loop(p):
        return jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * p[0]), (0, p[1]))[
            1
        ]

    points = np.random.default_rng(0).uniform(0.5, 1, (6, 2))
    samples = sample(loop, points)
    np.testing.assert_allclose(samples.jacobians[:, 0, 1], points[:, 0] ** 3, atol=1e-14)

    @jax.custom_vjp
    def squared(p):
        return jnp.tile(p[0] ** 2, 4)

    squared.defvjp(lambda p: (squared(p), p), lambda p, c: (jnp.array([2 * p[0] * c.sum(), 0.0]),))
    np.testing.assert_allclose(sample(squared, points).jacobians[:, 3, 0], 2 * points[:, 0])


@pytest.mark.slow
def test_jax_functions_with_branches_of_python(jax):
    jnp = jax.numpy
    points = POINTS[:6]
    assert 0 < np.sum(points[:, 1] > 0) < 6
    samples = sample(lambda p: jnp.sin(p[0]) if p[1] > 0 else -(p[0] ** 2), points)
    expected = np.where(points[:, 1] > 0, np.cos(points[:, 0]), -2 * points[:, 0])
    assert samples.source == "exact, by jax"
    np.testing.assert_allclose(samples.jacobians[:, 0, 0], expected, atol=1e-14)


def test_objects_that_hold_single_precision_parameters(jax):
    """As Equinox has them: an object that takes one point."""
    jnp = jax.numpy
    base = type("Module", (), {"__module__": "equinox._module"})

    class Model(base):
        weight = jnp.asarray([[0.5, -1.0], [2.0, 0.25]], dtype=jnp.float32)

        def __call__(self, p):
            return jnp.tanh(self.weight @ p)

    check_against_differences(Model(), POINTS)


def test_jax_functions_that_stop_gradients_are_not_believed(jax):
    samples = sample(lambda p: jax.lax.stop_gradient(jax.numpy.sin(p[0])) * p[1], POINTS)
    assert samples.source == "by central differences"
    expected = np.cos(POINTS[:, 0]) * POINTS[:, 1]
    np.testing.assert_allclose(samples.jacobians[:, 0, 0], expected, atol=1e-7)


# --- onnx ----------------------------------------------------------------------------------------


def test_an_onnx_file_and_a_batch_of_one(tmp_path):
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "network.onnx"
    onnx.save(onnx_network(batch=1, kind=np.float32), path)
    for model in (path, str(path)):
        samples = sample(model, POINTS)
        assert samples.source == "exact, from the graph"
        np.testing.assert_allclose(samples.jacobians, NETWORK.jacobian(POINTS), atol=1e-5)


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

    numeric = high_order(as_function(model), points)
    np.testing.assert_allclose(samples.values, f(points), rtol=1e-5, atol=1e-6)
    assert np.abs(samples.jacobians - numeric).max() <= 1e-6 * max(1.0, np.abs(numeric).max())


@pytest.mark.parametrize("operator", UNARY)
def test_unary_operators(operator):
    points = np.random.default_rng(0).uniform(0.55, 0.95, (10, 2))
    for sign in (1, -1):
        if sign < 0 and operator in ("Sqrt", "Log"):
            continue
        model = onnx_model([(operator, ["p"], ["y"], UNARY[operator])], *_ends())
        check_graph(model, sign * points)


def test_the_tanh_form_of_gelu():
    model = onnx_model([("Gelu", ["p"], ["y"], {"approximate": "tanh"})], *_ends())
    check_graph(model, POINTS)


BINARY = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Sum"]


@pytest.mark.parametrize("operator", BINARY)
@pytest.mark.parametrize("other", ["c", "q"])
@pytest.mark.parametrize("swapped", [False, True])
def test_binary_operators(operator, other, swapped):
    points = np.random.default_rng(0).uniform(0.6, 0.9, (10, 2))
    pair = ["p", other][:: -1 if swapped else 1]
    nodes = [("Exp", ["p"], ["q"], {}), (operator, pair, ["y"], {})]
    check_graph(onnx_model(nodes, *_ends(), {"c": np.array([0.3, 1.2])}), points)


@pytest.mark.parametrize("exponent", [[0.0, 3.0], [0.5, -1.0], 2.0])
def test_powers(exponent):
    points = np.random.default_rng(0).uniform(0.6, 0.9, (10, 2))
    check_graph(
        onnx_model([("Pow", ["p", "c"], ["y"], {})], *_ends(), {"c": np.array(exponent)}), points
    )


def test_a_graph_of_many_shapes():
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


@pytest.mark.parametrize("runtime", [True, False])
def test_unknown_operators_are_run_and_differentiated_numerically(monkeypatch, runtime):
    pytest.importorskip("onnxruntime")
    if not runtime:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
    nodes = [("Asinh", ["p"], ["y"], {})]
    for kind, room in ((np.float64, 1e-7), (np.float32, 1e-2)):
        if kind is np.float64 and runtime:
            continue
        samples = sample(onnx_model(nodes, *_ends(kind=kind)), POINTS)
        assert samples.source == "by central differences"
        exact = 1 / np.sqrt(1 + POINTS[:, 0] ** 2)
        assert np.abs(samples.jacobians[:, 0, 0] - exact).max() < room


def test_a_decoupled_function_exported_and_read_back():
    pytest.importorskip("onnx")
    from unbraid.export._onnx import to_onnx

    basis = unbraid.BSpline(6)
    d = unbraid.decouple(
        NETWORK, POINTS, n_branches=1, basis=basis, method="cpd", n_starts=1, random_state=0
    )
    samples = sample(to_onnx(d), POINTS)
    assert samples.source == "exact, from the graph"
    np.testing.assert_allclose(samples.jacobians, d.jacobian(POINTS), atol=1e-12)


def test_what_would_mix_rows_is_not_walked():
    pytest.importorskip("onnx")
    nodes = [("ReduceSum", ["p", "first"], ["s"], {}), ("Add", ["p", "s"], ["y"], {})]
    model = onnx_model(nodes, *_ends(), {"first": np.array([0])})
    assert not hasattr(as_function(model), "jacobian")


@pytest.mark.parametrize("batch", [1, 16])
def test_graphs_of_fixed_size_and_sessions(batch):
    runtime = pytest.importorskip("onnxruntime")
    model = onnx_network(batch, np.float32)
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for given in (session, model):
        samples = sample(given, POINTS)
        np.testing.assert_allclose(samples.values, NETWORK(POINTS), atol=1e-5)
        np.testing.assert_allclose(samples.jacobians, NETWORK.jacobian(POINTS), atol=3e-3)


def test_a_graph_of_one_point():
    pytest.importorskip("onnxruntime")
    ends = [("p", np.float32, [2])], [("y", np.float32, [2])]
    samples = sample(onnx_model([("Sin", ["p"], ["y"], {})], *ends), POINTS)
    np.testing.assert_allclose(samples.values, np.sin(POINTS), atol=1e-6)


def _bad_graphs():
    table, two = ("p", np.float32, ["N", 2]), ("q", np.float32, ["N", 2])
    y, z = ("y", np.float32, ["N", 2]), ("z", np.float32, ["N", 2])
    sine = ("Sin", ["p"], ["y"], {})
    return {
        "2 inputs": ([("Add", ["p", "q"], ["y"], {})], [table, two], [y]),
        "2 outputs": ([sine, ("Cos", ["p"], ["z"], {})], [table], [y, z]),
        "3 axes": ([sine], [("p", np.float32, ["N", 2, 2])], [y]),
        "real numbers": ([sine], [("p", np.int64, ["N", 2])], [y]),
        "know: Nonsense": ([("Nonsense", ["p"], ["y"], {})], [table], [y]),
    }


@pytest.mark.parametrize("message", _bad_graphs())
def test_graphs_that_are_refused(message):
    with pytest.raises(SamplingError, match=message):
        sample(onnx_model(*_bad_graphs()[message]), POINTS)


def test_the_number_of_inputs_of_a_graph():
    with pytest.raises(InvalidSamples, match="3 columns"):
        sample(onnx_network(), np.ones((4, 3)))


@pytest.mark.parametrize("content", [b"", b"not a model", bytes(range(256)), None])
def test_damaged_onnx_files(tmp_path, content):
    pytest.importorskip("onnx")
    path = tmp_path / "bad.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidFile, match=r"bad\.onnx"):
        sample(path, POINTS)


def test_onnx_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(unbraid.MissingExtra, match=r"unbraid\[onnx\]"):
        sample("model.onnx", POINTS)


# --- sympy ---------------------------------------------------------------------------------------


def test_symbolic_functions():
    sympy = pytest.importorskip("sympy")
    from unbraid.sources._sympy import SymbolicFunction

    p10, p2, p1 = sympy.symbols("p10 p2 p1")
    points = np.random.default_rng(0).uniform(0.5, 1, (8, 3))
    expressions = [sympy.sin(p1 * p2) + p10, sympy.Integer(3), sympy.erf(p10) ** 2]
    expected = np.sin(points[:, 0] * points[:, 1]) + points[:, 2]
    for model in (expressions, tuple(expressions), sympy.Matrix(expressions)):
        samples = check_against_differences(model, points)
        assert samples.source == "exact, by sympy"
        np.testing.assert_allclose(samples.values[:, 0], expected)
        assert np.all(samples.values[:, 1] == 3)
    for symbols in ([p10, p2, p1], ["p10", "p2", "p1"]):
        reversed_ = sample(SymbolicFunction(expressions, symbols), points[:, ::-1])
        np.testing.assert_allclose(reversed_.jacobians[:, :, ::-1], samples.jacobians)
    assert sample(p1 * p2, points[:, :2]).n_outputs == 1
    turned = sample(sympy.Lambda((p2, p1), p1**2), points[:, :2])
    np.testing.assert_allclose(turned.jacobians[:, 0, 1], 2 * points[:, 1])


def test_symbolic_functions_that_are_refused():
    sympy = pytest.importorskip("sympy")
    from unbraid.sources._sympy import SymbolicFunction

    x, y = sympy.symbols("x y")
    with pytest.raises(InvalidSamples, match="2 symbols"):
        sample(x * y, np.ones((4, 3)))
    with pytest.raises(InvalidOption, match="lacks y"):
        SymbolicFunction(x * y, [x])
    with pytest.raises(InvalidOption, match="free symbols"):
        sample(sympy.Integer(2), np.ones((4, 1)))
    with pytest.raises(InvalidOption, match="x > 1"):
        sample([x > 1, y], np.ones((4, 2)))
    with pytest.raises(InvalidOption, match="Eq"):
        sample(sympy.Eq(x, y), np.ones((4, 2)))
    with pytest.raises(SamplingError, match="point 1, 3"):
        sample(sympy.log(x), np.array([[1.0], [-1.0], [2.0], [-3.0]]))


# --- scikit-learn, predict, and the rest ---------------------------------------------------------


def test_a_regressor_of_scikit_learn():
    network = pytest.importorskip("sklearn.neural_network")
    model = network.MLPRegressor(
        hidden_layer_sizes=(6,), activation="tanh", solver="lbfgs", max_iter=20, random_state=0
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *a, **k: None)
        model.fit(POINTS, NETWORK(POINTS))
    check_against_differences(model, POINTS, model.predict)


def test_anything_with_predict():
    model = types.SimpleNamespace(predict=lambda p: np.sin(p))
    assert sample(model, POINTS).source == "by complex step"


@pytest.mark.parametrize("model", [3, None, "model.pt", [1.0, 2.0]])
def test_unknown_objects(model):
    with pytest.raises(InvalidOption, match="cannot evaluate"):
        sample(model, POINTS)


def test_points_are_needed():
    for call in (lambda: sample(np.sin), lambda: unbraid.decouple(np.sin, n_branches=1)):
        with pytest.raises(InvalidOption, match="missing"):
            call()


def test_bad_points_are_listed():
    def f(p):
        return np.where(p[:, :1] > 0, p[:, :1], np.nan)

    bad = np.flatnonzero(POINTS[:, 0] <= 0)
    listed = ", ".join(map(str, bad[:10]))
    with pytest.raises(SamplingError, match=f"point {listed}, "):
        sample(f, POINTS)


def test_own_jacobians_count_as_given():
    assert sample(NETWORK, POINTS).source == "given"
    assert sample(lambda p: NETWORK(p), POINTS, NETWORK.jacobian).source == "given"


# --- some inputs, some outputs -------------------------------------------------------------------

WIDE = np.random.default_rng(3).standard_normal((3, 4))


def wide(p):
    return np.tanh(p @ WIDE.T)


def wide_jacobian(p):
    return (1 - wide(p) ** 2)[:, :, None] * WIDE


def _wide_models():
    yield "numpy", lambda: wide
    yield "given", lambda: (wide, wide_jacobian)
    yield "point", lambda: lambda p: wide(np.asarray(p)[None])[0] if p.ndim == 1 else p[:, :, None]

    def by_torch():
        torch = pytest.importorskip("torch")
        return lambda p: torch.tanh(p @ torch.as_tensor(WIDE.T))

    def by_jax():
        jax = pytest.importorskip("jax")
        return lambda p: jax.numpy.tanh(WIDE @ p)

    def by_onnx():
        nodes = [("MatMul", ["p", "W"], ["a"], {}), ("Tanh", ["a"], ["y"], {})]
        ends = [("p", float, ["N", 4])], [("y", float, ["N", 3])]
        return onnx_model(nodes, *ends, {"W": WIDE.T.copy()})

    def by_sympy():
        sympy = pytest.importorskip("sympy")
        return [sympy.tanh(e) for e in sympy.Matrix(WIDE) * sympy.Matrix(sympy.symbols("p1:5"))]

    yield from {"torch": by_torch, "jax": by_jax, "onnx": by_onnx, "sympy": by_sympy}.items()


@pytest.mark.parametrize("kind", [name for name, _ in _wide_models()])
def test_inputs_and_outputs_of_every_source(kind):
    model = dict(_wide_models())[kind]()
    arguments = model if isinstance(model, tuple) else (model,)
    whole = np.full((40, 4), [0.0, 0.5, 0.0, -1.0])
    whole[:, [2, 0]] = POINTS
    expected = wide_jacobian(whole)[:, [2, 0]][:, :, [2, 0]]
    for fixed in ({1: 0.5, 3: -1}, [9.0, 0.5, 9.0, -1.0]):
        samples = sample(
            arguments[0], POINTS, *arguments[1:], inputs=[2, 0], fixed=fixed, outputs=[2, 0]
        )
        np.testing.assert_allclose(samples.values, wide(whole)[:, [2, 0]], atol=1e-12)
        np.testing.assert_allclose(samples.jacobians, expected, atol=1e-12)
        np.testing.assert_array_equal(samples.points, POINTS)


def test_inputs_may_follow_from_what_is_fixed():
    samples = sample(wide, POINTS, fixed={0: 0.5, 2: -1.0}, outputs=1)
    named = sample(wide, POINTS, inputs=[1, 3], fixed={0: 0.5, 2: -1.0}, outputs=[1])
    np.testing.assert_array_equal(samples.jacobians, named.jacobians)
    assert samples.n_outputs == 1


def test_decouple_passes_parts_on():
    d = unbraid.decouple(
        wide, POINTS, n_branches=1, inputs=[0, 1], fixed={2: 0, 3: 0}, outputs=[0], random_state=0
    )
    assert (d.n_inputs, d.n_outputs) == (2, 1)
    with pytest.raises(InvalidOption, match="Samples hold"):
        unbraid.decouple(sample(wide, np.ones((5, 4))), n_branches=1, outputs=[0])


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"inputs": [0, 3]}, InvalidOption, "value: 1, 2"),
        ({"inputs": [0, 3], "fixed": {1: 1.0}}, InvalidOption, "value: 2"),
        ({"inputs": [0, 0]}, InvalidOption, "inputs holds 0"),
        ({"inputs": [0, -1]}, InvalidOption, "inputs holds -1"),
        ({"inputs": [0.5, 1]}, InvalidOption, "whole numbers"),
        ({"inputs": [[0, 1]]}, InvalidOption, "whole numbers"),
        ({"inputs": []}, InvalidOption, "whole numbers"),
        ({"inputs": [0, 5], "fixed": np.ones(4)}, InvalidOption, "inputs names 5"),
        ({"inputs": [0, 1], "fixed": {1: 1.0, 2: 0, 3: 0}}, InvalidOption, "both name"),
        ({"fixed": np.ones(4)}, InvalidOption, "all inputs"),
        ({"fixed": {9: 1.0}}, InvalidOption, "value: 2, 3"),
        ({"fixed": {0: np.nan, 1: 0.0}}, InvalidSamples, "fixed holds"),
        ({"fixed": {0: "a", 1: 0.0}}, InvalidSamples, "fixed is"),
        ({"inputs": [0, 1, 2], "fixed": {3: 0.0}}, InvalidSamples, "inputs names 3"),
        ({"fixed": {0: 0.0, 1: 0.0}, "outputs": [3]}, InvalidOption, "outputs asks"),
        ({"fixed": {0: 0.0, 1: 0.0}, "outputs": [1, 1]}, InvalidOption, "outputs holds 1"),
        ({"inputs": [0, 1], "fixed": {2: 0.0}}, SamplingError, "ValueError"),
    ],
)
def test_bad_parts(keywords, error, message):
    with pytest.raises(error, match=message):
        sample(wide, POINTS, **keywords)


def test_points_with_all_columns_are_refused_with_inputs():
    with pytest.raises(InvalidSamples, match="inputs names 2"):
        sample(wide, np.ones((5, 4)), inputs=[0, 1], fixed={2: 0.0, 3: 0.0})
