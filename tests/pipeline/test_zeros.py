"""Tests of zeros in V."""

import numpy as np

from unbraid import BSpline, Samples, decouple
from unbraid.cases import toy_samples


def draw_noisy(n_points=120):
    """tanh of two inputs plus the square of a third; the fourth has no effect."""
    rng = np.random.default_rng(0)
    p = rng.uniform(-1, 1, (n_points, 4))
    a = np.array([1.2, 1.6, 0.0, 0.0])
    values = np.tanh(p @ a) + p[:, 2] ** 2
    slopes = a / np.cosh(p @ a)[:, None] ** 2
    slopes[:, 2] = 2 * p[:, 2]
    noise = 0.02 * rng.normal(size=n_points)
    return Samples(p, values + noise, slopes + 0.02 * rng.normal(size=slopes.shape))


def test_sets_zeros_and_keeps_all_branches():
    plain, simple = (
        decouple(
            draw_noisy(), n_branches=2, basis=BSpline(8), random_state=0, n_starts=2, simplify=flag
        )
        for flag in (False, True)
    )
    assert np.count_nonzero(plain.V == 0) == 0
    assert np.all(simple.V[3] == 0)
    assert simple.n_branches == 2
    assert simple.n_parameters < plain.n_parameters
    assert simple.held_out_error.mean() < 1.1 * plain.held_out_error.mean()


def test_exact_functions_are_left_alone():
    d = decouple(toy_samples(60, 1), n_branches=3, random_state=0)
    assert d.fitted_error.max() < 1e-6
    assert np.count_nonzero(d.V == 0) == 0
