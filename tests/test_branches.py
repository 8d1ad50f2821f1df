"""Bases, branches, continuation outside the data, and the decoupled function made of them."""

import numpy as np
import pytest

from unbraid import (
    RBF,
    BSpline,
    CustomBasis,
    DecoupledFunction,
    Fourier,
    InvalidOption,
    InvalidSamples,
    PiecewiseLinear,
    Polynomial,
)
from unbraid.model._branch import fit_branch

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
def test_no_basis_holds_the_constant_but_its_fit_allows_one(basis):
    bound = basis.bind(Z)
    design = bound.design(Z)
    assert design.shape == (80, bound.n_functions)
    with_constant = np.column_stack([design, np.ones(80)])
    assert np.linalg.matrix_rank(with_constant) == bound.n_functions + 1


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


def test_polynomial_in_monomials():
    branch = fit_branch(Polynomial(3), Z, 7 + Z - 2 * Z**3)
    constant, powers = branch.curve.basis.monomials(branch.curve.coefficients)
    np.testing.assert_allclose(powers, [1, 0, -2], atol=1e-10)
    assert np.isfinite(constant)


def test_nonparametric_branch_interpolates():
    branch = fit_branch(None, Z, np.sin(Z), np.cos(Z))
    z = np.linspace(Z[0], Z[-1], 200)
    np.testing.assert_allclose(branch(z), np.sin(z), atol=1e-4)
    np.testing.assert_allclose(branch.derivative(z), np.cos(z), atol=3e-3)


@pytest.mark.parametrize("basis", [*BASES, None], ids=lambda b: type(b).__name__)
def test_linear_continuation_is_tame_and_continuous(basis):
    branch = fit_branch(basis, Z, np.sin(Z), np.cos(Z))
    low, high = branch.interval
    for edge, sign in ((low, -1), (high, 1)):
        beyond = edge + sign * np.array([1e-9, 1.0, 100.0])
        slope = branch.derivative(edge)
        np.testing.assert_allclose(
            branch(beyond), branch(edge) + slope * (beyond - edge), atol=1e-6
        )
        np.testing.assert_allclose(branch.derivative(beyond), slope)


def test_other_continuations():
    wild = fit_branch(Polynomial(3), Z, Z**3, extrapolate="basis")
    np.testing.assert_allclose(wild(10.0) - wild(0.0), 1000, rtol=1e-9)
    np.testing.assert_allclose(wild.derivative(10.0), 300, rtol=1e-9)
    none = fit_branch(Polynomial(3), Z, Z**3, extrapolate="nan")
    assert np.isnan(none(10.0))
    assert np.isnan(none.derivative(10.0))
    assert np.isfinite(none(0.0))


def test_small_samples_shrink_splines_and_refuse_polynomials():
    assert fit_branch(BSpline(12), Z[:8], Z[:8]).n_parameters == 3
    with pytest.raises(InvalidOption, match="distinct z"):
        fit_branch(Polynomial(9), Z[:8], Z[:8])


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
def test_bad_bases(make):
    with pytest.raises(InvalidOption):
        make()


def make_function():
    rng = np.random.default_rng(1)
    branches = (fit_branch(BSpline(9), Z, np.sin(Z)), fit_branch(Polynomial(3), Z, Z**3))
    return DecoupledFunction(
        rng.standard_normal((3, 2)), rng.standard_normal((4, 2)), branches, np.arange(3.0)
    )


def test_function_jacobian_matches_differences():
    d = make_function()
    points = np.random.default_rng(2).standard_normal((6, 4))
    J = d.jacobian(points)
    for l in range(4):
        step = 1e-6 * np.eye(4)[l]
        np.testing.assert_allclose(
            J[:, :, l], (d(points + step) - d(points - step)) / 2e-6, atol=1e-6
        )


def test_counts():
    d = make_function()
    assert d.n_parameters == 6 + 8 + (8 + 3) + 3
    assert d.degrees_of_freedom == d.n_parameters - 2
    assert (d.n_inputs, d.n_outputs, d.n_branches) == (4, 3, 2)
    assert "28 parameters" in repr(d)


def test_function_refuses_other_inputs():
    with pytest.raises(InvalidSamples, match="4 inputs"):
        make_function()(np.ones((5, 3)))
