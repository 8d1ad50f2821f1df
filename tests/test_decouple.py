"""Tests of decouple."""

import numpy as np
import pytest

import unbraid


def test_takes_names_from_the_columns_of_a_table():
    pandas = pytest.importorskip("pandas")
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    table = pandas.DataFrame(points, columns=["speed", "load"])
    f = lambda p: np.asarray(p)[:, 0] ** 3  # noqa: E731
    d = unbraid.decouple(f, table, 1, basis=unbraid.Polynomial(3), n_starts=1, random_state=0)
    assert d.input_names == ("speed", "load")


def test_names_follow_the_columns_that_the_model_was_fitted_on():
    pandas = pytest.importorskip("pandas")
    linear_model = pytest.importorskip("sklearn.linear_model")
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    table = pandas.DataFrame(points, columns=["speed", "load"])
    model = linear_model.LinearRegression().fit(table, points @ [1.0, 3.0])
    d = unbraid.decouple(model, table[["load", "speed"]], 1, n_starts=1, random_state=0)
    assert d.input_names == ("speed", "load")
    np.testing.assert_allclose(d(table)[:, 0], points @ [1.0, 3.0], atol=1e-9)


def test_held_out_samples_and_refined_samples_have_the_same_names():
    pandas = pytest.importorskip("pandas")
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    table = pandas.DataFrame(points, columns=["speed", "load"])
    f = lambda p: np.asarray(p)[:, 0] ** 3  # noqa: E731
    samples = unbraid.sample(f, table)
    assert samples.subset([0, 1]).input_names == samples.input_names == ("speed", "load")
    other = unbraid.sample(f, table[["load", "speed"]])
    quick = {"basis": unbraid.Polynomial(3), "n_starts": 1, "random_state": 0}
    with pytest.raises(unbraid.InvalidSamplesError, match="held_out has the inputs"):
        unbraid.decouple(samples, n_branches=1, held_out=other, **quick)
    d = unbraid.decouple(samples, n_branches=1, **quick)
    with pytest.raises(unbraid.InvalidSamplesError, match="samples has the inputs"):
        unbraid.refine(d, other)
