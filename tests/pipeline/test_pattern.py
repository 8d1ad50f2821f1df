"""Tests of fits that keep the pattern of a function."""

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from direction_problems import draw_samples
from unbraid import BSpline, DecoupledFunction, Polynomial
from unbraid.model._branch_fit import fit_branch
from unbraid.pipeline._fitted_function import with_offset
from unbraid.pipeline._pattern import find_free_changes, group_directions, has_pattern

SAMPLES = draw_samples(200)


def make_function(V, W, bases):
    z = SAMPLES.points @ V
    branches = tuple(fit_branch(basis, z[:, i], z[:, i]) for i, basis in enumerate(bases))
    return with_offset(DecoupledFunction(W, V, branches, np.zeros(2)), SAMPLES)


@pytest.fixture(scope="module")
def function():
    """A direction with a curve per output, one with zeros, and a linear term."""
    V = np.array([[0.5, 0.5, 0.0, 0.3], [0.9, 0.9, 0.0, 0.2], [0, 0, 1, 0], [0, 0, 0, 0.5]])
    W = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    return make_function(V, W, [BSpline(8), BSpline(8), BSpline(8), Polynomial(1)])


def test_refine_keeps_zeros_directions_and_bases(function):
    refined = unbraid.refine(function, SAMPLES, max_iterations=20)
    assert refined.fitted_error.max() < 0.5 * function.fitted_error.max()
    order = [int(np.argmax(np.abs(refined.V.T @ v))) for v in function.V.T[[0, 2]]]
    assert refined.V[2, order[0]] == refined.V[3, order[0]] == 0
    assert np.count_nonzero(refined.V[:, order[1]]) == 1
    assert len(set(group_directions(refined.V))) == 3
    sizes = sorted(branch.n_parameters for branch in refined.branches)
    assert sizes == [1, 7, 7, 7]


def test_dense_functions_have_no_pattern(function):
    assert has_pattern(function)
    rng = np.random.default_rng(0)
    dense = replace(function, V=rng.normal(size=(4, 4)))
    assert not has_pattern(dense)
    assert not has_pattern(replace(dense, V=dense.V * [[1], [0], [1], [1]]))  # an unused input


def test_free_changes_turn_shared_directions_together(function):
    free = find_free_changes(function, function.W, function.V)
    changes_V = free[8:].reshape(4, 4, -1)  # branch, input, change
    assert np.allclose(changes_V[0], changes_V[1])
    assert np.all(changes_V[0][2:] == 0)
    assert np.all(changes_V[2] == 0)  # a single input cannot turn
    assert np.all(free[:8] == 0)  # a single output has no ratio


def test_linear_branches_turn_only_where_curves_do_not_help(function):
    free = find_free_changes(function, function.W, function.V)
    turns = free[8:].reshape(4, 4, -1)[3]
    assert np.allclose(function.V[:, 0] @ turns, 0, atol=1e-9)
