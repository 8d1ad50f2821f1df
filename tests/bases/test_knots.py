"""Tests of knots."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import BSpline
from unbraid.bases._knots import count_distinct


@pytest.mark.parametrize("zeros", [50, 450, 950])
@pytest.mark.parametrize("low", [0.0, -1.0])
def test_repeated_points_do_not_attract_all_knots(zeros, low):
    z = np.concatenate([np.zeros(zeros), np.linspace(low, 1, 50)])
    basis = BSpline(12).bind(z)
    assert np.diff(np.unique(basis.knots)).min() > 0.02
    assert len(np.unique(basis.knots)) == 10
    sides = basis.design(np.array([-1e-9, 1e-9]))
    assert np.abs(np.diff(sides, axis=0)).max() < 1e-6


def test_distinct_abscissae_are_those_that_a_basis_can_separate():
    rng = np.random.default_rng(0)
    lattice = rng.integers(0, 7, 500) + 1e-4 * rng.normal(size=500)
    assert count_distinct(lattice, 12) == 7
    assert count_distinct(rng.normal(size=500), 12) > 100
    assert count_distinct(np.full(9, 3.0), 3) == 1
    table = np.stack([lattice, np.linspace(0, 1, 500)], axis=1)
    assert count_distinct(table[None], 12, axis=1).shape == (1, 2)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_distinct_abscissae_do_not_depend_on_units(scale):
    z = np.random.default_rng(1).integers(0, 9, 100) * 0.3
    assert count_distinct(scale * z, 20) == count_distinct(z, 20) == 9
