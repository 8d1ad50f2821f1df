"""Stage 8: points with a wrong value or Jacobian."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

from unbraid import FitWarning, InvalidOptionError, Samples, decouple, relative_error
from unbraid.pipeline._outliers import find_outliers

WRONG = [7, 100, 180]


def clean_samples(seed: int = 0) -> Samples:
    points = np.random.default_rng(seed).uniform(-1, 1, (200, 3))
    V = np.array([[0.6, 0.0], [0.0, 0.8], [0.8, 0.6]])
    z = points @ V
    values = np.column_stack([np.tanh(2 * z[:, 0]) + z[:, 1] ** 2])
    slopes = np.column_stack([2 / np.cosh(2 * z[:, 0]) ** 2, 2 * z[:, 1]])
    return Samples(points, values, (slopes @ V.T)[:, None, :])


def spoil(samples: Samples, part: str) -> Samples:
    values, jacobians = samples.values.copy(), samples.jacobians.copy()
    if part == "values":
        values[WRONG] += 4 * values.std()
    else:
        jacobians[WRONG] *= -5
    return Samples(samples.points, values, jacobians)


@cache
def fit(part: str, robust: bool):
    """The decoupled function, and the texts of the warnings."""
    samples = clean_samples() if part == "none" else spoil(clean_samples(), part)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        d = decouple(samples, n_branches=2, n_starts=2, random_state=0, robust=robust)
    assert all(issubclass(warning.category, FitWarning) for warning in caught)
    return d, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("part", ["values", "jacobians"])
def test_wrong_points_are_named(part):
    d, told = fit(part, robust=False)
    assert any("rows 7, 100, 180" in text for text in told)
    assert d.solution.outliers == tuple(WRONG)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["values", "jacobians"])
def test_robust_fit_leaves_them_out(part):
    d, told = fit(part, robust=True)
    assert told == []
    fresh = clean_samples(1)
    assert d.solution.outliers == tuple(WRONG)
    assert relative_error(fresh.values, d(fresh.points))[0] < 0.1


def test_error_is_that_of_clean_points():
    d, _ = fit("values", robust=False)
    fresh = clean_samples(1)
    true = relative_error(fresh.values, d(fresh.points))[0]
    assert 0.3 < true / d.held_out_error[0] < 3
    assert "poor fit" in d.solution.diagnosis


def test_clean_samples_have_none():
    d, told = fit("none", robust=True)
    assert told == []
    assert d.solution.outliers == ()
    assert find_outliers(d, clean_samples()).size == 0


def test_missed_feature_is_no_outlier():
    """A narrow peak is off in values and Jacobians at neighbouring points."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (300, 2))
    peak = np.exp(-200 * np.sum(points**2, axis=1))
    values = (points[:, 0] + peak)[:, None]
    jacobians = (np.array([1.0, 0.0]) - 400 * points * peak[:, None])[:, None, :]
    samples = Samples(points, values, jacobians)
    d = decouple(samples, n_branches=1, n_starts=2, random_state=0)
    assert d.solution.outliers == ()


def test_rejects_what_is_not_a_flag():
    with pytest.raises(InvalidOptionError, match="robust"):
        decouple(clean_samples(), n_branches=1, robust="yes")
