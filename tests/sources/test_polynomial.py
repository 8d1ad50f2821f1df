"""Polynomials in monomials: exact Jacobians, and arguments that are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid import InvalidSamplesError, PolynomialFunction, sample
from unbraid.metrics import monomial_count
from unbraid.sources import monomial_exponents


@given(seed=st.integers(0, 1000), m=st.integers(1, 4), degree=st.integers(1, 4))
def test_polynomial_jacobian_is_exact(seed, m, degree):
    rng = np.random.default_rng(seed)
    exponents = monomial_exponents(m, degree, lowest=0)
    f = PolynomialFunction(rng.standard_normal((2, len(exponents))), exponents)
    points = rng.standard_normal((5, m))
    numerical = sample(
        lambda p: np.prod(p[:, None, :] ** exponents, axis=2) @ f.coefficients.T, points
    )
    np.testing.assert_allclose(f(points), numerical.values, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(f.jacobian(points), numerical.jacobians, rtol=1e-8, atol=1e-8)
    assert f.degree == degree


@pytest.mark.parametrize(
    ("coefficients", "exponents"),
    [([[1.0, 2.0]], [[1, 0]]), ([[1.0]], [[-1, 0]]), ([[1.0]], [[0.5, 0]])],
)
def test_rejects_bad_polynomials(coefficients, exponents):
    with pytest.raises(InvalidSamplesError):
        PolynomialFunction(coefficients, exponents)


def test_rejects_the_wrong_number_of_inputs():
    with pytest.raises(InvalidSamplesError, match="2 inputs"):
        PolynomialFunction([[1.0]], [[1, 1]])([[1.0]])


def test_no_monomials_if_the_lowest_degree_is_above_the_highest():
    assert monomial_count(3, 1, lowest=2) == 0
