"""Invariances and difficult samples, with every method."""

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unbraid
from end_to_end.problems import METHODS, QUICK, decouple_implicit, exact_samples
from unbraid import ConvergenceWarning, Polynomial, Samples
from unbraid.cases import toy_polynomial, toy_samples


@cache
def decouple_scaled(method, input_scale=(1.0, 1.0), output_scale=(1.0, 1.0)):
    """The toy problem in other units."""
    points, f = toy_samples(60, 5).points, toy_polynomial()
    s_in, s_out = np.array(input_scale), np.array(output_scale)
    jacobians = f.jacobian(points) * s_out[:, None] / s_in
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0, "method": method}
    options |= {"n_starts": 2} | QUICK.get(method, {})
    return decouple_implicit(Samples(points * s_in, f(points) * s_out, jacobians), **options)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("input_scale", "output_scale"),
    [(1e6, 1), (1, 1e-6), ([1e6, 1e-6], [1e-6, 1e6])],
)
def test_units_do_not_matter(method, input_scale, output_scale):
    points = toy_samples(60, 5).points
    values = toy_polynomial()(points)
    s_in, s_out = np.broadcast_to(input_scale, 2), np.broadcast_to(output_scale, 2)
    one, other = decouple_scaled(method), decouple_scaled(method, tuple(s_in), tuple(s_out))
    np.testing.assert_allclose(other(points * s_in) / s_out, one(points), atol=1e-5 * values.std())


def test_shift_and_order_of_points_do_not_matter(rng):
    samples = toy_samples(60, 6)
    shifted = Samples(samples.points + 1e4, samples.values - 7, samples.jacobians)
    order = rng.permutation(60)
    mixed = Samples(samples.points[order], samples.values[order], samples.jacobians[order])
    options = {"n_branches": 2, "basis": Polynomial(3), "n_starts": 4, "random_state": 0}
    d = decouple_implicit(samples, **options)
    expected = d(samples.points)
    tolerance = 1e-6 * samples.values.std()
    np.testing.assert_allclose(
        decouple_implicit(shifted, **options)(shifted.points) + 7, expected, atol=tolerance
    )
    np.testing.assert_allclose(
        decouple_implicit(mixed, **options)(samples.points), expected, atol=tolerance
    )


