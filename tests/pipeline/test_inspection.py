"""Stage 8: problems of the data, and the warnings they cause."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import unbraid
from unbraid import Polynomial, Samples
from unbraid.sampling import uniform


def kinked(p):
    return np.sign(p[:, 0]) * np.maximum(np.abs(p[:, 0]) - 0.3, 0) + p[:, 1] ** 2


QUICK_AND_DEFAULT = [
    *((seed, {"basis": Polynomial(5), "n_starts": 1}) for seed in range(2)),
    *(pytest.param(seed, {}, marks=pytest.mark.slow) for seed in range(2, 4)),
]


@pytest.mark.parametrize(("seed", "options"), QUICK_AND_DEFAULT)
def test_finds_the_kinks_of_a_dead_zone(seed, options):
    points = uniform(300, [-1, -1], [1, 1], random_state=seed)
    with pytest.warns(unbraid.FitWarning, match="kinks"):
        unbraid.decouple(kinked, points, n_branches=2, random_state=0, **options)


@pytest.mark.parametrize(("seed", "options"), QUICK_AND_DEFAULT)
def test_finds_no_kinks_in_steep_functions(seed, options):
    def steep(p):
        return np.logaddexp(0, 15 * (p[:, 0] - p[:, 1])) / 15 + p[:, 0] * p[:, 1] ** 2

    points = uniform(300, [-1, -1], [1, 1], random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error", unbraid.FitWarning)
        d = unbraid.decouple(steep, points, n_branches=2, random_state=0, **options)
    assert d.held_out_error[0] > 0.1  # it was not exact, so a kink was looked for


SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def dead_zone(p):
    return 100 * np.maximum(0, p @ [0.6, 0.8] / 1.4 - 0.85) ** 2


def dead_zone_samples(points):
    above = np.maximum(0, points @ [0.6, 0.8] / 1.4 - 0.85)
    slopes = 200 * above[:, None] * np.array([0.6, 0.8]) / 1.4
    return Samples(points, dead_zone(points), slopes[:, None, :])


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


@pytest.mark.parametrize("seed", [2, 3, 11])
def test_exact_jacobians_cause_no_warning(seed):
    points = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=seed)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        unbraid.decouple(dead_zone_samples(points), n_branches=1, n_starts=1, random_state=0)
    assert not any("do not belong" in str(warning.message) for warning in said)


def test_rounding_in_a_constant_output_causes_no_warning():
    samples = unbraid.sample(bent, SQUARE)
    values = np.column_stack(
        [samples.values[:, 0], np.sin(SQUARE[:, 0]) ** 2 + np.cos(SQUARE[:, 0]) ** 2]
    )
    noise = 1e-17 * np.random.default_rng(0).standard_normal((100, 1, 2))
    both = Samples(SQUARE, values, np.concatenate([samples.jacobians, noise], axis=1))
    d = unbraid.decouple(both, n_branches=1, random_state=0)  # a warning would fail here
    assert d.fitted_error[0] < 1e-3


@pytest.mark.parametrize("source", ["given", "from my own code"])
def test_finds_jacobians_of_another_scale_whatever_their_source(source):
    points = uniform(100, [-1, -1], [1, 1], random_state=0)
    exact = unbraid.sample(lambda p: np.tanh(p @ [1.0, 0.5]), points)
    wrong = Samples(points, exact.values, 3 * exact.jacobians, source)
    with pytest.warns(unbraid.FitWarning, match="do not belong"):
        unbraid.decouple(wrong, n_branches=1, random_state=0)
