"""Graphs, maps, settings and locks that are not what they seem."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import CustomBasis, InvalidFile, InvalidOption, InvalidSamples, sample
from unbraid.cases import toy_samples
from unbraid.narx import NARX
from unbraid.sources._parameter_count import parameter_count

POINTS = np.random.default_rng(3).uniform(-1, 1, (12, 2))


@pytest.mark.parametrize("width", [1, 2])
def test_a_graph_that_squeezes_every_axis_it_can(width):
    """As torch exports model(x).squeeze(): of a single point it drops the axis of the points."""
    pytest.importorskip("onnx")
    from hardening.graphs import node
    from hardening.test_corners_onnx import model

    V = np.random.default_rng(0).standard_normal((2, width))
    nodes = [node("MatMul", ["x", "w"], ["h"]), node("Tanh", ["h"], ["t"])]
    walked = sample(model([*nodes, node("Squeeze", ["t"], ["y"])], {"w": V}), POINTS)
    assert walked.source == "exact, from the graph"
    nodes[1] = node("Sign", ["h"], ["t"])  # which has no rule, so that it is run
    run = sample(model([*nodes, node("Squeeze", ["t"], ["y"])], {"w": V}), POINTS)
    np.testing.assert_allclose(walked.values, np.tanh(POINTS @ V), atol=1e-14)
    np.testing.assert_array_equal(run.values, np.sign(POINTS @ V))


def test_a_graph_that_returns_more_rows_than_points():
    pytest.importorskip("onnx")
    from hardening.graphs import node
    from hardening.test_corners_onnx import model

    rows = {"c": np.arange(10.0).reshape(5, 2)}
    with pytest.raises(InvalidSamples, match=r"\(5, 2\)"):
        sample(model([node("Add", ["x", "c"], ["y"])], rows), POINTS)


def test_a_function_of_jax_that_cannot_be_traced_is_none_of_torch():
    jax = pytest.importorskip("jax")
    pytest.importorskip("torch")
    samples = sample(lambda p: jax.numpy.asarray(np.sin(np.asarray(p))), POINTS)
    assert not samples.source.startswith("exact")


def test_models_of_torch_that_do_not_show_their_numbers():
    torch = pytest.importorskip("torch")
    assert parameter_count(torch.nn.LazyLinear(3)) is None

    class Scripted:
        """A scripted function has no parameters to ask for."""

        __module__ = "torch.jit"

        def __call__(self, p):
            return p

    assert parameter_count(Scripted()) is None


def test_a_map_that_says_no_beyond_its_range_is_simulated_within_it():
    def logistic(p):
        if np.any((p[:, 1] < -0.01) | (p[:, 1] > 1.01)):
            raise ValueError("outside of the table")
        return 3.9 * p[:, 1:] * (1 - p[:, 1:])

    y = NARX(logistic, (0,), (1,)).simulate(np.zeros(300), [0.5])
    np.testing.assert_allclose(y[1:], 3.9 * y[:-1] * (1 - y[:-1]), rtol=1e-9)


def test_a_lock_that_is_no_lock(tmp_path):
    (tmp_path / "s.db.lock").write_bytes(b"garbage" * 50)
    with pytest.raises(InvalidFile, match=r"s\.db\.lock"):
        unbraid.scan(toy_samples(60, random_state=0), n_branches=1, store=tmp_path / "s.db")


@pytest.mark.parametrize("size", [2, 1000])
@pytest.mark.parametrize("kind", [complex, object, "M8[D]"])
def test_settings_that_are_arrays_of_something_else(kind, size):
    weights = np.zeros(size, dtype=kind)
    with pytest.raises(InvalidOption, match="weights is"):
        unbraid.scan(toy_samples(60, random_state=0), n_branches=1, weights=weights)


def test_a_basis_that_cannot_be_kept_fails_its_own_cell_only():
    lines = CustomBasis([np.positive], [np.ones_like])
    bases = [lines, unbraid.Polynomial(1)]
    found = unbraid.scan(toy_samples(60, random_state=0), n_branches=1, basis=bases, progress=False)
    assert "cannot be saved" in found.rows[0].failure
    assert not found.rows[1].failure
