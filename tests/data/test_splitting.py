"""Tests of splitting."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import Polynomial, Samples
from unbraid.cases import toy_samples
from unbraid.data._splitting import assign_folds, draw_subset, split_samples
from unbraid.sampling import uniform

CUBE = uniform(200, [-1] * 4, [1] * 4, random_state=1)


PLANE = uniform(150, [-1, -1], [1, 1], random_state=0)


def product(p):
    return np.prod(p, axis=1)


def bent(p):
    return np.stack([np.tanh(p[:, 0] + p[:, 1]), (p[:, 1] - 0.5 * p[:, 0]) ** 2], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("shaken", [0.0, 1e-6])
def test_copies_of_a_point_are_held_out_together(shaken):
    rng = np.random.default_rng(3)
    places = np.repeat(np.arange(30), 5)
    points = uniform(30, [-1] * 4, [1] * 4, random_state=0)[places]
    points = points + shaken * rng.standard_normal(points.shape)
    fitted, held = split_samples(unbraid.sample(product, points), 0.2)
    assert len(fitted) + len(held) == 150
    away = np.linalg.norm(held.points[:, None] - fitted.points[None], axis=2)
    assert np.mean(away.min(axis=1) < 1e-3) < 0.1
    how = {"n_branches": 4, "basis": Polynomial(3), "n_starts": 1, "random_state": 0}
    d = unbraid.decouple(product, points, **how)
    assert d.fitted_error[0] < 20  # as a copy held out alone would have looked
    assert d.held_out_error[0] > 40
    assert d.solution.diagnosis.startswith("poor")


def test_holds_out_nothing_with_few_distinct_points():
    points = np.repeat(uniform(12, [-1] * 4, [1] * 4, random_state=0), 20, axis=0)
    how = {"n_branches": 2, "basis": Polynomial(3), "n_starts": 2, "random_state": 0}
    d = unbraid.decouple(product, points, **how)
    assert d.held_out_error is None
    assert "no points were held out" in d.solution.diagnosis
    plenty = unbraid.decouple(product, CUBE, **how)
    assert "no points were held out" not in plenty.solution.diagnosis


def test_split_does_not_depend_on_order_or_units():
    samples = unbraid.sample(bent, PLANE)
    _, held = split_samples(samples, 0.2)
    turned = unbraid.sample(lambda p: bent(p / 1e6), 1e6 * PLANE[::-1])
    _, again = split_samples(turned, 0.2)
    np.testing.assert_allclose(again.points / 1e6, held.points, rtol=1e-12)


SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def dead_zone(p):
    return 100 * np.maximum(0, p @ [0.6, 0.8] / 1.4 - 0.85) ** 2


def ridge(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


@pytest.mark.parametrize("seed", range(6))
def test_both_parts_vary_in_every_output(seed):
    points = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=seed)
    fitted, held = split_samples(unbraid.sample(dead_zone, points), 0.2)
    assert len(fitted) + len(held) == 100
    assert fitted.values.std() > 0 < held.values.std()


def test_does_not_hold_out_the_only_point_that_varies():
    values = np.zeros(100)
    values[17] = 1.0
    samples = Samples(SQUARE, values, np.ones((100, 1, 2)))
    fitted, held = split_samples(samples, 0.2)
    assert held is None
    assert len(fitted) == 100


def test_subset_of_a_grid_is_not_its_diagonal():
    axis = np.linspace(-1, 1, 40)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    some = draw_subset(unbraid.sample(ridge, grid), 40)
    assert np.abs(np.diff(some.points, axis=1)).max() > 0.5


def test_split_does_not_depend_on_the_order_of_the_points(rng):
    samples = toy_samples(50, 1)
    fitted, held = split_samples(samples, 0.2)
    assert (len(fitted), len(held)) == (40, 10)
    _, other = split_samples(samples.subset(rng.permutation(50)), 0.2)
    assert set(map(tuple, held.points)) == set(map(tuple, other.points))
    assert split_samples(toy_samples(10, 1), 0.2)[1] is None


def test_folds_keep_copies_together_in_any_order():
    rng = np.random.default_rng(0)
    points = np.repeat(rng.normal(size=(30, 2)), 2, axis=0)
    folds = assign_folds(points, 5)
    np.testing.assert_array_equal(folds[::2], folds[1::2])
    order = rng.permutation(60)
    np.testing.assert_array_equal(assign_folds(points[order], 5), folds[order])
    assert set(folds) == set(range(5))
