"""Tests of sampling."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import InvalidOptionError, sampling
from unbraid.narx import NARX


@pytest.mark.parametrize("draw", [sampling.uniform, sampling.sobol, sampling.latin_hypercube])
def test_points_fill_their_box(draw):
    points = draw(100, [-1, 2], [1, 5], random_state=0)
    assert points.shape == (100, 2)
    assert np.all((points >= [-1, 2]) & (points <= [1, 5]))
    assert np.all(np.ptp(points, axis=0) > [1.8, 2.7])
    np.testing.assert_array_equal(points, draw(100, [-1, 2], [1, 5], random_state=0))
    with pytest.raises(InvalidOptionError, match="low < high"):
        draw(10, [0, 0], [1, 0])
    with pytest.raises(InvalidOptionError, match="n_points"):
        draw(0, [0], [1])
    with pytest.raises(InvalidOptionError, match="differ"):
        draw(5, [0, 0], [1, 1, 1])
    with pytest.raises(InvalidOptionError, match="random_state"):
        draw(5, [0], [1], random_state="dice")


def test_draws_points_from_data(rng):
    data = rng.standard_normal((50, 2)) @ [[2.0, 1.0], [0.0, 0.1]]
    rows = sampling.from_data(data, 20, random_state=0)
    assert all(np.any(np.all(row == data, axis=1)) for row in rows)
    with pytest.raises(InvalidOptionError, match="50 rows"):
        sampling.from_data(data, 51)
    drawn = sampling.gaussian_like(data, 4000, spread=2.0, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), 4 * np.cov(data.T), rtol=0.15, atol=0.05)


def test_space_filling_points_are_distinct():
    rng = np.random.default_rng(0)
    model = NARX(lambda p: p[:, :1], (0, 1), (1,))
    data = rng.standard_normal(300), rng.standard_normal(300)
    points = model.operating_points("space-filling", 290, data=data)
    assert len(np.unique(points, axis=0)) == 290
