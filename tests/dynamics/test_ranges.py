"""Tests of how records use the range of the training data."""

from __future__ import annotations

import numpy as np

from narx.systems import make_random_function
from unbraid.dynamics._ranges import measure_branch_use, measure_signal_use, measure_use


def test_share_and_excess():
    use = measure_use("u", "input", -1.0, 1.0, np.array([-1.0, 0.0, 1.0, 2.0]))
    assert (use.share, use.excess, use.is_left) == (0.25, 0.5, True)


def test_rounding_does_not_leave_a_range():
    assert measure_use("u", "input", 1e9, 1e9 + 1, np.array([1e9 - 1e-7])).share == 0


def test_a_constant_training_signal_has_no_width():
    use = measure_use("u", "input", 1.0, 1.0, np.array([1.0, 2.0]))
    assert (use.share, use.excess) == (0.5, np.inf)
    assert measure_use("u", "input", 1.0, 1.0, np.array([1.0])).excess == 0.0


def test_range_of_a_branch_is_that_of_all_data_it_saw():
    d = make_random_function(np.random.default_rng(0), 2, 1, 2, 0.5)
    table = np.random.default_rng(1).uniform(-20, 20, (300, 2))
    alone = measure_branch_use(d, table, None)
    assert [(use.low, use.high) for use in alone] == [b.interval for b in d.branches]
    z = np.abs(table @ d.V[:, 0])
    assert alone[0].share == np.mean(z > d.branches[0].interval[1])
    assert not any(use.is_left for use in measure_branch_use(d, table, table))


def test_signals_have_their_names():
    seen, here = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.5, 3.0]])
    uses = measure_signal_use(["a", "b"], "input", here, seen)
    assert [(use.name, use.share) for use in uses] == [("a", 0.0), ("b", 1.0)]
