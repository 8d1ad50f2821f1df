"""ONNX models: files, sessions, and models that are refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import unbraid
from sources.networks import NETWORK, POINTS, onnx_model, onnx_network
from unbraid import InvalidFileError, InvalidSamplesError, SamplingError, sample
from unbraid.sources import as_function


def test_reads_a_file_with_a_batch_of_one(tmp_path):
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "network.onnx"
    onnx.save(onnx_network(batch=1, kind=np.float32), path)
    for model in (path, str(path)):
        samples = sample(model, POINTS)
        assert samples.source == "exact, from the graph"
        np.testing.assert_allclose(samples.jacobians, NETWORK.jacobian(POINTS), atol=1e-5)


def _ends(n_outputs=2, kind=np.float64):
    return [("p", kind, ["N", 2])], [("y", kind, ["N", n_outputs])]


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


def test_differentiates_an_exported_decoupled_function():
    pytest.importorskip("onnx")
    from unbraid.export._onnx import to_onnx

    basis = unbraid.BSpline(6)
    d = unbraid.decouple(
        NETWORK, POINTS, n_branches=1, basis=basis, method="cpd", n_starts=1, random_state=0
    )
    samples = sample(to_onnx(d), POINTS)
    assert samples.source == "exact, from the graph"
    np.testing.assert_allclose(samples.jacobians, d.jacobian(POINTS), atol=1e-12)


def test_a_graph_that_mixes_rows_has_no_exact_jacobian():
    pytest.importorskip("onnx")
    nodes = [("ReduceSum", ["p", "first"], ["s"], {}), ("Add", ["p", "s"], ["y"], {})]
    model = onnx_model(nodes, *_ends(), {"first": np.array([0])})
    assert not hasattr(as_function(model), "jacobian")


@pytest.mark.parametrize("batch", [1, 16])
def test_runs_graphs_of_fixed_size_and_sessions(batch):
    runtime = pytest.importorskip("onnxruntime")
    model = onnx_network(batch, np.float32)
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for given in (session, model):
        samples = sample(given, POINTS)
        np.testing.assert_allclose(samples.values, NETWORK(POINTS), atol=1e-5)
        np.testing.assert_allclose(samples.jacobians, NETWORK.jacobian(POINTS), atol=3e-3)


def test_runs_a_graph_of_one_point():
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
def test_rejects_bad_graphs(message):
    with pytest.raises(SamplingError, match=message):
        sample(onnx_model(*_bad_graphs()[message]), POINTS)


def test_rejects_another_number_of_inputs():
    with pytest.raises(InvalidSamplesError, match="3 columns"):
        sample(onnx_network(), np.ones((4, 3)))


@pytest.mark.parametrize("content", [b"", b"not a model", bytes(range(256)), None])
def test_rejects_damaged_files(tmp_path, content):
    pytest.importorskip("onnx")
    path = tmp_path / "bad.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidFileError, match=r"bad\.onnx"):
        sample(path, POINTS)


def test_says_how_to_install_onnx(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(unbraid.MissingExtraError, match=r"unbraid\[onnx\]"):
        sample("model.onnx", POINTS)


FEW_POINTS = np.random.default_rng(3).uniform(-1, 1, (12, 2))


def test_rejects_a_graph_with_more_rows_than_points():
    pytest.importorskip("onnx")
    from hardening.graphs import node
    from sources.test_onnx_graph import model

    rows = {"c": np.arange(10.0).reshape(5, 2)}
    with pytest.raises(InvalidSamplesError, match=r"\(5, 2\)"):
        sample(model([node("Add", ["x", "c"], ["y"])], rows), FEW_POINTS)