@pytest.mark.slow
@settings(max_examples=4)
@given(seed=st.integers(0, 1000), n=st.integers(1, 3), m=st.integers(1, 3), r=st.integers(1, 4))
def test_any_shape_gives_a_finite_answer(seed, n, m, r):
    samples, _ = exact_samples(seed, n, m, r, N=30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", unbraid.FitWarning)  # r > n*m on 30 points may be rough
        d = decouple_implicit(samples, n_branches=r, n_starts=2, max_iterations=10, random_state=0)
    assert d(samples.points).shape == (30, n)
    assert np.all(np.isfinite(d(10 * samples.points)))
    np.testing.assert_allclose(np.linalg.norm(d.V, axis=0), 1)
    np.testing.assert_allclose(np.linalg.norm(d.W, axis=0), 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("r", [1, 2, 5])
def test_decouples_linear_functions(method, r):
    points = toy_samples(40, 7).points
    values = points @ np.array([[1.0, 2.0], [3.0, 4.0]])
    samples = Samples(points, values, np.tile([[1.0, 3.0], [2.0, 4.0]], (40, 1, 1)))
    d = decouple_implicit(
        samples, n_branches=r, method=method, random_state=0, **QUICK.get(method, {})
    )
    assert np.all(np.isfinite(d.jacobian(points)))
    if r >= 2:
        assert d.fitted_error.max() < 1e-5


def test_repeated_points_change_nothing():
    samples = toy_samples(50, 8)
    twice = Samples(
        *(np.repeat(a, 2, axis=0) for a in (samples.points, samples.values, samples.jacobians))
    )
    options = {"n_branches": 2, "basis": Polynomial(3), "random_state": 0}
    one, two = decouple_implicit(samples, **options), decouple_implicit(twice, **options)
    np.testing.assert_allclose(two.fitted_error, one.fitted_error, rtol=1e-3)


def test_points_that_nearly_coincide_do_no_harm(rng):
    cluster = np.array([0.3, 0.2]) + 1e-8 * rng.standard_normal((40, 2))
    points = np.vstack([rng.uniform(-1, 1, (30, 2)), cluster])
    d = decouple_implicit(
        lambda p: np.sin(p[:, :1] + p[:, 1:]) + p[:, :1] ** 2, points, 2, random_state=0
    )
    assert d.fitted_error[0] < 5


@pytest.mark.parametrize("method", METHODS)
def test_two_distinct_points_are_enough(method):
    points = np.repeat([[0.0], [1.0]], 10, axis=0)
    d = decouple_implicit(
        lambda p: 3 * p, points, 1, method=method, random_state=0, **QUICK.get(method, {})
    )
    assert d.fitted_error[0] < 1e-6


def test_ignores_an_output_that_is_constant_but_for_rounding():
    points = toy_samples(60, 3).points
    wave = lambda p: np.sin(p[:, 0] + p[:, 1])  # noqa: E731
    alone = decouple_implicit(wave, points, 1, random_state=0).fitted_error[0]
    f = lambda p: np.stack([wave(p), np.cos(p[:, 1]) ** 2 + np.sin(p[:, 1]) ** 2], 1)  # noqa: E731
    assert decouple_implicit(f, points, 1, random_state=0).fitted_error[0] < 1.1 * alone


def test_only_the_ratio_of_weights_counts():
    options = {"n_branches": 2, "method": "explicit", "smoothness": 1e4, "random_state": 0}
    samples = toy_samples(60, 3)
    one = decouple_implicit(samples, weights=[1, 1], **options).fitted_error
    np.testing.assert_allclose(
        decouple_implicit(samples, weights=[64, 64], **options).fitted_error, one
    )


@pytest.mark.parametrize("method", METHODS)
def test_nan_outside_the_data_only(method):
    samples = toy_samples(60, 4)
    options = {"n_branches": 2, "method": method, "random_state": 0, **QUICK.get(method, {})}
    d = decouple_implicit(samples, extrapolate="nan", **options)
    assert np.all(np.isfinite(d(samples.points)))
    assert np.all(np.isnan(d([[100.0, 100.0]])))


@pytest.mark.slow
def test_warns_of_jacobians_of_other_values():
    samples = toy_samples(60, 4)
    doubled, transposed = 2 * samples.jacobians, samples.jacobians.transpose(0, 2, 1)
    for wrong, message, n_starts in ((doubled, "belong", 2), (transposed, "rougher", 8)):
        wrong_samples = Samples(samples.points, samples.values, wrong)
        with pytest.warns(unbraid.FitWarning, match=message):
            decouple_implicit(wrong_samples, n_branches=3, n_starts=n_starts, random_state=0)


def test_warns_of_a_basis_that_is_too_small():
    points = unbraid.sampling.uniform(400, [-9, -9], [9, 9], random_state=0)
    with pytest.warns(unbraid.FitWarning, match="more coefficients"):
        decouple_implicit(lambda p: np.sin(p[:, 0] + 2 * p[:, 1]), points, 1, random_state=0)


def test_fits_points_on_a_line_and_a_constant_input():
    line = np.outer(np.linspace(-1, 1, 50), [1.0, 2.0])
    d = decouple_implicit(lambda p: p[:, :1] * p[:, 1:], line, 2, random_state=0)
    assert d.fitted_error[0] < 1e-3
    still = np.column_stack([np.linspace(-1, 1, 50), np.full(50, 2.0)])
    assert (
        decouple_implicit(lambda p: p[:, :1] * p[:, 1:], still, 1, random_state=0).fitted_error[0]
        < 1e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_same_seed_gives_the_same_bits(method):
    samples = toy_samples(40, 9)
    options = {"n_branches": 2, "method": method, "n_starts": 3, **QUICK.get(method, {})}
    one, two = (decouple_implicit(samples, random_state=11, **options) for _ in range(2))
    np.testing.assert_array_equal(one(samples.points), two(samples.points))
    state = np.random.SeedSequence(11)
    for _ in range(2):  # the same object twice
        again = decouple_implicit(samples, random_state=state, **options)
        np.testing.assert_array_equal(one(samples.points), again(samples.points))


@pytest.mark.parametrize("method", ["varpro", "implicit"])
def test_weights_shift_the_error_between_outputs(method):
    samples = toy_samples(60, 10)
    options = {"n_branches": 1, "basis": Polynomial(3), "n_starts": 3, "method": method}
    options["random_state"] = 0
    first = decouple_implicit(samples, weights=[100, 1], **options).fitted_error
    second = decouple_implicit(samples, weights=[1, 100], **options).fitted_error
    assert first[0] < second[0]
    assert second[1] < first[1]
