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
