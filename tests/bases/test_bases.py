"""Tests of bases."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import unbraid
from unbraid import (
    RBF,
    Basis,
    BSpline,
    CustomBasis,
    Fourier,
    InvalidOptionError,
    PiecewiseLinear,
    Polynomial,
    SignedSquare,
)
from unbraid.model._branch_fit import fit_branch

Z = np.sort(np.random.default_rng(0).uniform(-2, 3, 80))


BASES = [Polynomial(6), BSpline(12), PiecewiseLinear(15), Fourier(5), RBF(12), SignedSquare()]


@pytest.mark.parametrize("basis", BASES, ids=lambda b: type(b).__name__)
def test_derivatives_match_differences(basis):
    bound = basis.bind(Z)
    z = np.linspace(-1.9, 2.9, 23) + 0.013
    h = 1e-6
    exact = bound.design(z, 1)
    differences = (bound.design(z + h) - bound.design(z - h)) / (2 * h)
    np.testing.assert_allclose(differences, exact, atol=1e-5 * np.abs(exact).max())


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
        lambda: SignedSquare(centre=np.inf),
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


def test_a_basis_with_one_derivative_can_be_used():
    @dataclass(frozen=True)
    class Corner(Basis):
        """|z| and z: no second derivative."""

        low: float | None = None
        high: float | None = None
        n_functions = 2
        smoothness = 0

        def bind(self, z):
            return replace(self, low=float(z.min()), high=float(z.max()))

        def design(self, z, order=0):
            if order > 1:
                raise AssertionError("there is no second derivative")
            columns = [np.abs(z), z] if order == 0 else [np.sign(z), np.ones_like(z)]
            return np.stack(columns, axis=-1)

    points = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    d = unbraid.decouple(
        lambda p: np.logaddexp(0, p @ [2.0, 1.0]), points, 1, basis=Corner(), random_state=0
    )
    assert d.held_out_error[0] < 20


def test_signed_squares_are_two_parabolas():
    basis = SignedSquare(0.4).bind(Z)
    c = np.array([0.7, -1.3])
    z = np.linspace(-4, 5, 41)
    for order in (0, 1, 2):
        np.testing.assert_allclose(
            basis.pieces(c)(z, order), basis.design(z, order) @ c, atol=1e-12
        )


@pytest.mark.parametrize("degree", [1, 3, 8, 9, 15])
@pytest.mark.parametrize("turned", [False, True])
def test_polynomials_and_splines_are_moved_to_another_interval(degree, turned):
    rng, z = np.random.default_rng(degree), np.linspace(-1.0, 2.0, 50)
    where = 5 - 2 * z if turned else 4 + 2 * z
    for basis in (Polynomial(degree), BSpline(degree + 4)):
        bound = basis.bind(z)
        coefficients = rng.standard_normal(bound.n_functions)
        moved, found, constant = bound.moved(coefficients, where.min(), where.max(), turned)
        values = bound.design(z) @ coefficients
        np.testing.assert_allclose(moved.design(where) @ found + constant, values, atol=1e-11)


@pytest.mark.parametrize("degree", [1, 3, 8, 9, 15])
def test_values_and_slopes_are_those_of_the_design(degree):
    basis, z = Polynomial(degree).bind(np.array([-1.0, 2.0])), np.linspace(-1.0, 2.0, 50)
    coefficients = np.random.default_rng(degree).standard_normal(degree)
    for order, found in enumerate(basis.linearised(z, coefficients)):
        expected = basis.design(z, order) @ coefficients
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(basis.combined(z, coefficients, order), found, atol=1e-12)
