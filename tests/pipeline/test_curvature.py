"""Covariances from the factorised curvature, against dense inverses."""

import numpy as np
import pytest

from unbraid.pipeline._curvature import Curvature
from unbraid.solvers.varpro._definite import factorise

RNG = np.random.default_rng(0)
ROOTS = RNG.normal(size=(2, 6, 12))
H, SPREAD = ROOTS @ ROOTS.swapaxes(1, 2)


def make_curvature(H, changes=None):
    scale = 1 / np.sqrt(np.diag(H))
    return Curvature(factorise((H * scale * scale[:, None])[None]), scale, SPREAD, changes)


def test_covariance_of_some_parameters_is_a_block_of_the_whole():
    expected = np.linalg.inv(H) @ SPREAD @ np.linalg.inv(H)
    rows = np.array([1, 4, 5])
    found = make_curvature(H).covariance(rows)
    assert found == pytest.approx(expected[np.ix_(rows, rows)], rel=1e-9)


def test_parameters_that_are_not_free_have_no_variance():
    changes = np.eye(6)[:, [0, 2, 3]]
    found = make_curvature(changes.T @ H @ changes, changes).covariance(np.arange(6))
    inverse = changes @ np.linalg.inv(changes.T @ H @ changes) @ changes.T
    assert found == pytest.approx(inverse @ SPREAD @ inverse, rel=1e-9)
    assert np.all(found[[1, 4, 5]] == 0)
