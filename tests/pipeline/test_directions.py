"""Tests of functions made of grown directions."""

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from direction_problems import draw_samples
from unbraid import Polynomial
from unbraid.data._splitting import split_samples
from unbraid.pipeline._branch_count import CountStatus
from unbraid.pipeline._directions import (
    can_grow,
    count_directions,
    find_branches,
    fit_grown_directions,
)
from unbraid.pipeline._pattern import group_directions
from unbraid.pipeline._pipeline import measure_held_out_error
from unbraid.pipeline._state import FitSettings
from unbraid.solvers import VarPro

SETTINGS = FitSettings(VarPro(random_state=0), "auto", True, True)


def grow(samples, tolerance=0.01):
    parts = samples.subset(slice(60, None)), samples.subset(slice(0, 60))
    grown = fit_grown_directions(SETTINGS, *parts, tolerance, 6)
    return grown, measure_held_out_error(grown.state).function


@pytest.fixture(scope="module")
def grown():
    return grow(draw_samples(300, noise=0.02))


def test_every_output_has_its_own_curves(grown):
    function = grown[1]
    assert function.held_out_error.max() < 10
    assert np.all(np.count_nonzero(function.W, axis=0) == 1)
    assert len(set(group_directions(function.V))) <= 4  # two directions, two linear terms


def test_inputs_without_effect_have_zeros(grown):
    function = grown[1]
    of_first = function.V[:, function.W[0] != 0]
    assert np.all(of_first[2] == 0)


def test_table_has_all_numbers_of_directions(grown):
    count = count_directions(grown[0], 0.01, 6, CountStatus.MAX_DIRECTIONS)
    assert [row.n_branches for row in count.table] == list(range(len(count.table)))
    assert "directions" in count.message


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(grown, scale):
    function = grow(draw_samples(300, noise=0.02, scale=scale))[1]
    assert np.array_equal(function.V != 0, grown[1].V != 0)
    assert np.allclose(function.held_out_error, grown[1].held_out_error, rtol=1e-3)


def test_exact_sums_may_be_branches():
    state = grow(draw_samples(300))[0]
    assert find_branches(state, 0.01, 12) is not None


def test_a_small_linear_term_is_no_branch():
    def force(p):
        return np.tanh(p[:, 0] + 0.5 * p[:, 1]) + 0.3 * p[:, 2] ** 2

    points = unbraid.sampling.uniform(500, [-2, -2, -2], [2, 2, 2], random_state=0)
    settings = replace(SETTINGS, solver=VarPro(random_state=7))
    fitted, held_out = split_samples(unbraid.sample(force, points), 0.2)
    grown = fit_grown_directions(settings, fitted, held_out, 0.01, 12)
    grown = replace(grown, state=measure_held_out_error(grown.state))
    assert grown.n_linear == 1
    assert find_branches(grown, 0.01, 12).n_branches == 2


def test_needs_a_free_basis_and_both_parts():
    assert can_grow(SETTINGS, 4)
    assert not can_grow(SETTINGS, 100)
    assert not can_grow(FitSettings(VarPro(), Polynomial(3), True), 4)
    assert not can_grow(FitSettings(VarPro(jacobian_weight=0.0), "auto", True), 4)
    assert not can_grow(FitSettings(unbraid.solvers.Implicit(), "auto", False), 4)


def test_constant_outputs_are_allowed():
    samples = draw_samples(200)
    constant = unbraid.Samples(
        samples.points,
        samples.values * [1, 0] + [0, 3],
        samples.jacobians * np.array([1, 0])[:, None],
    )
    function = grow(constant)[1]
    assert np.allclose(function(samples.points)[:, 1], 3)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_product_and_a_parabola_are_not_mixed(seed):
    points = np.random.default_rng(seed).uniform([0, -1, 10], [40, 1, 90], (200, 3))
    d = unbraid.decouple(
        lambda p: p[:, 0] * p[:, 2] + 900 * p[:, 1] ** 2, points, random_state=seed
    )
    assert d.held_out_error[0] < 1e-8
    described = d.describe(names=["flow", "valve", "heat"])
    assert described.terms["f"][0].inputs == ("flow", "heat")
    assert described.interactions[0].label == "product of flow and heat"
