"""Stage 7: the fit on all points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pipeline_states import toy_state
from unbraid.cases import toy_samples
from unbraid.pipeline._all_points import is_degraded, refit_on_all_points
from unbraid.pipeline._basis_selection import choose_basis


def test_keeps_the_held_out_error_and_takes_all_points():
    samples = toy_samples(100, random_state=0)
    state = choose_basis(toy_state()).with_function(held_out_error=np.array([1.0, 2.0]))
    joined = refit_on_all_points(state, samples)
    assert joined.fitted is samples
    np.testing.assert_array_equal(joined.function.held_out_error, [1.0, 2.0])
    assert joined.fitted_error < 1e-6


def test_a_larger_error_on_all_points_is_degraded():
    state = choose_basis(toy_state())
    worse = state.with_function(fitted_error=np.array([3.0, 3.0]))
    assert is_degraded(state, worse)
    assert not is_degraded(worse, worse)
    assert not is_degraded(state, replace(worse, settings=replace(worse.settings, solver=object())))
