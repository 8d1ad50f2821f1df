"""Tests of the simulations at held inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unbraid import Branch, Polynomial
from unbraid.dynamics._records import Record
from unbraid.model._branch_fit import fit_branch
from unbraid.statespace._equations import add_branches, make_linear_equations
from unbraid.statespace._problem import StateSpaceProblem
from unbraid.statespace._settling import largest_swing, measure_swing, settles


def make_case(pole, weight=0.0, scale=1.0):
    """A first-order system with a cubic spring, and runs of a record."""
    rng = np.random.default_rng(0)
    u = scale * rng.uniform(-1, 1, (200, 1))
    e = make_linear_equations(*(np.array([[k]]) for k in (pole, 1.0 / scale, 1.0, 0.0)))
    if weight:
        z = np.linspace(-3.0, 3.0, 50)
        curve: Branch = fit_branch(Polynomial(3), z, weight * z**3)
        e = add_branches(e, np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]]), [curve])
    problem = StateSpaceProblem([Record(u, np.zeros((200, 1)))])
    runs = problem.simulate(e, np.zeros((1, 1)))
    return e, runs, problem


def test_a_stable_system_settles():
    assert settles(*make_case(0.9))
    assert largest_swing(*make_case(0.9)) < 1e-6


def test_a_drift_is_no_swing():
    """An integrator moves away without coming back."""
    assert settles(*make_case(1.0))


def test_a_limit_cycle_is_found():
    """x(t+1) = -1.2 x + 0.05 x^3 + u has an unstable equilibrium and a cycle around it."""
    case = make_case(-1.2, 0.05)
    assert 0.5 < largest_swing(*case) < np.inf
    assert not settles(*case)
    assert settles(*case, reference=10.0)


def test_a_divergence_is_found():
    e, runs, problem = make_case(0.5)
    assert largest_swing(replace(e, linear=3 * e.linear), runs, problem) == np.inf


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_inputs_do_not_matter(scale):
    np.testing.assert_allclose(
        largest_swing(*make_case(-1.2, 0.05, scale=scale)),
        largest_swing(*make_case(-1.2, 0.05)),
        rtol=1e-6,
    )


def test_every_output_is_measured():
    y = np.column_stack([np.arange(6.0), [0.0, 2.0, 0.0, 2.0, 0.0, 2.0]])
    assert measure_swing(y) == pytest.approx(8 / 5)
