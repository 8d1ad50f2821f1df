"""Tests of bases."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import (
    RBF,
    BSpline,
    CustomBasis,
    Fourier,
    InvalidOptionError,
    PiecewiseLinear,
    Polynomial,
)
from unbraid.model._branch_fit import fit_branch

Z = np.sort(np.random.default_rng(0).uniform(-2, 3, 80))


BASES = [Polynomial(6), BSpline(12), PiecewiseLinear(15), Fourier(5), RBF(12)]


@pytest.mark.parametrize("basis", BASES, ids=lambda b: type(b).__name__)
def test_derivatives_and_antiderivatives_match_differences(basis):
    bound = basis.bind(Z)
    z = np.linspace(-1.9, 2.9, 23) + 0.013
    h = 1e-6
    for order in (-1, 0):
        ahead, behind = bound.design(z + h, order), bound.design(z - h, order)
        exact = bound.design(z, order + 1)
        np.testing.assert_allclose(
            (ahead - behind) / (2 * h), exact, atol=1e-5 * np.abs(exact).max()
        )


@pytest.mark.parametrize("basis", BASES, ids=lambda b: type(b).__name__)
def test_bases_exclude_the_constant_and_fits_allow_one(basis):
    bound = basis.bind(Z)
    design = bound.design(Z)
    assert design.shape == (80, bound.n_functions)
    with_constant = np.column_stack([design, np.ones(80)])
    assert np.linalg.matrix_rank(with_constant) == bound.n_functions + 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Polynomial(0),
        lambda: BSpline(3),
        lambda: Fourier(0),
        lambda: Fourier(2, stretch=0.5),
        lambda: RBF(1),
        lambda: RBF(4, width=-1),
        lambda: CustomBasis([], []),
        lambda: Polynomial(2).design(Z),
        lambda: BSpline(8).design(Z),
        lambda: CustomBasis([np.sin], [np.cos]).bind(Z).design(Z, 2),
        lambda: fit_branch("cubic", Z, Z),
        lambda: fit_branch(Polynomial(2), Z, Z, extrapolate="wild"),
    ],
)
def test_rejects_bad_parameters(make):
    with pytest.raises(InvalidOptionError):
        make()


@pytest.mark.parametrize("make", [lambda e: Polynomial(3, low=e), lambda e: Fourier(3, e, 1)])
def test_rejects_ends_that_are_not_numbers(make):
    with pytest.raises(InvalidOptionError):
        make(np.zeros(2))
