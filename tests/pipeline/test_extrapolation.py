"""How far branches are used beyond the data."""

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from unbraid import Polynomial, Samples, decouple
from unbraid.cases import reduction_samples


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_points_beyond_the_data_are_met(seed):
    whole = reduction_samples(2200, random_state=seed)
    fresh = whole.subset(np.arange(200, 2200))
    d = decouple(whole.subset(np.arange(200)), n_branches=2, basis=Polynomial(5), random_state=0)
    straight = unbraid.DecoupledFunction(
        d.W, d.V, tuple(replace(b, margin=0.0) for b in d.branches), d.offset
    )
    error, plain = (unbraid.relative_error(fresh.values, g(fresh.points))[0] for g in (d, straight))
    assert error < 0.5 * plain


def test_noise_does_not_extend_the_margin():
    rng = np.random.default_rng(1)
    f = unbraid.cases.toy_polynomial()
    points, fresh = rng.uniform(-1.5, 1.5, (100, 2)), rng.uniform(-1.5, 1.5, (2000, 2))
    values, jacobians = f(points), f.jacobian(points)
    values = values + 0.05 * values.std(axis=0) * rng.standard_normal(values.shape)
    jacobians = jacobians + 0.05 * jacobians.std() * rng.standard_normal(jacobians.shape)
    samples = Samples(points, values, jacobians)
    d = decouple(samples, n_branches=3, basis=Polynomial(5), random_state=0)
    assert unbraid.relative_error(f(fresh), d(fresh)).mean() < 3.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_exact_polynomials_have_far_margins(seed):
    rng = np.random.default_rng(seed)
    f = unbraid.cases.toy_polynomial()
    points, fresh = rng.standard_t(2, (150, 2)), rng.standard_t(2, (3000, 2))
    d = decouple(f, points, n_branches=3, basis=Polynomial(3), random_state=0)
    assert unbraid.relative_error(f(fresh), d(fresh)).max() < 1e-4
    assert min(branch.margin for branch in d.branches) > 1


def test_approximate_polynomials_have_short_margins():
    def f(p):
        return np.sin(p @ [1.0, 2.0])

    points = np.random.default_rng(0).uniform(-0.5, 0.5, (300, 2))
    d = decouple(f, points, n_branches=1, random_state=0)
    assert d.fitted_error.max() < 1e-4
    assert max(branch.margin for branch in d.branches) <= 1
