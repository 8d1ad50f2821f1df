"""Points as new ones may be."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid.data._resampling import resample_points


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def draw_uniform(rng, size):
    return rng.uniform(-1, 1, size)


def draw_t(rng, size):
    return rng.standard_t(3, size)


@pytest.mark.parametrize(
    ("draw", "furthest"), [(draw_uniform, 1.2), (np.random.Generator.normal, 5.5), (draw_t, 200.0)]
)
def test_new_points_exceed_the_given_ones_about_as_often_as_expected(rng, draw, furthest):
    shares, largest = [], []
    for _ in range(100):
        points = draw(rng, size=(99, 1))
        drawn = resample_points(points, 2000, rng)
        shares.append([np.mean(drawn > points.max()), np.mean(drawn < points.min())])
        largest.append(np.abs(drawn).max())
    assert 0.004 < np.mean(shares) < 0.02  # one in a hundred at either end, about
    assert np.median(largest) < furthest


def test_tail_is_smoother_than_the_given_values(rng):
    """One value far outside does not come back as often as it was given."""
    points = rng.normal(size=(300, 1))
    points[0] = 6.0
    drawn = resample_points(points, 60_000, rng)
    assert np.mean(drawn > 5.5) < 0.5 / 300


@pytest.mark.parametrize("n_points", [200, 1000])
def test_bounded_inputs_keep_their_bounds(rng, n_points):
    drawn = resample_points(rng.uniform(-1, 1, (n_points, 3)), 20_000, rng)
    assert np.abs(drawn).max() < 1 + 4 / n_points


def test_rounded_values_have_a_tail(rng):
    points = np.round(rng.normal(size=(200, 1)), 2)
    assert resample_points(points, 20_000, rng).max() > points.max()


def test_keeps_a_correlation(rng):
    common = rng.normal(size=(300, 1))
    points = 5 + common + 0.1 * rng.normal(size=(300, 3))
    drawn = resample_points(points, 5000, rng)
    np.testing.assert_allclose(np.corrcoef(drawn.T), np.corrcoef(points.T), atol=0.02)
    np.testing.assert_allclose(drawn.mean(axis=0), points.mean(axis=0), atol=0.1)


def test_keeps_discrete_values_and_constants(rng):
    points = np.column_stack(
        [rng.integers(0, 3, 200), np.full(200, 7.0), rng.integers(0, 2, 200)]
    ).astype(float)
    drawn = resample_points(points, 1000, rng)
    for given, new in zip(points.T, drawn.T, strict=True):
        distinct = np.unique(given)
        distance = np.abs(new[:, None] - distinct).min(axis=1)
        assert distance.max() < 1e-9


def test_counts_that_fall_continue(rng):
    points = np.round(rng.normal(size=(300, 1)))
    drawn = resample_points(points, 20_000, rng).round(9)
    next_values = {points.max() + 1, points.min() - 1}
    assert set(np.unique(drawn)) - set(np.unique(points)) <= next_values
    assert 0 < np.mean(np.isin(drawn, list(next_values))) < 2.5 / 301


def test_follows_an_exact_dependence(rng):
    first = rng.uniform(size=(50, 1))
    drawn = resample_points(np.hstack([first, 2 * first, 1 - first]), 500, rng)
    np.testing.assert_allclose(drawn[:, 1], 2 * drawn[:, 0], atol=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    points = np.random.default_rng(1).normal(size=(40, 2))
    drawn = [
        resample_points(points * unit, 100, np.random.default_rng(2)) / unit
        for unit in (1.0, scale)
    ]
    np.testing.assert_allclose(drawn[0], drawn[1], rtol=1e-9, atol=1e-9)
