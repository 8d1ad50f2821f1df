"""Tests of branch fit."""

import numpy as np
import pytest

from unbraid import RBF, BSpline, Fourier, InvalidOptionError, PiecewiseLinear, Polynomial
from unbraid.model._branch_fit import fit_branch

Z = np.sort(np.random.default_rng(0).uniform(-2, 3, 80))


@pytest.mark.parametrize(
    ("basis", "tolerance"),
    [
        (Polynomial(9), 1e-3),
        (BSpline(14), 1e-3),
        (PiecewiseLinear(40), 0.03),
        (Fourier(6), 1e-2),
        (RBF(20), 5e-3),
    ],
)
def test_fit_recovers_a_smooth_function(basis, tolerance):
    g = np.sin(1.3 * Z) + 5
    branch = fit_branch(basis, Z, g)
    inner = np.linspace(-1.9, 2.9, 50)
    shift = np.mean(np.sin(1.3 * inner) - branch(inner))
    np.testing.assert_allclose(branch(inner) + shift, np.sin(1.3 * inner), atol=tolerance)


def test_fit_on_derivatives_recovers_the_function_up_to_a_constant():
    branch = fit_branch(Polynomial(3), Z, None, 3 * Z**2 - 1, estimate=Z**3 - Z)
    np.testing.assert_allclose(branch(Z) - branch(0.0), Z**3 - Z, atol=1e-10)


def test_nonparametric_branch_interpolates():
    branch = fit_branch(None, Z, np.sin(Z), np.cos(Z))
    z = np.linspace(Z[0], Z[-1], 200)
    np.testing.assert_allclose(branch(z), np.sin(z), atol=1e-4)
    np.testing.assert_allclose(branch.derivative(z), np.cos(z), atol=3e-3)


def test_few_points_reduce_splines_and_reject_polynomials():
    assert fit_branch(BSpline(12), Z[:8], Z[:8]).n_parameters == 3
    with pytest.raises(InvalidOptionError, match="distinct z"):
        fit_branch(Polynomial(9), Z[:8], Z[:8])
