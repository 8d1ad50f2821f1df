"""Tests of polynomial."""

import numpy as np

from unbraid import Polynomial
from unbraid.model._branch_fit import fit_branch

Z = np.sort(np.random.default_rng(0).uniform(-2, 3, 80))


def test_converts_to_monomials():
    branch = fit_branch(Polynomial(3), Z, 7 + Z - 2 * Z**3)
    constant, powers = branch.curve.basis.monomials(branch.curve.coefficients)
    np.testing.assert_allclose(powers, [1, 0, -2], atol=1e-10)
    assert np.isfinite(constant)
