"""Tests of the coordinates of the states."""

from __future__ import annotations

import numpy as np
import pytest

from statespace.systems import random_equations
from unbraid.statespace._coordinates import standardise_states
from unbraid.statespace._simulation import simulate_states

TOLERANCE = 1e-4  # the floor of the variances depends on the coordinates at the start


def in_standard_coordinates(e, u, x0):
    run = simulate_states(e, u, x0, e.n_outputs)
    return standardise_states(e, [run], x0[None])


@pytest.mark.parametrize("seed", range(4))
def test_any_coordinates_lead_to_the_same_matrices(seed):
    rng = np.random.default_rng(seed)
    e = random_equations(4, 2, 2, 2, seed=seed)
    u, x0 = rng.standard_normal((300, 2)), rng.standard_normal(4)
    matrix, centre = rng.standard_normal((4, 4)), rng.standard_normal(4)
    other = e.with_states(matrix, centre)
    start = np.linalg.solve(matrix, x0 - centre)
    (first, initial), (second, again) = (
        in_standard_coordinates(e, u, x0),
        in_standard_coordinates(other, u, start),
    )
    for name in ("linear", "offset", "W", "V"):
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), atol=TOLERANCE)
    np.testing.assert_allclose(initial, again, atol=TOLERANCE)


def test_states_have_zero_mean_and_unit_covariance():
    rng = np.random.default_rng(0)
    u, x0 = rng.standard_normal((300, 2)), np.zeros(3)
    e, initial = in_standard_coordinates(random_equations(), u, x0)
    x = simulate_states(e, u, initial[0], e.n_outputs).x
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(np.cov(x.T), np.eye(3), atol=1e-6)
