"""Sensitivities of the simulation."""

from __future__ import annotations

import numpy as np
import pytest

from narx.systems import make_lags, make_random_function
from unbraid import BSpline, Polynomial
from unbraid.dynamics._records import Record
from unbraid.narx._parameters import Parametrisation
from unbraid.narx._problem import SimulationProblem


@pytest.mark.parametrize("basis", [Polynomial(3), BSpline(7)])
@pytest.mark.parametrize(("n_y", "feedback"), [(1, 1.0), (2, 1.0), (1, 0.5)])
def test_sensitivities_are_the_derivatives_of_the_simulation(basis, n_y, feedback, monkeypatch):
    monkeypatch.setattr("unbraid.narx._problem.SENSITIVITY_BLOCK", 16)  # several windows
    rng = np.random.default_rng(0)
    lags = make_lags(1, n_y)
    d = make_random_function(rng, lags.n_regressors, n_y, 2, 0.6, basis=basis)
    root = rng.standard_normal((lags.n_regressors,) * 2)
    form = Parametrisation(d, root, np.ones(2))
    roots = rng.uniform(0.5, 2.0, (60, 1))
    record = Record(rng.standard_normal((60, 1)), rng.standard_normal((60, n_y)), roots)
    problem = SimulationProblem(lags, [record], 4, np.full(n_y, 0.7), np.inf, feedback)
    parameters = form.pack()
    assert np.allclose(
        form.unpack(parameters)(np.ones((1, d.n_inputs))), d(np.ones((1, d.n_inputs)))
    )
    matrix, gradient = problem.normal_equations(form, d, problem.simulate(d))

    def residual(x):
        run = problem.simulate(form.unpack(x))[0].y
        return (roots[4:] * (run - record.y)[4:] / 0.7).ravel()

    step = 1e-6
    columns = [
        (residual(parameters + step * e) - residual(parameters - step * e)) / (2 * step)
        for e in np.eye(parameters.size)
    ]
    S = np.stack(columns, axis=1)
    assert np.allclose(matrix, S.T @ S, atol=1e-5 * np.abs(S.T @ S).max())
    assert np.allclose(gradient, S.T @ residual(parameters), atol=1e-5 * np.abs(gradient).max())
