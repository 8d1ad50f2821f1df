"""Stage 4: refinement on validation points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pipeline_states import toy_state
from unbraid import Samples
from unbraid.pipeline._basis_selection import choose_basis
from unbraid.pipeline._polish import polish
from unbraid.pipeline._scores import mean_value_error
from unbraid.solvers import VarPro


def noisy_state():
    state, rng = toy_state(), np.random.default_rng(1)
    samples = state.fitted
    jacobians = samples.jacobians * (1 + 0.2 * rng.standard_normal(samples.jacobians.shape))
    return choose_basis(replace(state, fitted=Samples(samples.points, samples.values, jacobians)))


def test_lowers_the_error_where_the_jacobians_are_noisy():
    state = noisy_state()
    polished = polish(state)
    before, after = (mean_value_error(s.function, s.held_out) for s in (state, polished))
    assert after < 0.9 * before
    assert polished.jacobian_weight != state.jacobian_weight


def test_leaves_an_exact_fit_alone():
    state = choose_basis(toy_state())
    assert polish(state) is state


def test_does_nothing_if_not_asked_to_or_if_one_part_is_fitted():
    state = noisy_state()
    for settings in (
        replace(state.settings, refine=False),
        replace(state.settings, solver=VarPro(jacobian_weight=0.0)),
    ):
        given = replace(state, settings=settings)
        assert polish(given) is given
