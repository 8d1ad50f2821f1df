"""Linear parts and cancellation: the result is what a person would write down."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid.pipeline._canonical import measure_cancellation, separate_linear_part

CASES = {
    "sine": (2, lambda p: np.sin(3 * p[:, 0]) + 0.5 * p[:, 1], [[1, 0], [0, 1]]),
    "tanh": (2, lambda p: np.tanh(3 * p[:, 0]) + p[:, 1], [[1, 0], [0, 1]]),
    "cosh": (
        3,
        lambda p: np.cosh(2 * (p[:, 0] - 0.3 * p[:, 1])) + p[:, 2],
        [[1 / np.sqrt(1.09), 0], [-0.3 / np.sqrt(1.09), 0], [0, 1]],
    ),
}


@pytest.mark.parametrize(
    ("name", "seed"),
    [("sine", 0), *(pytest.param(name, 1, marks=pytest.mark.slow) for name in CASES)],
)
def test_separates_the_linear_part(name, seed):
    m, f, V = CASES[name]
    samples = unbraid.sample(f, unbraid.sampling.uniform(200, [-1] * m, [1] * m, random_state=seed))
    d = unbraid.decouple(samples, n_branches=2, random_state=0)
    assert measure_cancellation(d, samples) < 1.5
    order = np.argsort(-np.abs(d.V[0]))
    np.testing.assert_allclose(d.V[:, order], V, atol=0.03)
    np.testing.assert_allclose(d.V[:, order[0]], np.array(V)[:, 0], atol=1e-3)
    assert d.held_out_error[0] < 0.01
    assert d.solution.identified is False
    assert d.solution.uncertainty.n_movable == 1
    assert f"a linear function of p{m}" in d.describe().words


def test_linear_branch_is_orthogonal_to_the_others():
    points = unbraid.sampling.uniform(100, [-1, -10], [1, 10], random_state=0)

    def f(p):
        return p[:, 0] ** 3 + 0.2 * p[:, 1] + 0.5 * p[:, 0]

    d = unbraid.decouple(f, points, n_branches=2, basis=unbraid.Polynomial(3), random_state=0)
    assert d.fitted_error[0] < 1e-6
    samples = unbraid.sample(f, points)
    assert separate_linear_part(d, samples) is None  # it was done
    line = int(np.argmax(np.abs(d.V[1])))
    np.testing.assert_allclose(np.abs(d.V[:, line]), [0, 1], atol=1e-6)


def test_necessary_cancellation_stays_exact():
    """(p1 + e p2)^3 - p1^3, over e: the cancelling is in the function."""
    points = unbraid.sampling.uniform(200, [-1, -1], [1, 1], random_state=0)

    def f(p):
        return 20 * ((p[:, 0] + 0.05 * p[:, 1]) ** 3 - p[:, 0] ** 3)

    d = unbraid.decouple(f, points, n_branches=2, basis=unbraid.Polynomial(3), random_state=0)
    assert d.fitted_error[0] < 1e-6


def test_different_outputs_are_described_separately():
    points = unbraid.sampling.uniform(200, [-1] * 3, [1] * 3, random_state=0)
    d = unbraid.decouple(lambda p: p**3, points, n_branches=3, random_state=0)
    words = d.describe().words
    for k in (1, 2, 3):
        assert f"f{k} is a cubic function of p{k} (100 %)" in words
