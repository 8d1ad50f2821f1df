"""Tests of the comparison of models on held-out samples."""

from __future__ import annotations

import numpy as np

from unbraid.dynamics._error_comparison import is_better, is_clearly_smaller


def test_models_are_compared_with_the_standard_error_of_blocks():
    rng = np.random.default_rng(0)
    errors = rng.chisquare(1, 2000)
    assert is_clearly_smaller(0.5 * errors, errors, 0.02, 1.0)
    assert not is_clearly_smaller(0.99 * errors, errors, 0.02, 1.0)
    assert is_clearly_smaller(0.99 * errors, errors, 0.0, 1.0)
    gains = 0.05 + 0.25 * np.repeat(rng.permutation(np.linspace(-1, 1, 20)), 100)  # 1.5 errors
    assert is_clearly_smaller(1 - gains, np.ones(2000), 0.02, 1.0)
    assert not is_clearly_smaller(1 - gains, np.ones(2000), 0.02, 2.0)
    assert not is_clearly_smaller(rng.permutation(errors) * 0.97, errors, 0.02, 1.0)


def test_no_output_may_become_clearly_worse():
    errors = np.random.default_rng(0).chisquare(1, (2000, 2))
    assert is_better(errors * [0.5, 1.0], errors)
    assert is_better(errors * [0.1, 1.1], errors)
    assert not is_better(errors * [0.1, 1.5], errors)


def test_a_model_that_diverges_is_worse():
    errors = np.random.default_rng(0).chisquare(1, (2000, 2))
    assert not is_better(np.array([[np.inf]]), errors)
    assert is_better(errors, np.array([[np.inf]]))


def test_a_few_samples_are_compared_one_by_one():
    errors = np.random.default_rng(0).chisquare(1, 8)
    assert is_clearly_smaller(0.5 * errors, errors, 0.02, 1.0)
    assert not is_clearly_smaller(0.99 * errors, errors, 0.02, 1.0)
    assert not is_clearly_smaller(errors[:1] / 2, errors[:1], 0.02, 1.0)
