"""Tests of B-splines on many sets of knots."""

import numpy as np
import pytest
from scipy.interpolate import BSpline as Reference

from unbraid.bases import BSpline
from unbraid.bases._spline_tables import evaluate_splines

Z = np.random.default_rng(0).normal(size=(2, 150, 3)) * [1.0, 1e-6, 1e6]


def bind_all(n_coefficients, degree):
    basis = BSpline(n_coefficients, degree=degree)
    return np.array([[basis.bind(column).knots for column in block.T] for block in Z])[:, None]


@pytest.mark.parametrize("degree", [1, 3, 5])
@pytest.mark.parametrize("n_coefficients", [6, 7, 24])
def test_agrees_with_scipy(n_coefficients, degree):
    knots = bind_all(n_coefficients, degree)
    tables = evaluate_splines(Z, knots, degree, (0, 1, 2))
    for s, i in np.ndindex(2, 3):
        reference = Reference(knots[s, 0, i], np.eye(n_coefficients), degree)
        for order, table in enumerate(tables):
            expected = reference(Z[s, :, i], order)
            assert np.abs(table[s, :, i] - expected).max() <= 1e-9 * np.abs(expected).max()


def test_continues_the_last_polynomials():
    knots = bind_all(9, 3)
    beyond = Z * 1.3
    reference = Reference(knots[1, 0, 2], np.eye(9), 3)
    table = evaluate_splines(beyond, knots, 3, [0])[0]
    assert np.allclose(table[1, :, 2], reference(beyond[1, :, 2]), rtol=1e-9)


@pytest.mark.parametrize("n_coefficients", [4, 5, 12])
def test_leaves_the_first_spline_out(n_coefficients):
    knots = bind_all(n_coefficients, 3)
    whole = evaluate_splines(Z, knots, 3, (1, 0, 3))
    rest = evaluate_splines(Z, knots, 3, (1, 0, 3), skip_first=True)
    assert all(np.array_equal(a[..., 1:], b) for a, b in zip(whole, rest, strict=True))


def test_crowded_knots_are_all_counted():
    z = np.concatenate([[-1.0, 1.0], np.geomspace(1e-7, 1e-2, 60)])
    inner = np.geomspace(1e-6, 1e-3, 12)
    knots = np.concatenate([[-1.0] * 4, inner, [1.0] * 4])
    table = evaluate_splines(z[None], knots[None, None], 3, [0])[0][0]
    assert np.allclose(table, Reference(knots, np.eye(16), 3)(z), atol=1e-12)


def test_derivatives_beyond_the_degree_are_zero():
    assert not np.any(evaluate_splines(Z, bind_all(5, 1), 1, [2])[0])


def test_nan_stays_nan():
    z = np.array([[0.2, np.nan]])
    table = evaluate_splines(z, np.array([[[0.0, 0, 0.5, 1, 1]]]), 1, [0])[0]
    assert np.isfinite(table[0, 0]).all()
    assert np.isnan(table[0, 1]).any()
