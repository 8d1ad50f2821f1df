"""The number of parameters of models."""

from __future__ import annotations

import numpy as np
import pytest

from hardening import graphs
from unbraid.sources import parameter_count


def test_counts_parameters_of_torch_modules():
    torch = pytest.importorskip("torch")
    assert parameter_count(torch.nn.Linear(3, 2)) == 3 * 2 + 2


def test_counts_parameters_of_scikit_learn_models():
    pytest.importorskip("sklearn")
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    network = MLPRegressor(
        hidden_layer_sizes=(3,), activation="tanh", solver="lbfgs", random_state=0, tol=1.0
    )
    squares = make_pipeline("passthrough", PolynomialFeatures(2), LinearRegression())
    process = GaussianProcessRegressor(optimizer=None)
    expected = [(network, 2 * 3 + 3 + 3 + 1), (squares, 6 + 1), (process, None)]
    points = np.random.default_rng(5).uniform(-1, 1, (14, 2))
    for model, count in expected:
        assert parameter_count(model.fit(points, points[:, 0] ** 2 - points[:, 1])) == count


def test_a_session_does_not_show_its_parameters():
    runtime = pytest.importorskip("onnxruntime")
    made = graphs.network()
    session = runtime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    assert parameter_count(session) is None
    assert parameter_count(made) == 2 * 5 + 5 + 1


def test_unknown_for_torch_models_that_hide_their_parameters():
    torch = pytest.importorskip("torch")
    assert parameter_count(torch.nn.LazyLinear(3)) is None

    class Scripted:
        """A scripted function has no parameters to ask for."""

        __module__ = "torch.jit"

        def __call__(self, p):
            return p

    assert parameter_count(Scripted()) is None
