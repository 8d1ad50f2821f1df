"""Refinement of a decoupled function on samples."""

import numpy as np
import pytest

import unbraid
from end_to_end.problems import mixed
from unbraid import (
    BSpline,
    InvalidOptionError,
    InvalidSamplesError,
    Polynomial,
    Samples,
    decouple,
    jacobian_error,
    refine,
    relative_error,
)
from unbraid.cases import network_samples, toy_samples

SAMPLES = toy_samples(30, 0)


def test_lowers_the_error_of_the_values():
    samples = network_samples(400, random_state=3)
    options = {"n_branches": 3, "basis": BSpline(12), "random_state": 0, "held_out": 0}
    plain = decouple(samples, refine=False, **options)
    better = decouple(samples, **options)
    assert better.fitted_error.mean() < plain.fitted_error.mean()
    assert plain.held_out_error is None
    alone = refine(plain, samples)
    assert alone.fitted_error.mean() <= plain.fitted_error.mean()
    assert jacobian_error(samples.jacobians, alone.jacobian(samples.points)) < 30


@pytest.mark.slow
def test_refines_a_published_method():
    samples = toy_samples(60, 2)
    options = {"n_branches": 3, "method": "implicit", "basis": Polynomial(3), "random_state": 0}
    options["n_starts"] = 2
    assert decouple(samples, **options).fitted_error.max() > 0.1
    d = decouple(samples, refine=True, held_out=0.2, **options)
    assert d.fitted_error.max() < 1e-6
    assert d.held_out_error.max() < 1e-6
    assert d.solution.method == "implicit"


def test_rejects_branches_without_a_basis():
    samples = toy_samples(60, 1)
    d = decouple(samples, n_branches=2, basis=None, random_state=0)
    with pytest.raises(InvalidOptionError, match="basis="):
        refine(d, samples)
    assert refine(d, samples, basis=BSpline(8)).branches[0].n_parameters == 7


def test_keeps_the_extrapolation():
    points = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    samples = unbraid.sample(mixed, points)
    d = decouple(samples, n_branches=2, random_state=0)
    fresh = np.random.default_rng(9).uniform(-1, 1, (1000, 2))
    for function in (d, refine(d, samples)):
        assert relative_error(mixed(fresh), function(fresh)).max() < 0.01


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"jacobian_weight": -1}, InvalidOptionError, "jacobian_weight"),
        ({"value_weight": 0}, InvalidOptionError, "both 0"),
        ({"smoothing": np.nan}, InvalidOptionError, "smoothing"),
        ({"max_iterations": 2.5}, InvalidOptionError, "max_iterations"),
        ({"basis": "auto"}, InvalidOptionError, "basis="),
    ],
)
def test_rejects_invalid_options(options, error, message):
    d = decouple(SAMPLES, n_branches=1, basis=Polynomial(2), random_state=0)
    with pytest.raises(error, match=message):
        refine(d, SAMPLES, **options)


def test_rejects_samples_of_another_function():
    d = decouple(SAMPLES, n_branches=1, basis=Polynomial(2), random_state=0)
    with pytest.raises(InvalidSamplesError, match="2 outputs"):
        refine(d, unbraid.cases.reduction_samples(30, 0))


def test_point_weights_exclude_points():
    points = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    samples = unbraid.sample(lambda p: np.sin(2 * p[:, :1] + p[:, 1:]), points)
    d = decouple(samples, n_branches=1, random_state=0, basis=BSpline(8))
    spoilt = samples.values + 3.0 * (points[:, :1] > 0.5)
    weights = np.where(points[:, 0] > 0.5, 0.0, 1.0)
    broken = Samples(points, spoilt, samples.jacobians)
    refined = unbraid.refine(d, broken, point_weights=weights)
    kept = weights > 0
    assert np.abs((refined(points) - samples.values)[kept]).max() < 0.01
    with pytest.raises(InvalidOptionError, match="point_weights"):
        unbraid.refine(d, broken, point_weights=weights[:-1])


def test_penalty_on_cancellation_keeps_the_sum():
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (300, 3))
    samples = unbraid.sample(lambda p: np.sin(2 * p[:, :1]) + p[:, 1:2] - 2 * p[:, 2:], points)
    V = np.array([[1.0, 0.0, 0.01], [0.0, 1.0, 1.0], [0.0, 0.0, 0.02]])
    curved, straight = decouple(samples, n_branches=2, random_state=0, basis=BSpline(8)).branches
    branches = (curved, straight, straight)
    start = unbraid.DecoupledFunction(np.ones((1, 3)), V, branches, np.zeros(1))
    sizes = []
    for weight in (0.0, 1e-4):
        d = unbraid.refine(start, samples, cancellation=weight, max_iterations=30)
        z = d.transform(points)
        sizes.append(sum(np.var(g(c)) for g, c in zip(d.branches, z.T, strict=True)))
        assert d.fitted_error.max() < 0.1
    assert sizes[1] < 3 * np.var(samples.values) < 100 * sizes[1]
