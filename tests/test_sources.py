"""Sampling a callable: vectorised or not, exact or numerical Jacobians, and what goes wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid import (
    InvalidOption,
    InvalidSamples,
    PolynomialFunction,
    Samples,
    SamplingError,
    sample,
)
from unbraid.sources import monomial_exponents

POINTS = np.random.default_rng(0).uniform(-1, 1, (12, 2))


def table(p):
    return np.stack([np.sin(p[:, 0] * p[:, 1]), np.exp(p[:, 0])], axis=1)


def table_jacobian(p):
    c = np.cos(p[:, 0] * p[:, 1])
    zero = np.zeros(len(p))
    rows = [[c * p[:, 1], c * p[:, 0]], [np.exp(p[:, 0]), zero]]
    return np.moveaxis(np.array(rows), -1, 0)


def one_point(p):
    return [np.sin(p[0] * p[1]), np.exp(p[0])]


def refuses_complex(p):
    return table(np.asarray(p, dtype=float))


@pytest.mark.parametrize("n_points", [1, 2, 3, 12])
@pytest.mark.parametrize("f", [table, one_point])
def test_vectorised_and_pointwise_callables_agree(f, n_points):
    points = POINTS[:n_points]
    samples = sample(f, points)
    np.testing.assert_allclose(samples.values, table(points), rtol=1e-14)
    np.testing.assert_allclose(samples.jacobians, table_jacobian(points), atol=1e-13)
    assert samples.source == "by complex step"


def test_central_differences_where_complex_numbers_are_refused():
    with np.errstate(all="ignore"):
        samples = sample(lambda p: refuses_complex(p) if np.isrealobj(p) else 1 / 0, POINTS)
    error = np.abs(samples.jacobians - table_jacobian(POINTS)).max()
    assert samples.source == "by central differences"
    assert error < 1e-8
    assert 1e-12 < samples.accuracy < 1e-6


def test_complex_step_that_drops_imaginary_parts_is_not_believed():
    samples = sample(lambda p: np.abs(p[:, :1]) * p[:, 1:], POINTS)
    expected = np.stack([np.sign(POINTS[:, 0]) * POINTS[:, 1], np.abs(POINTS[:, 0])], axis=1)
    np.testing.assert_allclose(samples.jacobians[:, 0], expected, atol=1e-7)
    assert samples.source == "by central differences"


def test_single_precision_functions_get_a_larger_step():
    samples = sample(lambda p: table(np.real(p)).astype(np.float32), POINTS)
    assert np.abs(samples.jacobians - table_jacobian(POINTS)).max() < 1e-3
    assert samples.accuracy > 1e-6


@pytest.mark.parametrize("jacobian", [table_jacobian, lambda p: table_jacobian(p[None])[0]])
def test_given_jacobian(jacobian):
    samples = sample(table, POINTS, jacobian)
    np.testing.assert_array_equal(samples.jacobians, table_jacobian(POINTS))
    assert samples.source == "given"


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
    ("f", "message"),
    [
        (lambda p: 1 // int(p[0] > -2 and 0), "ZeroDivisionError"),
        (lambda p: [1.0] * (1 + int(p[0] == POINTS[3, 0])), "point 3"),
        (lambda p: np.where(p == POINTS[5], np.nan, p), "point 5"),
        (lambda p: "text", "vector"),
        (lambda p: np.ones((2, 2, 2)), "vector"),
    ],
)
def test_bad_callables_name_the_point(f, message):
    with pytest.raises(SamplingError, match=message):
        sample(f, POINTS)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, POINTS), InvalidOption, "evaluate int"),
        ((table, POINTS[:, 0]), InvalidSamples, "single input"),
        ((table, np.empty((0, 2))), InvalidSamples, "empty"),
        ((table, [[1, "a"]]), InvalidSamples, "rectangular"),
        ((table, [[1.0, np.inf]]), InvalidSamples, r"index \(0, 1\)"),
        ((table, POINTS, lambda p: np.ones(3)), SamplingError, "jacobian"),
        ((lambda p: p[:, :1], np.ones((5, 3)), lambda p: np.ones((3, 1))), SamplingError, "shape"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        sample(*arguments)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((POINTS, table(POINTS), np.ones((12, 2))), r"need \(12, 2, 2\)"),
        ((POINTS, table(POINTS)[:5], table_jacobian(POINTS)), "values has"),
        ((POINTS, table(POINTS), np.full((12, 2, 2), np.nan)), "jacobians holds"),
        ((POINTS, 1j * table(POINTS), table_jacobian(POINTS)), "complex"),
        ((np.empty((0, 2)), np.empty((0, 2)), np.empty((0, 2, 2))), "empty"),
    ],
)
def test_bad_samples(parts, message):
    with pytest.raises(InvalidSamples, match=message):
        Samples(*parts)


def test_a_vectorised_function_that_raises_names_the_point():
    def f(p):
        if np.any(p[:, 0] == POINTS[7, 0]):
            raise OverflowError("too far")
        return p[:, :1]

    with pytest.raises(SamplingError, match="point 7"):
        sample(f, POINTS)


def test_a_complex_step_is_kept_at_the_edge_of_the_domain_and_under_an_offset():
    points = np.linspace(0, 1, 11)[:, None]
    edge = sample(lambda p: p**1.5, points)
    assert edge.source == "by complex step"
    np.testing.assert_allclose(edge.jacobians[:, 0, 0], 1.5 * np.sqrt(points[:, 0]), atol=1e-12)
    assert sample(lambda p: 1e9 + np.sin(p), points).source == "by complex step"


def test_functions_of_python_numbers_leak_no_warning():
    import math

    samples = sample(lambda p: [math.sin(p[0]) * p[1]], POINTS)
    assert samples.source == "by central differences"


def test_samples_are_frozen_copies():
    points = POINTS.copy()
    samples = Samples(points, table(points), table_jacobian(points))
    points[:] = 0
    assert np.all(samples.points == POINTS)
    with pytest.raises(ValueError, match="read-only"):
        samples.points[0] = 1
    assert len(samples) == 12


@pytest.mark.parametrize(
    ("coefficients", "exponents"),
    [([[1.0, 2.0]], [[1, 0]]), ([[1.0]], [[-1, 0]]), ([[1.0]], [[0.5, 0]])],
)
def test_bad_polynomials(coefficients, exponents):
    with pytest.raises(InvalidSamples):
        PolynomialFunction(coefficients, exponents)


def test_polynomial_refuses_the_wrong_number_of_inputs():
    with pytest.raises(InvalidSamples, match="2 inputs"):
        PolynomialFunction([[1.0]], [[1, 1]])([[1.0]])
