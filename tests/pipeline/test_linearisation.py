"""The linearised fit: covariance of the parameters."""

from __future__ import annotations

import numpy as np
import pytest

from branch_examples import polynomial_branch
from hardening.plain import F, J, P
from pipeline_states import toy_state
from unbraid import DecoupledFunction, PiecewiseLinear, Samples, refine
from unbraid.pipeline._linearisation import linearise


def test_returns_none_for_too_many_unknowns():
    branch = polynomial_branch(1.0)
    d = DecoupledFunction(np.ones((3000, 1)), np.eye(2)[:, :1], (branch,), np.zeros(3000))
    assert linearise(d, Samples(P, F, J)) is None


def test_returns_none_without_a_smooth_basis():
    state = toy_state()
    rough = refine(state.function, state.fitted, basis=PiecewiseLinear(6), max_iterations=0)
    assert linearise(rough, state.fitted) is None


def test_standard_errors_follow_the_noise():
    state = toy_state()
    samples, rng = state.fitted, np.random.default_rng(0)
    errors = []
    for noise in (1e-4, 1e-3):
        values = samples.values + noise * rng.standard_normal(samples.values.shape)
        noisy = Samples(samples.points, values, samples.jacobians)
        fitted = refine(state.function, noisy)
        found = linearise(fitted, noisy, jacobian_weight=0.0)
        errors.append(found.direction_errors(found.problem.lift_V).max())
    assert errors[1] / errors[0] == pytest.approx(10, rel=0.3)
