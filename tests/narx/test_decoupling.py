"""Decoupling of static maps."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from narx.systems import ridge_system
from unbraid import ConvergenceWarning, FitWarning, Polynomial, PolynomialFunction
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.narx._decoupling import decouple_map
from unbraid.solvers.varpro._solver import VarPro


def test_accepts_solver_objects():
    u, y = ridge_system(1000)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    solver = unbraid.solvers.VarPro(random_state=0)
    assert reference.decouple(2, method=solver).function.n_branches == 2


@pytest.mark.slow
def test_auto_stops_where_the_coupled_model_is_uncertain():
    u, y = ridge_system(2000)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple("auto", basis=Polynomial(3), n_points=150, random_state=0)
    assert small.function.n_branches <= 3


def test_explicit_method_stops_at_the_error_of_the_coupled_model():
    f = PolynomialFunction([[1.0, 0.5, 0.2]], [[1, 0], [0, 1], [0, 2]])
    draws, judged = [], []

    def draw(seed):
        draws.append(seed)
        return np.random.default_rng(4).uniform(-1, 1, (60, 2))

    def judge(function):
        judged.append(function)
        return 1.0

    options = {"method": "explicit", "smoothness": [1e-3, 1e-1], "basis": Polynomial(2)}
    with pytest.warns((ConvergenceWarning, FitWarning)) as told:
        d = decouple_map(f, draw, 2, judge, 0, {**options, "n_starts": 1, "max_iterations": 2})
    assert len(draws) == 1
    assert len(judged) == 3
    assert d in judged
    assert any(said.category is ConvergenceWarning for said in told)  # of the one that is kept


def test_solver_object_draws_points_from_its_seed():
    pytest.importorskip("joblib", reason="scans are an extra")
    model = NARX(lambda p: np.tanh(p[:, 0] + 0.5 * p[:, 1]), (0,), (1,))
    u = np.random.default_rng(0).uniform(-1, 1, 3000)
    data = u, model.simulate(u, [0.0])
    call = {
        "n_branches": 1,
        "degree": 3,
        "method": VarPro(),
        "random_state": 0,
        "refine": False,
        "data": data,
    }
    first, again = (unbraid.scan(model, **call, progress=False)[0] for _ in range(2))
    assert first.fitted_error == again.fitted_error
