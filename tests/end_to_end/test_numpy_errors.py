"""Tests of numpy errors."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import RBF, Polynomial
from unbraid.sampling import uniform

PLANE = uniform(150, [-1, -1], [1, 1], random_state=0)


def bent(p):
    return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("basis", ["auto", Polynomial(9), unbraid.PiecewiseLinear(6), RBF(6)])
def test_decouples_with_numpy_errors_raised(basis, tmp_path):
    with np.errstate(all="raise"):
        d = unbraid.decouple(bent, PLANE, n_branches=2, basis=basis, n_starts=1, random_state=0)
        d.describe()
        unbraid.report(d, tmp_path / "page.html")
        assert np.all(np.isfinite(d(5 * PLANE)))


def test_regresses_with_numpy_errors_raised():
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    with np.errstate(all="raise"):
        model = unbraid.DecoupledRegressor(
            n_branches=1, basis=Polynomial(3), n_folds=2, random_state=0
        )
        assert np.all(np.isfinite(model.fit(PLANE, bent(PLANE)[:, 0]).predict(PLANE)))
