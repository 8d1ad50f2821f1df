"""Tests of the growth of directions."""

import numpy as np

from direction_problems import DIRECTIONS, make_problem
from unbraid.solvers.directions._growth import DirectionStep, choose_step, grow_directions


def fake_steps(errors):
    class Fit:
        def __init__(self, count):
            self.directions = np.zeros((count, 2))

    return [DirectionStep(Fit(k), np.array([error])) for k, error in enumerate(errors)]


def test_finds_the_directions_of_a_sum():
    problem = make_problem()
    steps = grow_directions(problem, 6, 0.01, np.random.default_rng(0))
    chosen = choose_step(steps, 0.01)
    assert chosen.n_directions == 2
    true = problem.standardise_directions(DIRECTIONS.T)
    cosines = np.abs(true @ chosen.fit.directions.T)
    assert cosines.max(axis=1).min() > 0.999


def test_stops_when_asked():
    steps = grow_directions(make_problem(), 6, 0.01, np.random.default_rng(0), lambda n, e: True)
    assert len(steps) == 2


def test_slow_gains_are_not_worth_a_direction():
    assert choose_step(fake_steps([40, 8, 2.4, 2.1, 1.8, 1.6]), 0.01).n_directions == 2


def test_a_direction_that_completes_a_sum_is_kept():
    assert choose_step(fake_steps([60, 9, 8, 7, 6, 0.02]), 0.01).n_directions == 5


def test_errors_below_the_tolerance_are_equal():
    assert choose_step(fake_steps([60, 4, 0.9, 0.3]), 1.0).n_directions == 2


def test_poor_fits_take_all_that_helps():
    assert choose_step(fake_steps([90, 80, 70, 65]), 0.01).n_directions == 3
