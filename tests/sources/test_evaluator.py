"""Evaluation of callables: of a table or of single points, and errors that name the point."""

import math

import numpy as np
import pytest

from sources.functions import POINTS, check_slopes, table, table_jacobian
from unbraid import InvalidSamplesError, SamplingError, sample


def one_point(p):
    return [np.sin(p[0] * p[1]), np.exp(p[0])]


@pytest.mark.parametrize("n_points", [1, 2, 3, 12])
@pytest.mark.parametrize("f", [table, one_point])
def test_vectorised_and_pointwise_callables_agree(f, n_points):
    points = POINTS[:n_points]
    samples = sample(f, points)
    np.testing.assert_allclose(samples.values, table(points), rtol=1e-14)
    np.testing.assert_allclose(samples.jacobians, table_jacobian(points), atol=1e-13)
    assert samples.source == "by complex step"


def test_evaluates_point_by_point_where_rows_are_not_independent():
    samples = sample(lambda p: p - p.mean(axis=0), POINTS)
    check_slopes(samples, lambda p: p - p.mean(axis=1, keepdims=True))


def test_accepts_a_function_of_a_point_that_also_takes_one_row():
    samples = sample(lambda p: [math.hypot(*np.ravel(p))], POINTS)
    check_slopes(samples, lambda p: np.hypot(*p.T)[:, None])


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
def test_names_the_point_of_an_error(f, message):
    with pytest.raises(SamplingError, match=message):
        sample(f, POINTS)


def test_names_the_point_where_a_vectorised_function_raises():
    def f(p):
        if np.any(p[:, 0] == POINTS[7, 0]):
            raise OverflowError("too far")
        return p[:, :1]

    with pytest.raises(SamplingError, match="point 7"):
        sample(f, POINTS)


def test_lists_points_with_values_that_are_not_finite():
    def f(p):
        return np.where(p[:, :1] > 0, p[:, :1], np.nan)

    points = np.random.default_rng(1).uniform(-1.5, 1.5, (40, 2))
    listed = ", ".join(map(str, np.flatnonzero(points[:, 0] <= 0)[:10]))
    with pytest.raises(SamplingError, match=f"point {listed}, "):
        sample(f, points)


def test_passes_on_errors_of_the_package():
    def fenced(p):
        if np.any(np.real(p) > POINTS.max()):
            raise InvalidSamplesError("a point lies beyond the fence")
        return np.abs(p).astype(float)

    with pytest.raises(InvalidSamplesError, match=r"^a point lies beyond the fence$"):
        sample(fenced, POINTS)
