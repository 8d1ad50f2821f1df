"""The default method under shifts, rotations, noise and samples that are hard to fit."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unbraid
from end_to_end.problems import mixed, noisy, ridge
from unbraid import (
    BSpline,
    ConvergenceWarning,
    DegenerateBranchError,
    FitWarning,
    Polynomial,
    Samples,
    decouple,
    relative_error,
)
from unbraid.cases import toy_samples
from unbraid.data._consistency import has_kinks
from unbraid.solvers._factors import disagreement

shapes = {"seed": st.integers(0, 1000), "n": st.integers(1, 3), "m": st.integers(1, 3)}


def test_shift_and_order_of_points_do_not_matter(rng):
    samples = toy_samples(60, 6)
    shifted = Samples(samples.points + 1e4, samples.values - 7, samples.jacobians)
    mixed = samples.subset(rng.permutation(60))
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0}
    expected = decouple(samples, **options)(samples.points)
    close = {"atol": 1e-5 * samples.values.std()}
    np.testing.assert_allclose(decouple(shifted, **options)(shifted.points) + 7, expected, **close)
    np.testing.assert_allclose(decouple(mixed, **options)(samples.points), expected, **close)


def test_rotating_the_inputs_rotates_v(rng):
    f, points, _ = ridge(3, N=300, r=2)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    turned = Samples(points @ turn, f(points), f.jacobian(points) @ turn)
    d = decouple(turned, n_branches=2, basis=BSpline(16), n_starts=4, random_state=0)
    f.V = turn.T @ f.V
    assert disagreement(d, f) < 1e-3


def check_shape(seed, n, m, r, N):
    f, points, _ = ridge(seed, N, n=n, m=m, r=r)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(noisy(f, points), n_branches=r, n_starts=2, random_state=0)
    assert d(points).shape == (N, n)
    assert np.all(np.isfinite(d(10 * points)))
    assert np.all(np.isfinite(d.jacobian(10 * points)))
    np.testing.assert_allclose(np.linalg.norm(d.V, axis=0), 1)
    np.testing.assert_allclose(np.linalg.norm(d.W, axis=0), 1)


@pytest.mark.slow
@settings(max_examples=4)
@given(**shapes, r=st.integers(1, 3), N=st.sampled_from([4, 7, 25]))
def test_any_shape_gives_a_finite_answer(seed, n, m, r, N):
    check_shape(seed, n, m, r, N)


@pytest.mark.slow
@settings(max_examples=12)
@given(**shapes, r=st.integers(1, 5), N=st.sampled_from([4, 7, 25, 60]))
def test_more_shapes_give_a_finite_answer(seed, n, m, r, N):
    check_shape(seed, n, m, r, N)


@pytest.mark.slow
@pytest.mark.parametrize(("values", "jacobians"), [(0.0, 1e-1), (1e-1, 0.0), (1e-2, 1e-2)])
def test_noise_in_one_part_does_not_spoil_the_other(values, jacobians):
    f, points, rng = ridge(2)
    samples = noisy(f, points, rng, values, jacobians)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(samples, n_branches=3, basis=BSpline(12), n_starts=3, random_state=0)
    fresh = rng.uniform(-1, 1, (1000, 4))
    noise = min(values, jacobians) if min(values, jacobians) else 0.02
    assert relative_error(f(fresh), d(fresh)).max() < 100 * noise
    assert disagreement(d, f) < 5 * noise


@pytest.mark.slow
def test_branches_extrapolate_linearly():
    f, points, _ = ridge(5, N=200)
    d = decouple(noisy(f, points), n_branches=3, basis=BSpline(10), n_starts=3, random_state=0)
    for branch in d.branches:
        low, high = branch.interval
        assert 0 <= branch.margin <= 0.15
        far = high + (high - low) * np.array([1.0, 2.0, 3.0])
        np.testing.assert_allclose(np.diff(branch(far), 2), 0, atol=1e-9 * np.ptp(branch(far)))


def test_warns_of_kinks_and_fits_well():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((2, 3)), rng.standard_normal((3, 2))
    points = rng.uniform(-1, 1, (200, 2))
    with pytest.warns(FitWarning, match="kinks"):
        d = decouple(
            lambda p: np.maximum(p @ A, 0) @ B,
            points,
            3,
            basis=BSpline(16),
            n_starts=2,
            random_state=0,
        )
    assert d.fitted_error.max() < 5
    assert np.all(np.isfinite(d(3 * points)))


@pytest.mark.slow
def test_smooth_functions_are_not_taken_for_kinked():
    points = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    for f in (lambda p: np.prod(p, axis=1), lambda p: np.sin(4 * p[:, 0] * p[:, 1])):
        assert not has_kinks(unbraid.sample(f, points))
        d = decouple(f, points, 1, n_starts=2, random_state=0)
        assert d.solution.diagnosis.startswith("poor")  # it is, but there is nothing to warn of


def test_warns_of_jacobians_of_other_values():
    samples = toy_samples(100, 4)
    for wrong in (2 * samples.jacobians, samples.jacobians.transpose(0, 2, 1)):
        wrong_samples = Samples(samples.points, samples.values, wrong)
        with pytest.warns(FitWarning, match="belong"):
            decouple(wrong_samples, n_branches=3, basis=Polynomial(3), n_starts=3, random_state=0)


def test_warns_of_values_that_jacobians_do_not_explain():
    points = np.random.default_rng(2).uniform(-1, 1, (100, 2))
    f = lambda p: np.tanh(p[:, :1] + 2 * p[:, 1:])  # noqa: E731
    flat = np.full((100, 1, 2), 0.01)
    with pytest.warns(unbraid.FitWarning, match="belong"):
        decouple(Samples(points, f(points), flat), n_branches=1, random_state=0, n_starts=2)


def test_fits_outputs_of_different_size_and_a_constant_one():
    points = toy_samples(200, 1).points
    f = lambda p: np.stack(  # noqa: E731
        [1e6 * np.sin(p[:, 0]), 1e-6 * np.exp(p[:, 1]), np.full(len(p), 3.0)], 1
    )
    d = decouple(f, points, 2, random_state=0)
    assert d.fitted_error.max() < 1e-3


def test_fits_points_on_a_line_and_a_constant_input():
    line = np.outer(np.linspace(-1, 1, 50), [1.0, 2.0])
    d = decouple(lambda p: p[:, :1] * p[:, 1:], line, 2, random_state=0)
    assert d.fitted_error[0] < 1e-6
    still = np.column_stack([np.linspace(-1, 1, 50), np.full(50, 2.0)])
    assert decouple(lambda p: p[:, :1] * p[:, 1:], still, 1, random_state=0).fitted_error[0] < 1e-6


def test_rejects_gradients_where_the_points_do_not_vary():
    points = np.column_stack([np.zeros(20), np.linspace(0, 1, 20)])
    jacobians = np.tile([[1.0, 0.0]], (20, 1, 1))
    with pytest.raises(DegenerateBranchError, match="vary"):
        decouple(Samples(points, np.zeros(20), jacobians), n_branches=1, random_state=0)


def test_fits_repeated_and_close_points(rng):
    samples = toy_samples(50, 8)
    twice = samples.subset(np.repeat(np.arange(50), 2))
    assert decouple(twice, n_branches=3, random_state=0).fitted_error.max() < 1e-6
    cluster = np.array([0.3, 0.2]) + 1e-8 * rng.standard_normal((40, 2))
    points = np.vstack([rng.uniform(-1, 1, (30, 2)), cluster])
    d = decouple(lambda p: np.sin(p[:, :1] + p[:, 1:]) + p[:, :1] ** 2, points, 2, random_state=0)
    assert d.fitted_error[0] < 1


def test_ignores_an_output_that_is_constant_on_the_points():
    t = np.random.default_rng(0).uniform(-1, 1, (80, 1))
    d = decouple(mixed, np.hstack([t, t]), 2, n_starts=3, random_state=0)  # the cubic is 0 there
    assert d.fitted_error[0] < 0.1


def test_fits_an_output_with_a_large_offset():
    points = toy_samples(200, 1).points
    f = lambda p: mixed(p) + np.array([1e6, 0.0])  # noqa: E731
    assert decouple(f, points, 2, n_starts=3, random_state=0).fitted_error.max() < 0.1
