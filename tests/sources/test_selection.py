"""Selections of inputs and outputs, with the other inputs fixed."""

import numpy as np
import pytest

import unbraid
from sources.functions import check_slopes
from sources.networks import POINTS, onnx_model
from unbraid import InvalidOptionError, InvalidSamplesError, SamplingError, sample

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
def test_selects_inputs_and_outputs_of_every_source(kind):
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


def test_inputs_follow_from_those_that_are_fixed():
    samples = sample(wide, POINTS, fixed={0: 0.5, 2: -1.0}, outputs=1)
    named = sample(wide, POINTS, inputs=[1, 3], fixed={0: 0.5, 2: -1.0}, outputs=[1])
    np.testing.assert_array_equal(samples.jacobians, named.jacobians)
    assert samples.n_outputs == 1


def test_decouple_passes_selections_on():
    d = unbraid.decouple(
        wide, POINTS, n_branches=1, inputs=[0, 1], fixed={2: 0, 3: 0}, outputs=[0], random_state=0
    )
    assert (d.n_inputs, d.n_outputs) == (2, 1)
    with pytest.raises(InvalidOptionError, match="Samples hold"):
        unbraid.decouple(sample(wide, np.ones((5, 4))), n_branches=1, outputs=[0])


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"inputs": [0, 3]}, InvalidOptionError, "value: 1, 2"),
        ({"inputs": [0, 3], "fixed": {1: 1.0}}, InvalidOptionError, "value: 2"),
        ({"inputs": [0, 0]}, InvalidOptionError, "inputs holds 0"),
        ({"inputs": [0, -1]}, InvalidOptionError, "inputs holds -1"),
        ({"inputs": [0.5, 1]}, InvalidOptionError, "whole numbers"),
        ({"inputs": [[0, 1]]}, InvalidOptionError, "whole numbers"),
        ({"inputs": []}, InvalidOptionError, "whole numbers"),
        ({"inputs": [0, 5], "fixed": np.ones(4)}, InvalidOptionError, "inputs names 5"),
        ({"inputs": [0, 1], "fixed": {1: 1.0, 2: 0, 3: 0}}, InvalidOptionError, "both name"),
        ({"fixed": np.ones(4)}, InvalidOptionError, "all inputs"),
        ({"fixed": {9: 1.0}}, InvalidOptionError, "value: 2, 3"),
        ({"fixed": {0: np.nan, 1: 0.0}}, InvalidSamplesError, "fixed holds"),
        ({"fixed": {0: "a", 1: 0.0}}, InvalidSamplesError, "fixed is"),
        ({"inputs": [0, 1, 2], "fixed": {3: 0.0}}, InvalidSamplesError, "inputs names 3"),
        ({"fixed": {0: 0.0, 1: 0.0}, "outputs": [3]}, InvalidOptionError, "outputs asks"),
        ({"fixed": {0: 0.0, 1: 0.0}, "outputs": [1, 1]}, InvalidOptionError, "outputs holds 1"),
        ({"inputs": [0, 1], "fixed": {2: 0.0}}, SamplingError, "ValueError"),
    ],
)
def test_rejects_bad_selections(keywords, error, message):
    with pytest.raises(error, match=message):
        sample(wide, POINTS, **keywords)


def test_rejects_points_with_all_columns_where_inputs_are_named():
    with pytest.raises(InvalidSamplesError, match="inputs names 2"):
        sample(wide, np.ones((5, 4)), inputs=[0, 1], fixed={2: 0.0, 3: 0.0})


def test_an_empty_dict_fixes_no_input():
    samples = sample(lambda p: p[:, :1] ** 2 + p[:, 1:], POINTS, inputs=[1, 0], fixed={})
    check_slopes(samples, lambda p: p[:, 1:] ** 2 + p[:, :1])
