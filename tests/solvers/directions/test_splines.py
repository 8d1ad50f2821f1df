"""Tests of cubic B-splines of several directions."""

import numpy as np
import pytest
from scipy.interpolate import BSpline

from unbraid.solvers.directions._splines import evaluate_cubic_splines, place_knots

Z = np.random.default_rng(0).normal(size=(3, 200)) * [[1.0], [1e-6], [1e6]]


@pytest.mark.parametrize("n_splines", [5, 8, 24])
def test_agrees_with_scipy(n_splines):
    knots = place_knots(Z, n_splines)
    tables = evaluate_cubic_splines(Z, knots)
    for d, z in enumerate(Z):
        reference = BSpline(knots[d], np.eye(n_splines), 3)
        for order, table in enumerate(tables):
            expected = reference.derivative(order)(z) if order else reference(z)
            assert np.abs(table[d] - expected).max() <= 1e-9 * np.abs(expected).max()


def test_constant_z_has_finite_splines():
    z = np.full((1, 10), 3.0)
    assert all(np.all(np.isfinite(table)) for table in evaluate_cubic_splines(z, place_knots(z, 8)))


def test_splines_add_up_to_one():
    z = np.linspace(-1, 1, 50)[None]
    values, slopes, _ = evaluate_cubic_splines(z, place_knots(z, 9))
    assert np.allclose(values.sum(axis=2), 1)
    assert np.allclose(slopes.sum(axis=2), 0, atol=1e-12)
