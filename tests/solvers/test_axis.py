"""Tests of axis."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import DegenerateBranchError
from unbraid.solvers._axis import integrate_slopes, make_axis


def test_averages_columns_over_ties():
    axis = make_axis(np.array([2.0, 0.0, 1.0, 1.0]))
    table = np.array([[5.0, 50.0], [1.0, 10.0], [2.0, 20.0], [4.0, 60.0]])
    np.testing.assert_array_equal(axis.mean_over_ties(table), [[1, 10], [3, 40], [5, 50]])


def test_averages_values_over_ties():
    axis = make_axis(np.array([0.0, 1.0, 1.0, 3.0, 2.0, 1.0 + 1e-13]))
    np.testing.assert_array_equal(axis.abscissae, [0, 1, 2, 3])
    np.testing.assert_array_equal(axis.position, [0, 1, 1, 3, 2, 1])
    np.testing.assert_allclose(axis.mean_over_ties(np.array([0.0, 1, 2, 3, 4, 6])), [0, 3, 4, 3])


def test_rejects_constant_z():
    with pytest.raises(DegenerateBranchError, match="every point"):
        make_axis(np.full(10, 3.0))


def test_places_limits_before_breaks():
    on_grid = make_axis(np.linspace(-2, 2, 41).round(1), limits=(-1, 1))
    assert [flat for _, _, flat in on_grid.segments] == [True, False, True]
    beside = make_axis(np.arange(10.0), breaks=(4.6,), limits=(-np.inf, 5.5))
    assert beside.segments[-1] == (6, 10, True)
    one_beyond = make_axis(np.arange(10.0), limits=(-np.inf, 8.5))
    assert one_beyond.segments == [(0, 9, False), (9, 10, True)]


def test_drops_a_break_that_isolates_a_point():
    axis = make_axis(np.arange(6.0), breaks=(0.5,))
    assert axis.edges == ()


def test_integration_extrapolates_linearly_across_an_edge():
    z = np.linspace(-1, 1, 20)
    axis = make_axis(z, breaks=(0.02,))
    g = np.where(z < 0.02, 2 * z, 0.1 - 3 * z)  # continuous at the break
    slopes = np.diff(g) / np.diff(z)
    slopes[axis.cuts[1] - 1] = 1e9  # belongs to no window: must not matter
    values = integrate_slopes(axis, slopes, np.where(z < 0.02, 2.0, -3.0))
    np.testing.assert_allclose(values - values[0], g - g[0], atol=1e-12)
