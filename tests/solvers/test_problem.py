"""Tests of the samples in the coordinates of a solver."""

import numpy as np

from unbraid import Samples
from unbraid.solvers._problem import make_problem


def test_inputs_without_effect_do_not_move_known_directions():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (200, 4)) * [50.0, 3000.0, 20.0, 1e-3]
    V = np.array([[0.0, 0.0], [1e-19, -1e-18], [0.9, 0.4], [0.4, -0.9]])
    z = points @ V
    jacobians = np.einsum("ki,li->kl", np.column_stack([2 * z[:, 0], np.ones(200)]), V)
    problem = make_problem(Samples(points, z[:, 0] ** 2 + z[:, 1], jacobians[:, None]), 2)
    _, inside = problem.from_user(np.ones((1, 2)), V)
    np.testing.assert_allclose(problem.lift_V @ inside, V, atol=1e-12)
