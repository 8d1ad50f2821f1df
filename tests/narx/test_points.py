"""Operating points of NARX models."""

from __future__ import annotations

import numpy as np
import pytest

from narx.systems import cubic_system, make_stable_model, make_stable_record
from unbraid import InvalidSamplesError
from unbraid.narx import fit_polynomial_narx


@pytest.mark.parametrize("points", ["random", "space-filling", "covariance"])
def test_operating_points_come_from_the_record(points):
    u, y = cubic_system()
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    near = model.operating_points(points, 200, random_state=0)
    far = model.operating_points(points, 200, spread=2.0, random_state=0)
    assert near.shape == far.shape == (200, 4)
    centre = model.regressors(u, y).mean(axis=0)
    assert np.allclose(far - centre, 2.0 * (near - centre), atol=1e-9)
    again = model.operating_points(points, 200, random_state=0)
    assert np.array_equal(near, again)
    rows = {tuple(row) for row in model.regressors(u, y)}
    assert all(tuple(p) in rows for p in near) == (points != "covariance")


def test_space_filling_points_lie_farther_apart():
    u, y = cubic_system()
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)

    def closest(kind):
        p = model.operating_points(kind, 50, random_state=0)
        apart = np.linalg.norm(p[:, None] - p[None], axis=2)
        return apart[~np.eye(50, dtype=bool)].min()

    assert closest("space-filling") > 2 * closest("random")


def test_accepts_points_of_the_user():
    own = np.random.default_rng(8).standard_normal((7, 2))
    np.testing.assert_array_equal(make_stable_model().operating_points(own), own)
    np.testing.assert_array_equal(
        make_stable_model().operating_points(own, data=make_stable_record()), own
    )
    with pytest.raises(InvalidSamplesError, match="3 columns"):
        make_stable_model().operating_points(np.ones((4, 3)), data=make_stable_record())
