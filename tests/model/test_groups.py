"""Groups of directions, and the terms that they make."""

import numpy as np
import pytest

from branch_examples import polynomial_branch
from unbraid.model._canonical_form import make_canonical_form
from unbraid.model._groups import group_directions
from unbraid.model._terms import divide_output, find_output_spreads

POINTS = np.random.default_rng(0).uniform(-1, 1, (400, 3))
SQUARE = polynomial_branch(0.0, 1.0, extrapolate="basis")
CUBIC = polynomial_branch(0.0, 0.0, 1.0, extrapolate="basis")


def divide(weights, directions, branches, points=POINTS):
    """Groups and terms of one output."""
    V = np.array(directions, dtype=float).T
    W = np.array([weights], dtype=float)
    form = make_canonical_form(W, V, branches, np.zeros(1), points)
    x = form.standardise(points)
    groups = group_directions(form, x, 0, float(find_output_spreads(form, points)[0]))
    return groups, divide_output(form, x, groups, 0)


def test_directions_over_the_same_inputs_are_a_group():
    groups, _ = divide([1, -1, 1], [[1, 1, 0], [1, -1, 0], [0, 0, 1]], [SQUARE] * 3)
    assert [group.inputs for group in groups] == [(0, 1), (2,)]
    assert [group.directions for group in groups] == [(0, 1), (2,)]


def test_curve_that_completes_a_product_joins_its_group():
    """x y^2 is the sum of three cubes; 3 y^2 makes it (3 + x) y^2, and 3 y^3 does not."""
    directions = [[1, 1, 0], [1, -1, 0], [1, 0, 0], [0, 1, 0]]
    weights, cubes = [1 / 6, 1 / 6, -1 / 3, 3], [CUBIC] * 3
    groups, found = divide(weights, directions, [*cubes, SQUARE])
    assert [group.inputs for group in groups] == [(0, 1)]
    assert found.terms[0].share == pytest.approx(1)
    groups, _ = divide(weights, directions, [*cubes, CUBIC])
    assert (0, 1) in [group.inputs for group in groups]
    assert (1,) in [group.inputs for group in groups]


def test_nearly_parallel_curves_that_cancel_depend_on_the_small_entry():
    """(z + e y)^3 - (z - e y)^3 is about 6 e z^2 y."""
    groups, found = divide([50, -50], [[1, 0.01, 0], [1, -0.01, 0]], [CUBIC] * 2)
    assert [group.inputs for group in groups] == [(0, 1)]
    assert found.terms[0].share == pytest.approx(1)


def test_nearly_parallel_curves_that_add_depend_on_one_input():
    groups, _ = divide([1, 1], [[1, 0.01, 0], [1, -0.01, 0]], [CUBIC] * 2)
    assert [group.inputs for group in groups] == [(0,)]


def test_linear_part_goes_to_the_direction_that_explains_it():
    """A ridge with a slope of its own, and a parabola of one of its inputs."""
    steep = polynomial_branch(1.0, 0.0, 1.0, extrapolate="basis")
    _, found = divide([1, 1], [[0.6, 0.8, 0], [1, 0, 0]], [steep, SQUARE])
    ridge, parabola = found.terms[:2]
    assert ridge.inputs == (0, 1)
    assert parabola.inputs == (0,)
    h = 0.4 * POINTS[:, 0] ** 2
    assert parabola.values.std() == pytest.approx((1.5 * h / 0.4).std(), rel=0.05)
    assert sum(term.share for term in found.terms[2:]) < 1e-6


def test_slope_without_a_direction_is_a_term():
    line = polynomial_branch(1.0)
    _, found = divide([1, 1], [[1, 0, 0], [0, 1, 0]], [SQUARE, line])
    linear = [term for term in found.terms if term.group is None and term.share > 1e-6]
    assert [term.inputs for term in linear] == [(1,)]
    assert found.shares.sum() + sum(t.share for t in linear) == pytest.approx(1)


def test_slope_across_a_ridge_is_a_term_of_its_own():
    steep = polynomial_branch(0.0, 0.0, 1.0, extrapolate="basis")
    line = polynomial_branch(3.0)
    _, found = divide([1, 1], [[0.6, 0.8, 0], [1, 0, 0]], [steep, line])
    linear = [term for term in found.terms if term.group is None and term.share > 1e-3]
    assert [term.inputs for term in linear] == [(0,)]
