"""The toy problem of the paper."""

import numpy as np

from unbraid.cases import toy_decoupled, toy_polynomial, toy_samples
from unbraid.sources import PolynomialFunction


def test_toy_problem_is_the_published_one():
    f = toy_polynomial()
    assert isinstance(f, PolynomialFunction)
    points = toy_samples(100, random_state=5).points
    assert points.shape == (100, 2)
    assert np.abs(points).max() <= 1.5
    assert np.allclose(f(points), toy_decoupled(points))


def test_both_forms_of_the_toy_problem_agree():
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (50, 2))
    np.testing.assert_allclose(
        toy_polynomial()(points), toy_decoupled(points), rtol=1e-11, atol=1e-9
    )
