"""Stage 3: selection of the basis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from pipeline_states import toy_state
from unbraid import BSpline, InvalidSamplesError, Polynomial, Samples
from unbraid.pipeline._basis_selection import (
    BasisTrial,
    candidate_bases,
    choose_basis,
    compare_bases,
    select_trial,
)

SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


def test_selects_a_basis_by_jacobians_alone():
    samples = unbraid.sample(bent, SQUARE)
    blind = Samples(samples.points, np.zeros(100), samples.jacobians)
    d = unbraid.decouple(blind, n_branches=1, value_weight=0, random_state=0)
    off = unbraid.metrics.jacobian_error(samples.jacobians, d.jacobian(samples.points))
    assert off < 0.1
    with pytest.raises(InvalidSamplesError, match="'auto'"):
        unbraid.decouple(blind, n_branches="auto", value_weight=0)
    with pytest.raises(InvalidSamplesError, match="vary"):
        unbraid.decouple(blind, n_branches=1, jacobian_weight=0)


def make_trial(basis, error):
    return BasisTrial(basis, 0.0, toy_state(), error)


def test_selects_the_smallest_basis_that_is_as_good_as_the_best():
    trials = [
        make_trial(Polynomial(2), 5.0),
        make_trial(BSpline(8), 1.01),
        make_trial(BSpline(16), 1),
    ]
    assert select_trial(trials).basis == BSpline(8)
    assert select_trial([]) is None


def test_skips_a_basis_that_cannot_be_fitted():
    state = replace(toy_state(), held_out=None)
    too_large = Polynomial(200)
    trials = compare_bases(state, [too_large, Polynomial(2)], [0.0])
    assert [trial.basis for trial in trials] == [Polynomial(2)]


def test_exact_polynomial_ends_the_comparison():
    trials = compare_bases(toy_state(), [Polynomial(2), Polynomial(3), BSpline(12)], [0.0])
    assert [trial.basis for trial in trials] == [Polynomial(3)]
    assert trials[0].state.function.branches[0].margin == 1.0


def test_chooses_the_cubic_of_the_toy_problem():
    chosen = choose_basis(toy_state())
    assert {branch.curve.basis.degree for branch in chosen.function.branches} == {3}
    assert chosen.fitted_error < 1e-7


def test_candidates_grow_with_the_number_of_points():
    samples = toy_state().fitted
    few = candidate_bases(samples.subset(slice(0, 12)), 3)
    many = candidate_bases(samples, 3)
    sizes = [basis.n_functions for basis in many]
    assert sizes == sorted(sizes)
    assert len(few) < len(many)
