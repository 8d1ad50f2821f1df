"""Uncertainty: what the data determine of W, V and the branches."""

from __future__ import annotations

import numpy as np

import unbraid
from pipeline_states import toy_state
from unbraid import Polynomial
from unbraid.pipeline._basis_selection import choose_basis
from unbraid.pipeline._linearisation import linearise
from unbraid.pipeline._uncertainty import estimate_uncertainty, with_bands


def test_counts_copies_of_a_branch():
    points = np.random.default_rng(0).uniform(-1, 1, (100, 3))
    d = unbraid.decouple(
        lambda p: p[:, 0] ** 2, points, n_branches=3, basis=Polynomial(3), random_state=0
    )
    assert d.solution.uncertainty.n_copies == 2
    assert d.solution.identified is False


def test_estimating_uncertainty_does_not_change_predictions():
    state = choose_basis(toy_state())
    far = 10 * state.fitted.points
    linearisation = linearise(state.function, state.fitted)
    uncertainty = estimate_uncertainty(state.function, state.fitted, linearisation)
    banded = with_bands(state.function, uncertainty)
    np.testing.assert_array_equal(banded(far), state.function(far))
    assert all(branch.band is not None for branch in banded.branches)
    assert uncertainty.identified
    assert uncertainty.V_standard_errors.shape == state.function.V.shape
