"""Selection of the number of branches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from branch_examples import polynomial_branch, sum_of_branches
from hardening.plain import P
from pipeline_states import state_of, toy_state
from unbraid import Samples, UnbraidError
from unbraid.pipeline._branch_count import (
    CountStatus,
    choose_branch_count,
    drop_negligible_branches,
)
from unbraid.solvers import Status

ERRORS = [50.0, 5.0, 1.0, 0.99, 0.98, 0.97]  # % with 1, 2, ... branches


def state_with(r: int, **fields):
    """A state whose function has r branches of ten parameters and the error of that number."""
    error = np.array([ERRORS[r - 1]])
    branches = [polynomial_branch(*np.ones(6))] * r
    function = replace(sum_of_branches(*branches), fitted_error=error, held_out_error=error)
    return replace(toy_state(), function=function, **fields)


def test_keeps_the_smallest_number_that_is_good_enough():
    n_known = []
    count = choose_branch_count(
        lambda r, known: n_known.append(len(known)) or state_with(r), 0.01, 12, 100
    )
    assert (count.state.function.n_branches, len(count.table)) == (3, 5)
    assert n_known == [0, 1, 1, 1, 1]
    assert count.status is CountStatus.NO_GAIN


@pytest.mark.parametrize(
    ("tolerance", "max_branches", "max_parameters", "n_branches", "status"),
    [
        (6.0, 12, 100, 2, CountStatus.TOLERANCE),
        (0.01, 2, 100, 2, CountStatus.MAX_BRANCHES),
        (0.01, 12, 20, 2, CountStatus.TOO_MANY_PARAMETERS),
    ],
)
def test_says_why_it_stopped(tolerance, max_branches, max_parameters, n_branches, status):
    count = choose_branch_count(lambda r, _: state_with(r), tolerance, max_branches, max_parameters)
    assert (count.state.function.n_branches, count.status) == (n_branches, status)
    assert "{" not in count.message


def test_stops_with_the_callback():
    stopped = replace(toy_state().solution, status=Status.STOPPED)
    count = choose_branch_count(lambda r, _: state_with(r, solution=stopped), 0.01, 12, 100)
    assert (len(count.table), count.status) == (1, CountStatus.STOPPED)


def test_stops_where_another_branch_fails():
    def fit(r, known):
        if r == 2:
            raise UnbraidError("no start survived")
        return state_with(r)

    count = choose_branch_count(fit, 0.1, 5, 100)
    assert count.state.function.n_branches == 1
    assert count.status is CountStatus.FAILED
    assert "no start survived" in count.message
    assert len(count.table) == 1


def test_raises_if_one_branch_fails():
    def fit(r, known):
        raise UnbraidError("no start survived")

    with pytest.raises(UnbraidError, match="survived"):
        choose_branch_count(fit, 0.1, 5, 100)


def test_drops_negligible_branches_and_keeps_their_mean():
    d = sum_of_branches(polynomial_branch(1.0, 0.5), polynomial_branch(1e-9, 0.0))
    d = replace(d, offset=np.array([0.25]))
    samples = Samples(P, d(P), np.zeros((len(P), 1, 2)))
    small = drop_negligible_branches(state_of(d, samples), samples, tolerance=0.01).function
    assert small.n_branches == 1
    assert small.branches[0] is d.branches[0]
    np.testing.assert_allclose(small(P), d(P), atol=2e-9)
    assert small(P).mean() == pytest.approx(d(P).mean(), abs=1e-15)
