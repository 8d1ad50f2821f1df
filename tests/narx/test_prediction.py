"""Tests of predictions several steps ahead, against one short simulation per sample."""

from __future__ import annotations

import numpy as np
import pytest

from narx.systems import cubic_system, make_random_function
from reference import narx as reference
from unbraid.dynamics._records import Record
from unbraid.dynamics._static_map import make_static_map
from unbraid.narx import NARX
from unbraid.narx._lags import Lags
from unbraid.narx._prediction import predict_ahead

STEPS = (1, 2, 3, 7)


@pytest.mark.parametrize(
    ("n_u", "n_y", "input_lags", "output_lags"),
    [(1, 1, (0, 1), (1, 2, 3)), (2, 2, (1, 3), (2, 4)), (1, 1, (0, 2), ()), (1, 2, (5,), (1,))],
)
def test_equal_one_simulation_per_sample(n_u, n_y, input_lags, output_lags):
    rng = np.random.default_rng(0)
    lags = Lags.expand(input_lags, output_lags, n_u, n_y)
    d = make_random_function(rng, lags.n_regressors, n_y, 2, 0.8)
    record = Record(rng.standard_normal((60, n_u)), rng.standard_normal((60, n_y)))
    function = make_static_map(d, np.zeros((2, lags.n_regressors)), n_y)
    found = predict_ahead(function, lags, record, STEPS)
    for steps in STEPS:
        slow = reference.predict_ahead(d, record.u, record.y, input_lags, output_lags, steps)
        np.testing.assert_allclose(found[steps].y, slow, atol=1e-12)


def test_one_step_is_predict_and_many_steps_are_a_simulation():
    u, y = cubic_system(50)
    model = NARX(lambda p: 0.7 * p[:, 0] - 0.2 * p[:, 1] ** 2, (1,), (1,))
    function = make_static_map(model.function, np.zeros((2, 2)), 1)
    record, lags = Record(u[:, None], y[:, None]), model.lags()
    found = predict_ahead(function, lags, record, (1, 49))
    np.testing.assert_allclose(found[1].y[:, 0], model.predict(u, y))
    np.testing.assert_allclose(found[49].y[-1, 0], model.simulate(u, y[:1])[-1])


def test_divergence_has_its_sample_and_no_nan():
    lags = Lags.expand((0,), (1,), 1, 1)
    record = Record(np.zeros((30, 1)), np.where(np.arange(30) == 12, 1e60, 0.1)[:, None])
    function = make_static_map(lambda p: p[:, 1] ** 3, np.zeros((2, 2)), 1)
    found = predict_ahead(function, lags, record, (1, 2, 5), limit=1e200)
    assert found[1].diverged_at is None
    assert found[2].diverged_at == found[5].diverged_at == 14
    assert np.all(np.isfinite(found[5].y))
