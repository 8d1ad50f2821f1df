"""The toy problem of section 7.1: eq. (dec) and, expanded, eq. (coupled)."""

import numpy as np

from .._typing import Array
from ..data._samples import Samples
from ..sampling import RandomState, uniform
from ..sources import PolynomialFunction, sample

W = np.array([[3.0, 0.5, -1.0], [1.0, 2.0, 3.0]])
V = np.array([[1.0, 3.0, 0.5], [2.0, 1.0, 3.0]])
CUBIC_COEFFICIENTS = np.array([1.0, 2.0, 1.0])
SQUARE_COEFFICIENTS = np.array([0.5, 1.0, 3.0])


def toy_decoupled(points: Array) -> Array:
    """Evaluate eq. (dec): three cubic branches of two inputs, two outputs."""
    z = np.asarray(points) @ V
    return np.asarray((CUBIC_COEFFICIENTS * z**3 + SQUARE_COEFFICIENTS * z**2) @ W.T)


def toy_polynomial() -> PolynomialFunction:
    """Return eq. (coupled), the same function in monomials.

    >>> toy_polynomial().degree
    3
    """
    table = [
        [5.25, 0, -20.5, 29.875, 42.75, 31.5, -2],
        [20.75, 41, 85, 109.375, 120.75, 88.5, 93],
    ]
    exponents = [[2, 0], [1, 1], [0, 2], [3, 0], [2, 1], [1, 2], [0, 3]]
    return PolynomialFunction(table, exponents)


def toy_samples(n_points: int = 100, random_state: RandomState = None) -> Samples:
    """Sample the toy problem as in the paper, uniformly in (-1.5, 1.5)^2.

    >>> toy_samples(random_state=0)
    Samples(100 points, 2 inputs, 2 outputs, Jacobians given)
    """
    points = uniform(n_points, [-1.5, -1.5], [1.5, 1.5], random_state)
    return sample(toy_polynomial(), points)
