"""Tests of slopes."""

import numpy as np
import pytest

from solvers.filtered.problems import CENTRAL, axes_of, random_problem
from solvers.problems import cubic_problem
from unbraid import Filter
from unbraid.solvers.filtered import _als as als
from unbraid.solvers.filtered import _slopes as slopes
from unbraid.solvers.filtered._als import FilterObjective
from unbraid.solvers.filtered._slopes import BandedCholesky, SlopeOperator, SlopeSolver


@pytest.mark.parametrize("bands", [[[1.0, 1.0], [5.0, 0.0]], [[1.0] * 3, [5.0] * 3, [0.0] * 3]])
def test_rejects_an_indefinite_banded_matrix(bands):
    with pytest.raises(ArithmeticError, match="definite"):
        BandedCholesky(np.array(bands))


def test_slopes_without_weight_stay_zero():
    problem, _, V = cubic_problem(r=1)
    axes = (problem.axis(0, V[:, 0]),)
    solver = SlopeSolver(SlopeOperator(CENTRAL.data, axes), np.zeros((1, 1)))
    right = np.ones(len(axes[0].abscissae) - 1)
    np.testing.assert_array_equal(solver.solve(right), np.zeros_like(right))


def test_solves_many_right_hand_sides_like_one(rng):
    problem, W, V, _ = random_problem(0, 2, 2, 3, 30)
    objective = FilterObjective((Filter("left"), Filter("right")), accuracy=1e-10)
    solver = objective.make_solver(axes_of(problem, V), W, V, np.ones((2, 3)))
    sides = rng.standard_normal((solver.operator.matrices[0].shape[1], 4))
    together = solver.solve(sides.copy())
    for side, found in zip(sides.T, together.T, strict=True):
        np.testing.assert_allclose(found, solver.solve(side.copy()), atol=1e-6)


def test_several_cores_give_the_same_slopes(monkeypatch):

    problem, W, V, _ = random_problem(1, 2, 2, 3, 40)
    objective = FilterObjective((Filter("left"), Filter("right")), accuracy=1e-10)
    alone = als.update_g(
        problem, objective.make_solver(axes_of(problem, V), W, V, np.ones((2, 3))), W, V
    )
    monkeypatch.setattr(slopes, "THREADED_FILTER_POINTS", 10)
    solver = objective.make_solver(axes_of(problem, V), W, V, np.ones((2, 3)))
    assert len(solver.operator.matrices) == 2
    np.testing.assert_allclose(als.update_g(problem, solver, W, V), alone, atol=1e-7)
