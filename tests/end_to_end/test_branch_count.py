"""Tests of branch count."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import ConvergenceWarning, FitWarning, Polynomial, Samples, decouple
from unbraid.cases import toy_samples

SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def dead_zone(p):
    return 100 * np.maximum(0, p @ [0.6, 0.8] / 1.4 - 0.85) ** 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::unbraid.FitWarning")
def test_a_dead_zone_is_not_linear():
    d = unbraid.decouple(
        dead_zone, SQUARE, n_branches="auto", max_branches=2, n_starts=2, random_state=0
    )
    assert d.fitted_error[0] < 10
    assert "met the tolerance" not in d.solution.diagnosis


@pytest.mark.slow
def test_finds_a_small_branch_beside_a_large_one():
    """Screened with polynomials of one degree, both branches went along the large one."""
    rng = np.random.default_rng(4009)
    m, n, r, size = (rng.integers(*ends) for ends in ((2, 7), (1, 5), (2, 6), (200, 1500)))
    rng.integers(0, 4, r)
    W, V, b = rng.normal(size=(n, r)), rng.normal(size=(m, r)), rng.normal(size=r)
    W[:, 0] *= 1000
    points = np.random.default_rng(4786).uniform(-1.5, 1.5, (size, m))
    z = points @ V + b
    slopes = np.column_stack([1 / (1 + z[:, 0] ** 2), 1 / np.cosh(z[:, 1]) ** 2])
    values = np.column_stack([np.arctan(z[:, 0]), np.tanh(z[:, 1])]) @ W.T
    samples = Samples(points, values, np.einsum("ki,oi,li->kol", slopes, W, V))
    d = unbraid.decouple(samples, n_branches=2, random_state=0)
    assert d.held_out_error_inside.max() < 0.01
    assert np.abs(d.V.T @ (V / np.linalg.norm(V, axis=0))).max(axis=0).min() > 0.9999


def test_auto_counts_the_branches_of_the_toy_problem():
    d = decouple(toy_samples(40, 3), n_branches="auto", random_state=0)
    assert d.n_branches == 3
    assert d.fitted_error.max() < 1e-6
    assert isinstance(d.branches[0].curve.basis, Polynomial)
    assert d.branches[0].curve.basis.degree == 3
    table = d.solution.table
    assert [row.n_branches for row in table] == [3]
    assert table[0].n_parameters == d.n_parameters
    assert "met the tolerance" in d.solution.diagnosis
    assert "held out" in str(table[0])


@pytest.mark.slow
def test_auto_stops_where_f_does_not_decouple():
    points = np.random.default_rng(0).uniform(-1, 1, (120, 5))
    f = lambda p: np.prod(p, axis=1)  # noqa: E731
    d = decouple(f, points, "auto", basis=Polynomial(5), n_starts=2, random_state=0)
    assert "did not lower" in d.solution.diagnosis
    assert d.held_out_error[0] > 50  # and says so


def test_auto_uses_few_branches_for_few_points():
    points = np.random.default_rng(0).uniform(-1, 1, (15, 8))
    f = lambda p: np.column_stack([np.tanh(p @ np.linspace(1, -1, 8)), p[:, 2] * p[:, 3]])  # noqa: E731
    d = decouple(f, points, "auto", n_starts=3, random_state=0)
    assert d.n_parameters <= 2 * 15
    assert d.held_out_error is None
    assert d.solution.table[0].held_out_error is None
    assert "no points were held out" in d.solution.diagnosis
    assert "none held out" in str(d.solution.table[0])


def test_callback_ends_the_growth():
    with pytest.warns(ConvergenceWarning, match="callback"):
        d = decouple(toy_samples(60, 1), n_branches="auto", callback=lambda p: True, random_state=0)
    assert len(d.solution.table) <= 2  # no direction, and the first one


@pytest.mark.parametrize("most", [1, 2])
def test_auto_gives_at_most_max_branches(most):
    def f(p):
        return np.column_stack([np.tanh(p[:, 0]) + p[:, 1] ** 2 * p[:, 0], np.sin(p[:, 1])])

    with pytest.warns(FitWarning, match=f"max_branches = {most} reached"):
        d = decouple(f, SQUARE, max_branches=most, n_starts=2, random_state=0)
    assert d.n_branches == most
    assert d.solution.count_status == "max_branches"
