"""Tests of the choice of curves and linear terms per output."""

import numpy as np
import pytest

from direction_problems import DIRECTIONS, make_problem
from unbraid.solvers.directions._fit import fit_coefficients
from unbraid.solvers.directions._terms import choose_terms


@pytest.fixture(scope="module")
def problem():
    return make_problem()


@pytest.mark.parametrize(
    ("output", "curves", "inputs"),
    [(0, [True, False], [False, False, False, True]), (1, [False, True], [True, *[False] * 3])],
)
def test_finds_the_terms_of_each_output(problem, output, curves, inputs):
    fit = fit_coefficients(
        problem, problem.standardise_directions(DIRECTIONS.T), 16, curve_penalty=0.0
    )
    terms = choose_terms(problem, fit, output, 0.05)
    assert terms.curves.tolist() == curves
    assert terms.inputs.tolist() == inputs
    assert np.array_equal(terms.linear != 0, inputs)


def test_an_output_without_directions_is_linear(problem):
    fit = fit_coefficients(problem, np.empty((0, 4)), 12, curve_penalty=0.0)
    assert choose_terms(problem, fit, 1, 0.05).inputs[0]
