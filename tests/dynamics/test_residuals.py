"""Tests of what residuals tell."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from unbraid.dynamics._residuals import are_unrelated, are_white


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_white_noise_is_white(seed, n_outputs):
    noise = np.random.default_rng(seed).standard_normal((800, n_outputs))
    assert are_white([noise, 1e6 * noise[:300]])


def test_one_coloured_output_is_seen():
    noise = np.random.default_rng(0).standard_normal((800, 2))
    noise[:, 1] = lfilter([1.0], [1.0, -0.4], noise[:, 1])
    assert not are_white([noise])


def test_records_too_short_for_a_lag_are_white():
    assert are_white([np.ones((3, 1))])


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_unrelated_to_signals(seed):
    rng = np.random.default_rng(seed)
    assert are_unrelated(rng.standard_normal((1000, 2)), rng.standard_normal((1000, 3)))


@pytest.mark.parametrize("missing", [lambda x: x[:, 0] * x[:, 1], lambda x: np.tanh(3 * x[:, 2])])
def test_a_missing_nonlinearity_is_seen_in_a_white_residual(missing):
    rng = np.random.default_rng(0)
    signals = rng.standard_normal((1000, 3))
    residual = (missing(signals) + rng.standard_normal(1000))[:, None]
    assert are_white([residual])
    assert not are_unrelated(residual, signals)


def test_too_few_samples_say_nothing():
    rng = np.random.default_rng(0)
    assert not are_unrelated(rng.standard_normal((60, 1)), rng.standard_normal((60, 4)))
