"""Tests of base."""

from dataclasses import dataclass

import numpy as np

from unbraid.solvers._base import StopCriteria, iterate
from unbraid.solvers._status import Status


@dataclass(frozen=True)
class Guess:
    loss: float


def test_iterate_that_is_not_finite_ends_the_run_at_the_best_before_it():
    losses = iter([0.5, np.nan])
    run = iterate(lambda _: Guess(next(losses)), Guess(1.0), StopCriteria(10))
    assert run.best == Guess(0.5)
    assert run.status is Status.NOT_FINITE
    assert not run.status.converged
