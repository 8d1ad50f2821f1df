"""Tests of branch."""

import numpy as np
import pytest

from unbraid import RBF, BSpline, Fourier, PiecewiseLinear, Polynomial
from unbraid.model._branch_fit import fit_branch

Z = np.sort(np.random.default_rng(0).uniform(-2, 3, 80))


BASES = [Polynomial(6), BSpline(12), PiecewiseLinear(15), Fourier(5), RBF(12)]


@pytest.mark.parametrize("basis", [*BASES, None], ids=lambda b: type(b).__name__)
def test_linear_extrapolation_is_continuous(basis):
    branch = fit_branch(basis, Z, np.sin(Z), np.cos(Z))
    low, high = branch.interval
    for edge, sign in ((low, -1), (high, 1)):
        beyond = edge + sign * np.array([1e-9, 1.0, 100.0])
        slope = branch.derivative(edge)
        np.testing.assert_allclose(
            branch(beyond), branch(edge) + slope * (beyond - edge), atol=1e-6
        )
        np.testing.assert_allclose(branch.derivative(beyond), slope)


def test_extrapolates_by_basis_or_with_nan():
    wild = fit_branch(Polynomial(3), Z, Z**3, extrapolate="basis")
    np.testing.assert_allclose(wild(10.0) - wild(0.0), 1000, rtol=1e-9)
    np.testing.assert_allclose(wild.derivative(10.0), 300, rtol=1e-9)
    none = fit_branch(Polynomial(3), Z, Z**3, extrapolate="nan")
    assert np.isnan(none(10.0))
    assert np.isnan(none.derivative(10.0))
    assert np.isfinite(none(0.0))
