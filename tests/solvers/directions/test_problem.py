"""Tests of standardised samples."""

import numpy as np

from direction_problems import draw_samples, make_problem
from unbraid import Samples
from unbraid.solvers.directions._problem import make_direction_problem


def test_units_do_not_matter():
    plain, scaled = make_problem(), make_problem(scale=1e6)
    assert np.allclose(plain.points, scaled.points)
    assert np.allclose(plain.jacobians, scaled.jacobians)


def test_constant_columns_have_a_spread_of_one():
    samples = draw_samples(50)
    points, values = samples.points.copy(), samples.values.copy()
    points[:, 1], values[:, 0] = 7.0, 3.0
    constant = Samples(points, values, samples.jacobians)
    problem = make_direction_problem(constant, constant, 0.1)
    assert problem.spread[1] == problem.output_spread[0] == 1
    assert np.all(problem.points[:, 1] == 0)
