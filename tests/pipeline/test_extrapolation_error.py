"""The error to expect of new points beyond the range of the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline_states import toy_state
from unbraid import BSpline, Fourier, Polynomial, Samples, cases, decouple, relative_error
from unbraid.pipeline import _extrapolation_error as module
from unbraid.pipeline._basis_selection import choose_basis
from unbraid.pipeline._extrapolation_error import expected_extrapolation_error
from unbraid.pipeline._scores import output_spread
from unbraid.pipeline._state import FitState

SPLINE = BSpline(16)
W = np.array([[1.0, 0.3], [-0.4, 1.0]])
V = np.array([[0.8, 0.0], [0.6, -0.6], [0.0, 0.8]])


def evaluate(points):
    z = points @ V
    g = np.stack([np.tanh(z[:, 0]), np.sin(z[:, 1])], axis=1)
    slopes = np.stack([1 / np.cosh(z[:, 0]) ** 2, np.cos(z[:, 1])], axis=1)
    return g @ W.T, np.einsum("oi,ki,li->kol", W, slopes, V)


def draw_state(n_points: int, seed: int, basis=SPLINE) -> FitState:
    points = np.random.default_rng(seed).normal(size=(n_points, 3))
    samples = Samples(points, *evaluate(points))
    d = decouple(samples, n_branches=2, basis=basis, n_starts=4, random_state=0)
    return replace(toy_state(), function=d, fitted=samples, held_out=None, smoothing=0.0)


def error_beyond(state: FitState) -> np.ndarray:
    """The true mean square error of points beyond the data, relative to the variances."""
    function, samples = state.function, state.fitted
    fresh = np.random.default_rng(99).normal(size=(40_000, 3))
    z, known = function.transform(fresh), function.transform(samples.points)
    outside = np.any((z < known.min(axis=0)) | (z > known.max(axis=0)), axis=1)
    miss = (function(fresh) - evaluate(fresh)[0]) / output_spread(samples.values)
    return np.mean(miss**2 * outside[:, None], axis=0)


@pytest.mark.parametrize("basis", [SPLINE, Polynomial(7)])
def test_is_about_the_true_error(basis):
    ratios = []
    for seed in range(4):
        state = draw_state(150, seed, basis)
        expected = expected_extrapolation_error(state, state.fitted)
        assert expected.shape == (2,)
        ratios.append(np.sqrt(error_beyond(state) / expected))
    assert 0.1 < np.median(ratios) < 3
    assert np.quantile(ratios, 0.75) < 5


def test_polynomials_that_hold_far_beyond_the_data_have_none():
    state = choose_basis(toy_state())
    far = tuple(replace(branch, margin=10.0) for branch in state.function.branches)
    state = state.with_function(branches=far)
    np.testing.assert_array_equal(expected_extrapolation_error(state, state.fitted), 0.0)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_do_not_matter(unit):
    state = draw_state(100, 1)
    function, samples = state.function, state.fitted
    scaled = decouple(
        Samples(samples.points * unit, samples.values / unit, samples.jacobians / unit**2),
        n_branches=2,
        basis=SPLINE,
        n_starts=4,
        random_state=0,
    )
    np.testing.assert_allclose(scaled.held_out_error, function.held_out_error, rtol=0.02)


def test_branches_are_matched_in_any_order():
    state = draw_state(150, 2)
    function = state.function
    turned = replace(
        function, W=function.W[:, ::-1], V=function.V[:, ::-1], branches=function.branches[::-1]
    )
    expected = expected_extrapolation_error(state, state.fitted)
    found = expected_extrapolation_error(replace(state, function=turned), state.fitted)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_branches_that_cancel_are_off_together():
    network = cases.random_network(random_state=0)
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (300, 2))
    samples = Samples(points, network(points), network.jacobian(points))
    d = decouple(samples, n_branches=8, basis=BSpline(12), n_starts=4, random_state=0)
    fresh = np.random.default_rng(1).uniform(-1.5, 1.5, (4000, 2))
    true = relative_error(network(fresh), d(fresh))
    assert 0.2 < np.mean(true / d.held_out_error) < 3


def test_entangled_points_are_resampled_branch_by_branch():
    """Clusters on a line are no product of distributions of the inputs."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(0, 2, size=(400, 1)) * np.array([[4.0, -4.0]])
    points = cluster + 0.1 * rng.normal(size=(400, 2)) + rng.integers(0, 2, size=(400, 1))
    values = points.sum(axis=1, keepdims=True)
    samples = Samples(points, values, np.ones((400, 1, 2)))
    function = decouple(samples, n_branches=1, basis=Polynomial(1), random_state=0)
    known = function.transform(points)
    z = module._resample_z(known, points, function)
    outside = np.mean((z < known.min(axis=0)) | (z > known.max(axis=0)))
    assert outside < module.EXTRAPOLATION_ERROR_SETTINGS.max_outside / 401


def test_other_bases_are_judged_by_their_curvature_alone():
    state = draw_state(150, 3, Fourier(3))
    assert np.all(expected_extrapolation_error(state, state.fitted) > 0)
    assert module._neighbouring_bases(state.function) == ()


@pytest.mark.parametrize(
    ("basis", "sizes"), [(BSpline(13), (10, 17)), (BSpline(4), (4, 5)), (Polynomial(1), (1, 2))]
)
def test_neighbouring_bases_are_a_smaller_and_a_larger_one(basis, sizes):
    state = draw_state(100, 4, basis)
    found = module._neighbouring_bases(state.function)
    size = "degree" if isinstance(basis, Polynomial) else "n_coefficients"
    assert tuple(getattr(each, size) for each in found) == sizes
