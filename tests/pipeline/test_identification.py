"""Stage 10: standard errors of V beyond noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unbraid import BSpline, FitWarning, Samples, decouple
from unbraid.data._consistency import measure_agreement
from unbraid.solvers._uncertainty import Uncertainty


def radial_samples(n_points: int = 300, seed: int = 0) -> Samples:
    """A bump on a disc, which has no directions of its own."""
    rng = np.random.default_rng(seed)
    angle, radius = rng.uniform(0, 2 * np.pi, n_points), np.sqrt(rng.uniform(size=n_points))
    points = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    values = np.exp(-4 * np.sum(points**2, axis=1, keepdims=True))
    return Samples(points, values, (-8 * points * values)[:, None, :])


def ridge_samples(value_noise: float = 0.0, jacobian_noise: float = 0.0) -> Samples:
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.5, 1.5, (300, 3))
    V = np.array([[0.6, 0.0], [0.0, 0.8], [0.8, 0.6]])
    z = points @ V
    values = np.column_stack([np.tanh(2 * z[:, 0]) + np.sin(2 * z[:, 1])])
    slopes = np.column_stack([2 / np.cosh(2 * z[:, 0]) ** 2, 2 * np.cos(2 * z[:, 1])])
    jacobians = (slopes @ V.T)[:, None, :]
    values = values + value_noise * rng.normal(size=values.shape)
    return Samples(points, values, jacobians + jacobian_noise * rng.normal(size=jacobians.shape))


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_directions_of_a_radial_function_are_not_identified(seed):
    samples = radial_samples(seed=seed)
    d = decouple(samples, n_branches=4, basis=BSpline(10), n_starts=4, random_state=seed)
    assert d.fit.identified is False
    assert d.solution.uncertainty.misfit > 0.5
    assert d.solution.uncertainty.direction_error > 0.05


def test_misfit_is_found_where_jacobians_come_from_differences():
    points = radial_samples().points

    def bump(p):
        return np.exp(-4 * np.sum(p**2, axis=1))

    d = decouple(bump, points, n_branches=4, basis=BSpline(10), n_starts=4, random_state=0)
    assert d.solution.uncertainty.misfit > 0.5
    assert d.solution.uncertainty.direction_error > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("noise", [(0.02, 0.0), (0.0, 0.1), (0.02, 0.1)])
def test_noise_is_not_taken_for_misfit(noise):
    samples = ridge_samples(*noise)
    d = decouple(samples, n_branches=2, basis=BSpline(12), n_starts=4, random_state=0)
    assert d.solution.uncertainty.misfit == 0
    assert d.fit.identified is True
    assert d.solution.uncertainty.direction_error < 0.02


def test_small_misfit_of_a_basis_keeps_directions_identified():
    d = decouple(ridge_samples(), n_branches=2, n_starts=4, random_state=0)
    assert d.fit.identified is True
    assert d.solution.uncertainty.direction_error < 1e-3


def test_field_and_sentence_agree_where_starts_disagree():
    samples = radial_samples()
    d = decouple(samples, n_branches=3, basis=BSpline(8), n_starts=2, random_state=0)
    uncertain = Uncertainty(0, 0, 0, 1e-3, np.zeros((2, 3)), ())
    solution = replace(d.solution, uncertainty=uncertain, unique=False)
    assert uncertain.identified
    assert solution.identified is False


def test_agreement_is_one_for_a_function_and_zero_for_noise():
    samples = ridge_samples()
    assert measure_agreement(samples)[0] > 0.95
    rng = np.random.default_rng(1)
    noise = Samples(
        samples.points,
        rng.normal(size=samples.values.shape),
        rng.normal(size=samples.jacobians.shape),
    )
    correlation, n_pairs = measure_agreement(noise)
    assert abs(correlation) < 4 / np.sqrt(n_pairs)


def test_outliers_enlarge_the_standard_errors():
    samples = ridge_samples()
    values = samples.values.copy()
    values[[5, 80, 200]] += 8.0
    wrong = Samples(samples.points, values, samples.jacobians)
    with pytest.warns(FitWarning, match="rows 5, 80, 200"):
        d = decouple(wrong, n_branches=2, n_starts=4, random_state=0)
    clean = decouple(wrong, n_branches=2, n_starts=4, random_state=0, robust=True)
    assert (d.fit.identified, clean.fit.identified) == (False, True)
    assert (
        clean.solution.uncertainty.direction_error < 1e-3 < d.solution.uncertainty.direction_error
    )
