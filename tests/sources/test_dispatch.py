"""Models of every kind behind one ``sample``."""

from __future__ import annotations

import subprocess
import sys
import types

import numpy as np
import pytest

import unbraid
from sources.functions import differences
from sources.networks import NETWORK, POINTS, framework_network
from unbraid import InvalidOptionError, sample
from unbraid.sources import as_function

SOURCES = {
    "torch": "exact, by torch (evaluation mode)",
    "jax": "exact, by jax",
    "onnx": "exact, from the graph",
    "sklearn": "exact, from the fitted model",
}
DECOUPLING = {"n_branches": 2, "basis": unbraid.Polynomial(5), "n_starts": 1, "random_state": 0}
MANY = unbraid.sampling.uniform(60, [-1.5] * 2, [1.5] * 2, random_state=2)


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_network_gives_the_same_samples(kind):
    samples = sample(framework_network(kind), MANY)
    assert samples.source == SOURCES[kind]
    assert samples.accuracy == 0
    np.testing.assert_allclose(samples.values, NETWORK(MANY), rtol=0, atol=1e-12)
    np.testing.assert_allclose(samples.jacobians, NETWORK.jacobian(MANY), rtol=0, atol=1e-12)
    numeric = differences(NETWORK, MANY)
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


def test_imports_no_package_needlessly():
    code = (
        "import sys, numpy as np, unbraid; unbraid.sample(lambda p: p**2, np.eye(2)); "
        "print([p for p in ('torch', 'jax', 'onnx', 'onnxruntime', 'sympy', 'sklearn') "
        "if p in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_does_not_import_torch_or_jax_to_trace_a_callable(monkeypatch):
    from unbraid.sources._jax import trace_with_jax
    from unbraid.sources._torch import trace_with_torch

    for name in ("torch", "jax"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert trace_with_torch(np.sin, POINTS, takes_arrays=True) is None
    assert trace_with_jax(np.sin, POINTS) is None
    assert not {"torch", "jax"} & set(sys.modules)


def test_accepts_anything_with_predict():
    model = types.SimpleNamespace(predict=lambda p: np.sin(p))
    assert sample(model, POINTS).source == "by complex step"


@pytest.mark.parametrize("model", [3, None, "model.pt", [1.0, 2.0]])
def test_rejects_unknown_objects(model):
    with pytest.raises(InvalidOptionError, match="cannot evaluate"):
        sample(model, POINTS)


def test_rejects_a_number_as_a_model():
    with pytest.raises(InvalidOptionError):
        as_function(3)


FEW_POINTS = np.random.default_rng(3).uniform(-1, 1, (12, 2))


def test_untraceable_jax_function_is_not_tried_with_torch():
    jax = pytest.importorskip("jax")
    pytest.importorskip("torch")
    samples = sample(lambda p: jax.numpy.asarray(np.sin(np.asarray(p))), FEW_POINTS)
    assert not samples.source.startswith("exact")
