"""Tests of method."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from solvers.filtered.problems import CENTRAL
from solvers.problems import cubic_problem
from unbraid import BranchConstraint, Samples
from unbraid.solvers.filtered import _als as als
from unbraid.solvers.filtered._method import estimate_pointwise_derivatives, with_detected_breaks


@pytest.mark.parametrize("v", [(1.0, -1.0), (1.0004, -1.0), (-1.0, 1.0004)])
def test_detected_break_has_the_sign_of_the_branch(v):
    points = unbraid.sampling.uniform(200, [-1, -1], [1, 1], random_state=0)
    direction = np.array(v) / np.linalg.norm(v)
    direction *= np.sign(direction[0])  # as V comes out: of entries as large, the first is positive
    z = points @ direction
    values = 0.2 * z + 2 * np.maximum(0, z - 0.3)
    slopes = (0.2 + 2 * (z > 0.3))[:, None] * direction
    samples = Samples(points, values, slopes[:, None, :])
    d = unbraid.decouple(
        samples,
        n_branches=1,
        method="implicit",
        constraints=BranchConstraint(breaks=(0.3,)),
        basis=None,
    )
    assert d.fitted_error[0] < 1e-6


def test_detects_breaks_only_where_asked():
    kept = BranchConstraint(breaks=(0.25,))
    problem, W, V = cubic_problem(N=200, constraints=(kept, BranchConstraint(breaks="detect")))
    state = als.make_first_state(problem, CENTRAL, W, V)
    first, second = with_detected_breaks(problem, state).constraints
    assert first is kept
    assert second.breaks == ()


def test_equal_branches_keep_their_filtered_derivatives():
    problem, W, V = cubic_problem()
    state = als.make_first_state(problem, CENTRAL, W[:, [0, 0]], V[:, [0, 0]])
    np.testing.assert_array_equal(
        estimate_pointwise_derivatives(problem, state), state.mean_derivatives
    )
