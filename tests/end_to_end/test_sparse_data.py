"""Tests of sparse data."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import BSpline


def test_decouples_data_that_are_mostly_zero():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (250, 2))
    points[rng.random(250) < 0.9, 0] = 0.0

    def f(p):
        return np.column_stack([np.sin(3 * p[:, 0]) + p[:, 1] ** 2, np.tanh(2 * p[:, 1])])

    d = unbraid.decouple(f, points, n_branches=3, basis=BSpline(12), n_starts=2, random_state=0)
    assert d.fitted_error.max() < 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::unbraid.ConvergenceWarning", "ignore::unbraid.FitWarning")
def test_regresses_data_that_are_mostly_zero():
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    rng = np.random.default_rng(0)
    rng.standard_normal((400, 2))
    X = rng.uniform(0, 1, (300, 2))
    X[rng.random(300) < 0.9, 0] = 0
    model = unbraid.DecoupledRegressor(n_branches=2, n_folds=3, random_state=0)
    model.fit(X, np.sin(8 * X[:, 0]) + X[:, 1])
    assert model.score(X, np.sin(8 * X[:, 0]) + X[:, 1]) > 0.95
