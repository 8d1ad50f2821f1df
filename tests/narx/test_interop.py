"""Models of other libraries."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import unbraid
from narx.systems import cubic_system, ridge_system
from reference import narx as reference_loop
from unbraid import InvalidOptionError, Polynomial
from unbraid.narx import NARX, Estimator, fit_polynomial_narx, from_sysidentpy


def test_simulates_and_decouples_a_scikit_learn_network():
    network = pytest.importorskip("sklearn.neural_network")
    u, y = ridge_system(800)
    rows = NARX(None, (0, 1), (1, 2)).regressors(u, y)
    mlp = network.MLPRegressor(
        hidden_layer_sizes=(12,), activation="tanh", solver="lbfgs", max_iter=400, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlp.fit(rows, y[2:])
    model = NARX(mlp, (0, 1), (1, 2))
    fast = model.simulate(u[:300], y[:2])
    slow = reference_loop.simulate(mlp.predict, u[:300, None], y[:2, None], (0, 1), (1, 2))
    assert np.abs(fast - slow[:, 0]).max() < 1e-9
    small = model.decouple(
        3, data=(u, y), n_points=200, basis=Polynomial(3), n_starts=3, random_state=0
    )
    assert small.score(u, y).percent < 1.5 * model.score(u, y).percent
    inside = Estimator(small.function)
    assert np.allclose(inside.fit(rows).predict(rows), small.function(rows)[:, 0])


@pytest.mark.slow
def test_simulates_and_decouples_a_torch_module():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)
    ).double()
    net.train()
    model = NARX(net, (0,), (1,))
    u = np.random.default_rng(0).uniform(-1, 1, 400)
    y = model.simulate(u, [0.0])
    assert net.training
    small = model.decouple(2, data=(u, y), n_points=100, n_starts=3, random_state=0)
    assert small.score(u, y).percent < 1.0
    samples = unbraid.sample(net, np.eye(2))
    assert np.allclose(
        samples.jacobians[:, 0], _central_differences(net, torch, np.eye(2)), atol=1e-7
    )


def _central_differences(net, torch, points):
    f = lambda p: net(torch.as_tensor(p)).detach().numpy()  # noqa: E731
    return np.stack(
        [(f(points + 1e-6 * e) - f(points - 1e-6 * e))[:, 0] / 2e-6 for e in np.eye(2)], 1
    )


class FakeSysIdentPy:
    """What from_sysidentpy reads of a fitted model: y(t-1), constant, u1(t-2) y(t-1), u2(t-1)^2."""

    class Polynomial:
        pass

    basis_function = Polynomial()
    final_model = np.array([[1001, 0], [0, 0], [2002, 1001], [3001, 3001]])
    theta = np.array([[0.5], [0.1], [0.2], [-0.3]])


def test_reads_a_sysidentpy_model():
    model = from_sysidentpy(FakeSysIdentPy())
    rng = np.random.default_rng(0)
    u = rng.uniform(-1, 1, (50, 2))
    y = np.zeros(50)
    for t in range(2, 50):
        y[t] = 0.5 * y[t - 1] + 0.1 + 0.2 * u[t - 2, 0] * y[t - 1] - 0.3 * u[t - 1, 1] ** 2
    assert np.allclose(model.simulate(u, y[:2]), y, atol=1e-14)
    with pytest.raises(InvalidOptionError, match="final_model"):
        from_sysidentpy(object())


def test_names_of_signals_are_given_to_a_sysidentpy_model():
    pandas = pytest.importorskip("pandas")
    names = {"input_names": ["pump", "valve"], "output_names": ["level"]}
    model = from_sysidentpy(FakeSysIdentPy(), **names)
    u = np.random.default_rng(0).uniform(-0.5, 0.5, (30, 2))
    table = pandas.DataFrame({"valve": u[:, 1], "other": 0.0, "pump": u[:, 0]})
    expected = from_sysidentpy(FakeSysIdentPy()).simulate(u, np.zeros(2))
    np.testing.assert_array_equal(model.simulate(table, np.zeros(2)), expected)
    with pytest.raises(InvalidOptionError, match="input_names"):
        from_sysidentpy(FakeSysIdentPy(), input_names=["pump"])


def test_agrees_with_sysidentpy(tmp_path):
    pytest.importorskip("sysidentpy")
    from sysidentpy.basis_function import Polynomial as TheirPolynomial
    from sysidentpy.general_estimators import NARX as TheirNARX
    from sysidentpy.model_structure_selection import FROLS
    from sysidentpy.parameter_estimation import LeastSquares

    u, y = cubic_system(800)
    theirs = FROLS(
        order_selection=False,
        n_terms=8,
        xlag=1,
        ylag=2,
        estimator=LeastSquares(),
        basis_function=TheirPolynomial(degree=3),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X=u[:, None], y=y[:, None])
        expected = theirs.predict(X=u[:, None], y=y[:2, None])[:, 0]
    model = from_sysidentpy(theirs)
    assert np.allclose(model.simulate(u, y[:2]), expected, atol=1e-9)
    # and ours inside theirs: their regressors are 1, y(t-1), y(t-2), x(t-1), x(t-2)
    ours = fit_polynomial_narx(u, y, (1, 2), (1, 2), 3).decouple(5, random_state=0)
    inside = TheirNARX(
        base_estimator=Estimator(ours.function, columns=[3, 4, 1, 2]),
        xlag=2,
        ylag=2,
        basis_function=TheirPolynomial(degree=1),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inside.fit(X=u[:, None], y=y[:, None])
        theirs_of_ours = inside.predict(X=u[:, None], y=y[:2, None])
    assert np.allclose(np.ravel(theirs_of_ours)[2:], ours.simulate(u, y[:2])[2:], atol=1e-8)


def make_foreign_model(basis, codes):
    kind = type(basis, (), {})
    return SimpleNamespace(basis_function=kind(), final_model=codes, theta=np.ones(len(codes)))


@pytest.mark.parametrize(
    ("basis", "codes", "says"),
    [
        ("Fourier", [[1001], [2001]], "Fourier"),
        ("Polynomial", [[1001], [501]], "residuals"),
    ],
)
def test_rejects_sysidentpy_models_that_are_no_polynomials(basis, codes, says):
    with pytest.raises(InvalidOptionError, match=says):
        from_sysidentpy(make_foreign_model(basis, codes))


def test_sets_parameters_of_an_estimator():
    estimator = Estimator(lambda p: p[:, :1] - p[:, 1:])
    assert estimator.set_params(columns=[1, 0]) is estimator
    np.testing.assert_array_equal(estimator.predict([[1.0, 3.0]]), [2.0])
