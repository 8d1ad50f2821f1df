"""One-step prediction, divergence and scores of models around any map."""

from __future__ import annotations

import numpy as np
import pytest

from narx.systems import make_random_function, make_stable_model
from reference import narx as reference_loop
from unbraid import InvalidSamplesError
from unbraid.errors import DivergenceError
from unbraid.narx import NARX, fit_polynomial_narx


def test_prediction_is_the_map_at_measured_regressors():
    rng = np.random.default_rng(0)
    model = NARX(make_random_function(rng, 5, 1, 2, 0.7), (0, 1), (1, 2, 3))
    u, y = (
        [rng.standard_normal(30), rng.standard_normal(20)],
        [rng.standard_normal(30), rng.standard_normal(20)],
    )
    for k, found in enumerate(model.predict(u, y)):
        assert np.array_equal(found[:3], y[k][:3])
        rows = reference_loop.regressors(u[k][:, None], y[k][:, None], (0, 1), (1, 2, 3))
        assert np.allclose(found[3:], model.function(rows)[:, 0], atol=1e-14)


def test_reports_divergence_with_its_sample_and_earlier_outputs():
    model = NARX(lambda p: p[:, 0] + 1.5 * p[:, 1], (0,), (1,), limit=100.0)
    u = np.ones(60)
    expected = reference_loop.simulate(model.function, u[:, None], np.zeros((1, 1)), (0,), (1,))[
        :, 0
    ]
    first = int(np.flatnonzero(np.abs(expected) > 100)[0])
    with pytest.raises(DivergenceError, match=f"sample {first}") as caught:
        model.simulate(u, [0.0])
    assert caught.value.sample == first
    assert np.allclose(caught.value.y[:first], expected[:first], rtol=1e-12)
    assert np.all(np.isnan(caught.value.y[first:]))
    score = model.score(u, expected)
    assert score.percent == np.inf
    assert score.diverged_at == first


def test_overflow_is_divergence_without_a_limit():
    model = NARX(lambda p: 2 + p[:, 0] + p[:, 1] ** 3, (0,), (1,))
    with pytest.raises(DivergenceError, match="sample 8 of record 1"):
        model.simulate([np.full(4, -2.0), np.zeros(40)], [0.0])


def test_score_and_simulation_diverge_at_the_same_sample():
    rng = np.random.default_rng(0)
    u, y = np.zeros(2000), np.zeros(2000)
    for t in range(1, 2000):  # an unstable system, held by a controller
        y[t] = 1.1 * y[t - 1] + u[t - 1]
        u[t] = -0.6 * y[t] + rng.standard_normal()
    model = fit_polynomial_narx(u, y, (1,), (1,), 1)
    with pytest.raises(DivergenceError) as caught:
        model.simulate(u, y[:1])
    assert model.score(u, y).diverged_at == caught.value.sample


def test_rejects_signals_of_three_axes():
    with pytest.raises(InvalidSamplesError, match=r"\(4, 2, 1\)"):
        make_stable_model().predict(np.ones(4), np.ones((4, 2, 1)))
