"""Tests of legendre."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unbraid.bases._legendre import legendre_design


@given(st.integers(1, 9), st.integers(0, 3))
def test_designs_equal_those_of_numpy(degree, order):
    t = np.linspace(-1.3, 1.2, 11)
    table = legendre_design(t, degree, order)
    for k in range(1, degree + 1):
        series = np.polynomial.legendre.Legendre.basis(k)
        expected = series.deriv(order)(t) if order else series(t)
        np.testing.assert_allclose(table[:, k - 1], expected, rtol=1e-9, atol=1e-8)
