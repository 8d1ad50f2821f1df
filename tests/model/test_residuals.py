"""Tests of residuals."""

from __future__ import annotations

import numpy as np

from unbraid.model._residuals import Residuals


def test_residuals_and_approximation_add_up():
    left = Residuals(np.array([[3.0], [5.0]]), np.array([[1.0], [-1.0]]))
    np.testing.assert_array_equal(left.approximation, [[2], [6]])
    assert len(left) == 2
