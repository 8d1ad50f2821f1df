"""Maps that refuse some regressors."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid.dynamics._static_map import CallableMap
from unbraid.errors import DivergenceError, SamplingError
from unbraid.narx import NARX
from unbraid.sources._evaluator import Evaluator


def test_refused_regressors_after_divergence_are_nan():
    def f(p):
        if not np.all(np.isfinite(p)):
            raise ValueError("finite numbers only")
        return 5 * p[:, 1] ** 3

    model = NARX(f, (0,), (1,))
    with pytest.raises(DivergenceError, match="diverges"):
        model.simulate(np.ones(60), [3.0])
    probe = np.ones((3, 2))
    assert np.all(np.isnan(CallableMap(Evaluator(f, probe), None, probe).values(np.inf * probe)))


def test_passes_on_errors_of_the_function():
    def f(p):
        if np.any(p[:, 0] > 2):
            raise ValueError("beyond my range")
        return 0.5 * p[:, 1] + p[:, 0]

    with pytest.raises(SamplingError, match="ValueError"):
        NARX(f, (0,), (1,)).simulate(np.r_[np.ones(5), 5, 1], [0.0])
