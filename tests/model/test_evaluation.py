"""Tests of the evaluation at points."""

import numpy as np

from unbraid import DecoupledFunction, Polynomial
from unbraid.model._branch_fit import fit_branch
from unbraid.model._evaluation import is_inside

WIDE, NARROW = np.linspace(-2, 2, 20), np.linspace(0, 1, 20)
BRANCHES = tuple(fit_branch(Polynomial(2), z, z**2) for z in (WIDE, NARROW))


def test_a_point_is_inside_if_every_branch_is():
    z = np.array([[0.0, 0.5], [-2.0, 1.0], [0.0, -0.1], [2.1, 0.5], [3.0, 3.0]])
    assert is_inside(BRANCHES, z).tolist() == [True, True, False, False, False]


def test_values_come_with_inside_on_request():
    d = DecoupledFunction(np.ones((1, 2)), np.eye(2), BRANCHES, np.zeros(1))
    points = np.array([[0.5, 0.5], [0.5, 2.0]])
    values, inside = d(points, return_inside=True)
    np.testing.assert_array_equal(values, d(points))
    assert inside.dtype == bool
    assert inside.tolist() == [True, False]
    assert isinstance(d(points), np.ndarray)
