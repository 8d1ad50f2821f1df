"""Tests of simpler directions."""

import numpy as np
import pytest

from direction_problems import DIRECTIONS, make_problem
from unbraid.solvers.directions._simplification import Simplifier, merge_parallel


@pytest.fixture(scope="module")
def problem():
    return make_problem(noise=0.05)


@pytest.fixture(scope="module")
def true(problem):
    return problem.standardise_directions(DIRECTIONS.T)


def test_finds_the_zeros(problem, true):
    rough = true + 0.02 * np.random.default_rng(0).normal(size=true.shape)
    found = Simplifier(problem, 12, 0.05).run(rough)
    assert np.array_equal(found.pattern, true != 0)


def test_keeps_zeros_that_are_given(problem, true):
    rows = true.copy()
    rows[0, 1] = 0.0
    assert Simplifier(problem, 12, 0.05).run(rows).fit.directions[0, 1] == 0


def test_drops_what_is_not_needed(problem, true):
    found = Simplifier(problem, 12, 0.05).run(np.vstack([true, [[0.5, 0.5, -0.5, 0.5]]]))
    assert len(found.pattern) == 2


def test_joins_directions_that_are_close(problem, true):
    twin = true[:1] + np.array([[0.05, -0.05, 0.0, 0.0]])
    assert len(Simplifier(problem, 12, 0.05).run(np.vstack([true, twin])).pattern) == 2


def test_keeps_all_directions_if_told(problem, true):
    extra = np.vstack([true, [[0.5, 0.5, -0.5, 0.5]]])
    assert len(Simplifier(problem, 12, 0.05).run(extra, may_remove=False).pattern) == 3


def test_nothing_is_lost_without_an_increase():
    problem = make_problem()
    exact = problem.standardise_directions(DIRECTIONS.T)
    found = Simplifier(problem, 24, 0.0).run(exact)
    assert len(found.pattern) == 2
    assert np.all(found.pattern[exact != 0])


def test_merge_keeps_the_first_of_parallel_rows():
    rows = np.array([[1.0, 0.0], [0.9999, 0.014], [0.0, 1.0], [-1.0, 0.0]])
    assert np.array_equal(merge_parallel(rows, 3.0), rows[[0, 2]])
    assert merge_parallel(np.empty((0, 2)), 3.0).shape == (0, 2)
