"""Piecewise polynomials against SciPy's splines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline as Spline
from scipy.interpolate import CubicHermiteSpline

from unbraid.bases._piecewise import Pieces, pieces_of_hermite, pieces_of_spline


@given(st.integers(0, 5), st.integers(0, 8), st.integers(0, 500), st.sampled_from([0, 3]))
def test_pieces_of_a_spline(degree, n_inner, seed, columns):
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.uniform(-1, 1, n_inner)) ** 3  # spans of very different length
    knots = np.concatenate([[-1.0] * (degree + 1), inner, [1.0] * (degree + 1)])
    shape = (len(knots) - degree - 1, *[columns] * (columns > 0))
    spline = Spline(knots, rng.normal(size=shape), degree)
    pieces = pieces_of_spline(knots, spline.c, degree)
    z = rng.uniform(-1.2, 1.2, (6, 50))
    for order in range(degree + 2):
        expected = spline(z, order)
        size = np.abs(expected).max() + 1
        np.testing.assert_allclose(pieces(z, order), expected, atol=1e-9 * size)


def test_many_numbers_are_taken_in_parts(monkeypatch):
    pieces = pieces_of_spline(np.array([0.0, 0, 0.3, 1, 1]), np.array([1.0, -2.0, 0.5]), 1)
    z = np.linspace(-1, 2, 1000)
    whole = pieces(z)
    monkeypatch.setattr("unbraid.bases._piecewise.EVALUATED_AT_ONCE", 64)
    np.testing.assert_array_equal(pieces(z), whole)


def test_breaks_too_uneven_for_cells_are_searched():
    breaks = np.array([0.0, 1e-9, 2e-9, 1.0])
    pieces = Pieces(breaks, np.array([[1.0, 2.0, 3.0]]))
    assert pieces([-1.0, 0.5e-9, 1.5e-9, 0.5, 2.0]).tolist() == [1.0, 1.0, 2.0, 3.0, 3.0]


def test_hermite_pieces():
    x = np.array([0.0, 0.5, 2.0])
    values, slopes = np.array([1.0, -1.0, 0.0]), np.array([0.0, 2.0, 1.0])
    z = np.linspace(-0.5, 2.5, 40)
    expected = CubicHermiteSpline(x, values, slopes)(z)
    np.testing.assert_allclose(pieces_of_hermite(x, values, slopes)(z), expected, atol=1e-12)


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_straight_ends(degree):
    rng = np.random.default_rng(degree)
    knots = np.concatenate([[0.0] * (degree + 1), [0.4, 0.5], [1.0] * (degree + 1)])
    pieces = pieces_of_spline(knots, rng.normal(size=degree + 3), degree)
    for low, high in ((0.0, 1.0), (-0.2, 1.3), (0.1, 0.9)):
        z = np.linspace(-3, 4, 701)
        inside = np.clip(z, low, high)
        slopes = float(pieces(low, 1)), float(pieces(high, 1))
        expected = pieces(inside) + np.where(z < low, *slopes) * (z - inside)
        straight = pieces.with_straight_ends(low, high, *slopes)
        np.testing.assert_allclose(straight(z), expected, atol=1e-12)
    assert np.isnan(pieces(np.nan))
