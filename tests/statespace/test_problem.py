"""Tests of the least-squares problem on the simulation error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from statespace.systems import random_equations
from tests.reference import statespace as written_out
from unbraid.dynamics._records import Record
from unbraid.statespace._parameters import EquationParameters
from unbraid.statespace._problem import StateSpaceProblem
from unbraid.statespace._simulation import simulate_states


def make_problem(n_records=1, n_samples=520):
    rng = np.random.default_rng(0)
    records = [
        Record(rng.standard_normal((n_samples, 2)), rng.standard_normal((n_samples, 2)))
        for _ in range(n_records)
    ]
    return StateSpaceProblem(records)


def stacked_jacobian(problem, form, e, initial):
    """Outputs of all records by parameters and initial states, by differences."""

    def outputs(unknowns):
        system = form.unpack(unknowns[: form.size])
        states = unknowns[form.size :].reshape(initial.shape)
        runs = [
            simulate_states(system, r.u, x0, 2)
            for r, x0 in zip(problem.records, states, strict=True)
        ]
        return np.concatenate([problem.clip(run.y).ravel() for run in runs])

    unknowns = np.concatenate([form.pack(e), initial.ravel()])
    return outputs(unknowns), written_out.differentiate(outputs, unknowns)


@pytest.mark.parametrize("n_branches", [0, 2])
def test_normal_equations_agree_with_differences(n_branches):
    """Windows of 512 samples hand over their sensitivities to the next."""
    problem, e = make_problem(2, 516), random_equations(2, 2, 2, n_branches)
    form, initial = EquationParameters(e), 0.3 * np.ones((2, 2))
    y, J = stacked_jacobian(problem, form, e, initial)
    runs = problem.simulate(e, initial)
    matrix, gradient = problem.normal_equations(form, e, runs)
    residual = y - np.concatenate([r.y.ravel() for r in problem.records])
    np.testing.assert_allclose(
        matrix * y.size, J.T @ J, rtol=1e-6, atol=1e-8 * np.abs(J.T @ J).max()
    )
    expected = J.T @ residual
    np.testing.assert_allclose(gradient * y.size, expected, atol=1e-8 * np.abs(J.T @ J).max())


def test_sensitivities_agree_with_differences_to_1e8():
    problem, e = make_problem(1, 600), random_equations()
    form, initial = EquationParameters(e), np.zeros((1, 3))
    _, J = stacked_jacobian(problem, form, e, initial)
    run = problem.simulate(e, initial)[0]
    parts = [rows for _, rows in problem.sensitivities(form, e, problem.records[0], run)]
    exact = np.concatenate(parts).reshape(J.shape)
    assert np.abs(exact - J).max() < 1e-8 * np.abs(J).max()


def test_clipped_samples_have_no_gradient():
    problem, e = make_problem(1, 300), random_equations()
    problem = replace(problem, bounds=(np.full(2, -np.inf), np.full(2, 0.5)))
    form, initial = EquationParameters(e), np.zeros((1, 3))
    y, J = stacked_jacobian(problem, form, e, initial)
    matrix, _ = problem.normal_equations(form, e, problem.simulate(e, initial))
    np.testing.assert_allclose(
        matrix * y.size, J.T @ J, rtol=1e-5, atol=1e-6 * np.abs(J.T @ J).max()
    )
    assert y.max() == 0.5


def test_weights_and_held_out_samples_count_in_the_loss():
    problem, e = make_problem(1, 400), random_equations()
    runs = problem.simulate(e, np.zeros((1, 3)))
    error = (runs[0].y - problem.records[0].y) ** 2
    cut = replace(problem, held_out=(np.arange(400) >= 300,))
    assert cut.loss(runs) == pytest.approx(error[:300].mean())
    assert cut.held_out_loss(runs) == pytest.approx(error[300:].mean())
    roots = np.sqrt(np.linspace(0, 1, 400))[:, None]
    weighted = replace(problem, records=[replace(problem.records[0], root_weights=roots)])
    expected = np.sum(roots**2 * error) / np.sum(roots**2) / 2
    assert weighted.loss(runs) == pytest.approx(expected)


def test_shorten_takes_the_first_samples_and_their_masks():
    masks = (np.arange(400) >= 300,) * 2
    short = replace(make_problem(2, 400), held_out=masks).shorten(450)
    assert [len(r) for r in short.records] == [400, 50]
    assert [int(mask.sum()) for mask in short.held_out] == [100, 0]


def test_a_simulation_ends_where_the_loss_exceeds_the_ceiling():
    problem, e = make_problem(2, 3000), random_equations()
    initial = np.zeros((2, 3))
    runs = problem.simulate(e, initial)
    loss = problem.loss(runs)
    assert problem.simulate(e, initial, ceiling=0.99 * loss) is None
    again = problem.simulate(e, initial, ceiling=1.01 * loss)
    np.testing.assert_array_equal(again[1].y, runs[1].y)


def test_a_ceiling_counts_fitted_samples_alone():
    problem, e = make_problem(1, 400), random_equations()
    cut = replace(problem, held_out=(np.arange(400) >= 300,))
    runs = cut.simulate(e, np.zeros((1, 3)))
    assert cut.simulate(e, np.zeros((1, 3)), ceiling=1.001 * cut.loss(runs)) is not None
    assert cut.simulate(e, np.zeros((1, 3)), ceiling=0.999 * cut.loss(runs)) is None
