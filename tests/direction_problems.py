"""Problems for the tests of directions: a saturation, a parabola, linear terms."""

import numpy as np

from unbraid import Samples
from unbraid.solvers.directions._problem import make_direction_problem

DIRECTIONS = np.array([[0.6, 0.8, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])


def draw_samples(n_points=300, seed=0, noise=0.0, scale=1.0):
    """Samples of two outputs of four inputs, with noise in values and Jacobians."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(-1, 1, (n_points, 4))
    a, b = p @ DIRECTIONS.T[:, 0], p[:, 2]
    values = np.column_stack([np.tanh(2 * a) + 0.5 * p[:, 3], b**2 + p[:, 0]])
    slopes = np.zeros((n_points, 2, 4))
    slopes[:, 0] = (2 / np.cosh(2 * a) ** 2)[:, None] * DIRECTIONS[0]
    slopes[:, 0, 3] += 0.5
    slopes[:, 1, 2], slopes[:, 1, 0] = 2 * b, 1.0
    values += noise * rng.normal(size=values.shape)
    slopes += noise * rng.normal(size=slopes.shape)
    return Samples(scale * p, values, slopes / scale)


def make_problem(n_points=300, slope_weight=0.1, **options):
    samples = draw_samples(n_points, **options)
    held = n_points // 5
    return make_direction_problem(
        samples.subset(slice(held, None)), samples.subset(slice(0, held)), slope_weight
    )
