"""Tests of knots."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import BSpline


@pytest.mark.parametrize("zeros", [50, 450, 950])
@pytest.mark.parametrize("low", [0.0, -1.0])
def test_repeated_points_do_not_attract_all_knots(zeros, low):
    z = np.concatenate([np.zeros(zeros), np.linspace(low, 1, 50)])
    basis = BSpline(12).bind(z)
    assert np.diff(np.unique(basis.knots)).min() > 0.02
    assert len(np.unique(basis.knots)) == 10
    sides = basis.design(np.array([-1e-9, 1e-9]))
    assert np.abs(np.diff(sides, axis=0)).max() < 1e-6
