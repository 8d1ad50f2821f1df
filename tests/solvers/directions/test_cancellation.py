"""Tests of curves that cancel."""

import numpy as np
import pytest

from unbraid import Samples
from unbraid.solvers.directions._cancellation import avoid_cancellation, measure_cancellation
from unbraid.solvers.directions._descent import fit_directions
from unbraid.solvers.directions._fit import fit_coefficients, total_error, validation_errors
from unbraid.solvers.directions._problem import make_direction_problem

CLOSE = np.array([[1.0, 0.15], [1.0, -0.15]])


@pytest.fixture(scope="module")
def problem():
    """A load times a saturating function of another input, with the mean of the load."""
    slip, load = np.random.default_rng(0).uniform([-2, 1], [2, 6], (400, 2)).T
    values = load * np.tanh(2 * slip)
    slopes = np.column_stack([2 * load / np.cosh(2 * slip) ** 2, np.tanh(2 * slip)])
    samples = Samples(np.column_stack([slip, load]), values[:, None], slopes[:, None])
    return make_direction_problem(samples.subset(slice(80, None)), samples.subset(slice(80)), 0.1)


def test_curves_along_close_directions_cancel(problem):
    assert measure_cancellation(problem, fit_directions(problem, CLOSE, 12)) > 1.5


def test_curves_of_separate_inputs_do_not_cancel(problem):
    fit = fit_coefficients(problem, np.eye(2), 12)
    assert measure_cancellation(problem, fit) == pytest.approx(1.0, abs=0.05)


def test_a_curve_of_one_input_avoids_cancellation(problem):
    fit = fit_directions(problem, CLOSE, 12)
    better = avoid_cancellation(problem, fit, 0.15)
    assert measure_cancellation(problem, better) < 1.3
    assert np.array_equal(better.directions[2], [1.0, 0.0])
    errors = [total_error(validation_errors(problem, found)) for found in (better, fit)]
    assert errors[0] < errors[1]


def test_directions_without_cancellation_stay(problem):
    fit = fit_coefficients(problem, np.eye(2), 12)
    assert avoid_cancellation(problem, fit, 0.15) is fit
