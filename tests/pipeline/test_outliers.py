"""Stage 8: points with a wrong value or Jacobian."""

from __future__ import annotations

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


@pytest.mark.parametrize("part", ["values", "jacobians"])
def test_wrong_points_are_named(part):
    samples = spoil(clean_samples(), part)
    with pytest.warns(FitWarning, match="rows 7, 100, 180"):
        d = decouple(samples, n_branches=2, n_starts=4, random_state=0)
    assert d.solution.outliers == tuple(WRONG)


@pytest.mark.parametrize("part", ["values", "jacobians"])
def test_robust_fit_leaves_them_out(part):
    clean = clean_samples()
    d = decouple(spoil(clean, part), n_branches=2, n_starts=4, random_state=0, robust=True)
    fresh = clean_samples(1)
    assert d.solution.outliers == tuple(WRONG)
    assert relative_error(fresh.values, d(fresh.points))[0] < 0.1


def test_error_is_that_of_clean_points():
    clean = clean_samples()
    with pytest.warns(FitWarning):
        d = decouple(spoil(clean, "values"), n_branches=2, n_starts=4, random_state=0)
    fresh = clean_samples(1)
    true = relative_error(fresh.values, d(fresh.points))[0]
    assert 0.3 < true / d.held_out_error[0] < 3
    assert "poor fit" in d.solution.diagnosis


def test_clean_samples_have_none():
    samples = clean_samples()
    d = decouple(samples, n_branches=2, n_starts=4, random_state=0, robust=True)
    assert d.solution.outliers == ()
    assert find_outliers(d, samples).size == 0


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
