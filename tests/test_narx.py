"""NARX models against the loop written out, against exact systems, and against careless use."""

from __future__ import annotations

import importlib.util
import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unbraid
from reference import narx as written_out
from unbraid import (
    RBF,
    BSpline,
    ConvergenceWarning,
    Fourier,
    InvalidFile,
    InvalidOption,
    InvalidSamples,
    PiecewiseLinear,
    Polynomial,
)
from unbraid.cases import duffing, silverbox
from unbraid.errors import DivergenceError
from unbraid.model._branch import Branch, Expansion
from unbraid.model._function import DecoupledFunction
from unbraid.narx import NARX, Estimator, fit_polynomial_narx, from_sysidentpy, load
from unbraid.narx._gauss_newton import Task
from unbraid.narx._lags import Lags
from unbraid.narx._layout import Layout
from unbraid.narx._simulation import Setting, _loop, simulate, substitute
from unbraid.narx._static_map import static_map
from unbraid.sources._hermite import HermitePolynomial, HermiteTerms, whitening

DATA = Path(os.environ.get("UNBRAID_DATA", Path(__file__).parents[2] / "shared" / "data"))
RECORD = DATA / "silverbox.npz"
needs_silverbox = pytest.mark.skipif(
    not RECORD.exists(), reason=f"the Silverbox record is not at {RECORD}; set UNBRAID_DATA"
)


def random_function(rng, n_inputs, n_outputs, r, gain, extrapolate="linear", basis=None):
    """A decoupled function whose slopes are about as large as ``gain`` says."""
    branches = []
    for _ in range(r):
        bound = (Polynomial(3) if basis is None else basis).bind(np.linspace(-2, 2, 50))
        coefficients = rng.standard_normal(bound.n_functions)
        branches.append(Branch(Expansion(bound, coefficients), extrapolate))
    W, V = rng.standard_normal((n_outputs, r)), rng.standard_normal((n_inputs, r))
    d = DecoupledFunction(W, V, tuple(branches), 0.1 * rng.standard_normal(n_outputs))
    size = np.abs(d.jacobian(rng.uniform(-1, 1, (200, n_inputs)))).sum(axis=2).max()
    return replace(d, W=gain / size * W)


def lags_of(n_u, n_y):
    return Lags.expand((0, 1), (1, 2, 3), n_u, n_y)


# Regressors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_u", "n_y"), [(1, 1), (2, 3)])
def test_regressors_are_those_of_the_definition(n_u, n_y):
    rng = np.random.default_rng(0)
    u, y = rng.standard_normal((20, n_u)), rng.standard_normal((20, n_y))
    model = NARX(None, (0, 2), (1, 4))
    expected = written_out.regressors(u, y, (0, 2), (1, 4))
    assert np.array_equal(model.regressors(u, y), expected)


def test_lags_never_cross_from_one_record_to_the_next():
    rng = np.random.default_rng(0)
    u, y = [rng.standard_normal(k) for k in (9, 7)], [rng.standard_normal(k) for k in (9, 7)]
    model = NARX(None, (0, 1), (1, 2))
    apart = [model.regressors(a, b) for a, b in zip(u, y, strict=True)]
    assert np.array_equal(model.regressors(u, y), np.concatenate(apart))


def test_lags_may_differ_from_channel_to_channel():
    lags = Lags.expand([(0,), (2, 3)], (1,), 2, 1)
    assert lags.names == ("u1(t)", "u2(t-2)", "u2(t-3)", "y(t-1)")
    u, y = np.arange(10.0).reshape(5, 2), np.arange(5.0)[:, None]
    assert np.array_equal(lags.table(u, y, 3, 5), [[6, 3, 1, 2], [8, 5, 3, 3]])


# Simulation ---------------------------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    n_u=st.integers(1, 2),
    n_y=st.integers(1, 3),
    r=st.integers(1, 4),
    gain=st.floats(0.1, 3.0),
)
def test_newton_gives_what_the_loop_gives(seed, n_u, n_y, r, gain):
    rng = np.random.default_rng(seed)
    function = random_function(rng, 2 * n_u + 3 * n_y, n_y, r, gain)
    u, initial = rng.standard_normal((150, n_u)), rng.standard_normal((5, n_y))
    expected = written_out.simulate(function, u, initial, (0, 1), (1, 2, 3))
    model = NARX(function, (0, 1), (1, 2, 3))
    if not np.all(np.isfinite(expected)):
        with pytest.raises(DivergenceError) as caught:
            model.simulate(u, initial)
        first = np.flatnonzero(~np.all(np.isfinite(expected), axis=1))[0]
        assert caught.value.sample == first
        return
    found = model.simulate(u, initial)
    size = np.abs(expected).max()
    chaotic = _perturbed_by(function, u, initial, expected)
    assert np.abs(found - expected).max() <= 1e-10 * size + 1e3 * chaotic


def _perturbed_by(function, u, initial, expected):
    """What rounding alone does to this run: large where the model amplifies it."""
    other = written_out.simulate(function, u, initial * (1 + 1e-15), (0, 1), (1, 2, 3))
    return np.abs(other - expected).max()


@pytest.mark.parametrize("seed", range(3))
def test_newton_and_loop_agree_on_polynomials(seed):
    rng = np.random.default_rng(seed)
    terms = HermiteTerms(5, 3)
    coefficients = 0.05 * rng.standard_normal((1, len(terms)))
    function = HermitePolynomial(coefficients, terms, np.zeros(5), 0.5 * np.eye(5))
    u, lags = rng.uniform(-1, 1, (400, 1)), lags_of(1, 1)
    fast = simulate(static_map(function, np.zeros((2, 5)), 1), lags, Setting(u, np.zeros((3, 1))))
    slow = written_out.simulate(function, u, np.zeros((3, 1)), (0, 1), (1, 2, 3))
    assert fast.looped == 0
    assert np.abs(fast.y - slow).max() < 1e-12


BOUNDED = {
    "bistable": lambda p: 1.3 * p[:, 1] - 0.3 * p[:, 1] ** 3 + 0.2 * p[:, 0],
    "cubic damping": lambda p: 0.8 * p[:, 1] + p[:, 0] - 0.3 * p[:, 1] ** 3,
    "clipped gain": lambda p: (
        3 * np.clip(p[:, 1], -1, 1) + 0.3 * (p[:, 1] - np.clip(p[:, 1], -1, 1)) + p[:, 0]
    ),
    "saturated oscillator": lambda p: 1.8 * np.tanh(1.2 * p[:, 1]) - 0.5 * p[:, 1] + 0.1 * p[:, 0],
}


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("seed", range(3))
def test_a_bounded_system_on_which_newton_overshoots(name, seed):
    u = 0.4 * np.random.default_rng(seed).standard_normal((1500, 1))
    expected = written_out.simulate(BOUNDED[name], u, np.full((1, 1), 0.1), (1,), (1,))
    found = NARX(BOUNDED[name], (1,), (1,)).simulate(u, np.full((1, 1), 0.1))
    assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max()


def test_growth_from_almost_nothing():
    model = NARX(lambda p: p[:, 1] + 0.1 * p[:, 1] * (1 - p[:, 1]) + 0 * p[:, 0], (0,), (1,))
    found = model.simulate(np.zeros(400), [1e-3])
    assert abs(found[-1] - 1) < 1e-9
    assert np.all(np.diff(found) >= -1e-12)


def test_outputs_of_unlike_size_are_each_solved():
    def apart(p):
        first = 0.9 * p[:, 1] + 1e7 * np.tanh(p[:, 0])
        z = p[:, 2] / 1e-9
        return np.stack([first, 1e-9 * (0.9 * z + np.tanh(p[:, 0]) - np.tanh(z) ** 3)], axis=1)

    u = np.random.default_rng(0).standard_normal((1000, 1))
    expected = written_out.simulate(apart, u, np.zeros((1, 2)), (1,), (1,))
    found = NARX(apart, (1,), (1,)).simulate(u, np.zeros((1, 2)))
    assert np.all(np.abs(found - expected).max(axis=0) < 1e-10 * expected.std(axis=0))


def test_score_and_simulation_agree_that_a_model_runs_off():
    rng = np.random.default_rng(0)
    u, y = np.zeros(2000), np.zeros(2000)
    for t in range(1, 2000):  # an unstable system, held by a controller
        y[t] = 1.1 * y[t - 1] + u[t - 1]
        u[t] = -0.6 * y[t] + rng.standard_normal()
    model = fit_polynomial_narx(u, y, (1,), (1,), 1)
    with pytest.raises(DivergenceError) as caught:
        model.simulate(u, y[:1])
    assert model.score(u, y).diverged_at == caught.value.sample


def test_a_map_in_single_precision_needs_no_loop():
    rng = np.random.default_rng(0)

    def single(p):
        return np.tanh(p.astype(np.float32) @ np.array([0.8, 0.5], dtype=np.float32))

    u = rng.standard_normal((3000, 1))
    chosen = static_map(single, np.zeros((2, 2)), 1)
    run = simulate(chosen, Lags.expand((0,), (1,), 1, 1), Setting(u, np.zeros((1, 1))))
    assert run.looped == 0
    expected = written_out.simulate(single, u, np.zeros((1, 1)), (0,), (1,))
    assert np.abs(run.y - expected).max() < 1e-5


def test_long_input_lags_do_not_widen_the_band():
    lags = Lags.expand((0, 400), (1, 2), 1, 1)
    assert (lags.longest, lags.memory) == (400, 2)
    rng = np.random.default_rng(0)
    function = random_function(rng, 4, 1, 2, 0.7)
    u = rng.standard_normal((900, 1))
    expected = written_out.simulate(function, u, np.zeros((400, 1)), (0, 400), (1, 2))
    found = NARX(function, (0, 400), (1, 2)).simulate(u, np.zeros((400, 1)))
    assert np.abs(found - expected).max() < 1e-11


def test_a_model_without_feedback():
    model = NARX(lambda p: np.sin(p[:, 0]) + p[:, 1], (0, 2), ())
    u = np.random.default_rng(0).standard_normal(50)
    found = model.simulate(u, np.zeros(2))
    assert np.allclose(found[2:], np.sin(u[2:]) + u[:-2])
    static = NARX(lambda p: 2 * p, (0,), ())
    assert np.allclose(static.simulate(u, []), 2 * u)


def test_a_kinked_map_is_simulated_all_the_same():
    def step(p):
        return np.where(p[:, :1] + 0.5 * p[:, 1:] > 0.1, 0.7, -0.4) + 0.3 * p[:, 1:]

    u = np.random.default_rng(0).uniform(-1, 1, (500, 1))
    model = NARX(step, (0,), (1,))
    expected = written_out.simulate(step, u, np.zeros((1, 1)), (0,), (1,))
    assert np.allclose(model.simulate(u, np.zeros((1, 1))), expected, atol=1e-13)


def test_a_map_of_single_points_is_simulated():
    model = NARX(lambda p: 0.5 * p[0] + 0.8 * p[1] ** 2, (0,), (1,))
    u = np.full(100, 0.1)
    expected = 0.0
    found = model.simulate(u, [0.0])
    for k in range(1, 100):
        expected = 0.5 * u[k] + 0.8 * expected**2
        assert abs(found[k] - expected) < 1e-14


def test_divergence_is_reported_with_its_sample_and_what_came_before():
    model = NARX(lambda p: p[:, 0] + 1.5 * p[:, 1], (0,), (1,), limit=100.0)
    u = np.ones(60)
    expected = written_out.simulate(model.function, u[:, None], np.zeros((1, 1)), (0,), (1,))[:, 0]
    first = int(np.flatnonzero(np.abs(expected) > 100)[0])
    with pytest.raises(DivergenceError, match=f"sample {first}") as caught:
        model.simulate(u, [0.0])
    assert caught.value.sample == first
    assert np.allclose(caught.value.y[:first], expected[:first], rtol=1e-12)
    assert np.all(np.isnan(caught.value.y[first:]))
    score = model.score(u, expected)
    assert score.percent == np.inf
    assert score.diverged_at == first


def test_overflow_is_divergence_also_without_a_limit():
    model = NARX(lambda p: 2 + p[:, 0] + p[:, 1] ** 3, (0,), (1,))
    with pytest.raises(DivergenceError, match="sample 8 of record 1"):
        model.simulate([np.full(4, -2.0), np.zeros(40)], [0.0])


def test_several_records_are_run_apart():
    rng = np.random.default_rng(1)
    model = NARX(random_function(rng, 5, 1, 2, 0.7), (0, 1), (1, 2, 3))
    u = [rng.standard_normal(60), rng.standard_normal(80)]
    starts = [np.zeros(3), np.ones(4)]
    both = model.simulate(u, starts)
    for k in range(2):
        assert np.array_equal(both[k], model.simulate(u[k], starts[k]))


def test_substitution_is_the_triangular_solve():
    rng = np.random.default_rng(0)
    lags, n, size = Lags.expand((0,), (1, 3), 1, 2), 2, 12
    slopes, right = rng.standard_normal((size, n, 4)), rng.standard_normal((size, n, 5))
    head = rng.standard_normal((3, n, 5))
    x = np.concatenate([head, np.zeros((size, n, 5))])
    for k in range(size):
        past = np.stack([x[3 + k - lag, c] for c in range(n) for lag in (1, 3)])
        x[3 + k] = np.einsum("ok,kq->oq", slopes[k], past) + right[k]
    assert np.allclose(substitute(slopes, lags, right, head), x[3:], rtol=1e-10)


@pytest.mark.parametrize("feedback", [0.0, 0.6, 1.0])
def test_loop_and_newton_agree_under_partial_feedback(feedback):
    rng = np.random.default_rng(3)
    function, lags = random_function(rng, 5, 1, 2, 0.8), lags_of(1, 1)
    u, measured = rng.standard_normal((200, 1)), rng.standard_normal((200, 1))
    setting = Setting(u, measured[:3], np.inf, measured, feedback)
    chosen = static_map(function, np.zeros((2, 5)), 1)
    slow = measured.copy()
    assert _loop(chosen, lags, setting, slow, 3, 200) is None
    assert np.allclose(simulate(chosen, lags, setting).y, slow, atol=1e-12)
    if feedback == 0.0:
        assert np.allclose(slow[3:], function(lags.table(u, measured, 3, 200)), atol=1e-12)


def test_prediction_is_the_map_at_measured_regressors():
    rng = np.random.default_rng(0)
    model = NARX(random_function(rng, 5, 1, 2, 0.7), (0, 1), (1, 2, 3))
    u, y = (
        [rng.standard_normal(30), rng.standard_normal(20)],
        [rng.standard_normal(30), rng.standard_normal(20)],
    )
    for k, found in enumerate(model.predict(u, y)):
        assert np.array_equal(found[:3], y[k][:3])
        rows = written_out.regressors(u[k][:, None], y[k][:, None], (0, 1), (1, 2, 3))
        assert np.allclose(found[3:], model.function(rows)[:, 0], atol=1e-14)


# Polynomial regression ----------------------------------------------------------------------


def cubic_system(size=600, seed=0, scale_u=1.0, scale_y=1.0, noise=0.0):
    rng = np.random.default_rng(seed)
    u, y = rng.uniform(-1, 1, size), np.zeros(size)
    for t in range(2, size):
        y[t] = 0.5 * y[t - 1] - 0.1 * y[t - 2] ** 3 + 0.2 * u[t] * y[t - 1] + u[t - 1] + 0.1
    return scale_u * u, scale_y * (y + noise * rng.standard_normal(size))


@pytest.mark.parametrize("scales", [(1, 1), (1e6, 1e-6), (1e-6, 1e6)])
def test_a_polynomial_system_is_found_exactly_at_any_scale(scales):
    u, y = cubic_system(scale_u=scales[0], scale_y=scales[1])
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    assert model.score(u, y).percent < 1e-8
    fresh = cubic_system(300, 5, *scales)
    assert model.score(*fresh).percent < 1e-8


def test_monomials_show_the_terms_that_are_there():
    model = fit_polynomial_narx(*cubic_system(), (0, 1), (1, 2), 3)
    shown = model.function.monomials()
    terms = {tuple(e): c for e, c in zip(shown.exponents, shown.coefficients[0], strict=True)}
    wanted = {
        (0, 0, 1, 0): 0.5,
        (0, 0, 0, 3): -0.1,
        (1, 0, 1, 0): 0.2,
        (0, 1, 0, 0): 1.0,
        (0,) * 4: 0.1,
    }
    for exponent, coefficient in terms.items():
        assert abs(coefficient - wanted.get(exponent, 0.0)) < 1e-8


def test_regression_is_least_squares_on_all_monomials():
    u, y = cubic_system(noise=0.05)
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 2)
    rows = model.regressors(u, y)
    columns = [np.ones(len(rows)), *rows.T]
    columns += [rows[:, i] * rows[:, j] for i in range(4) for j in range(i, 4)]
    design = np.stack(columns, axis=1)
    best = design @ np.linalg.lstsq(design, y[2:], rcond=None)[0]
    assert np.allclose(model.predict(u, y)[2:], best, atol=1e-10)


def test_ridge_shrinks_all_but_the_constant():
    u, y = cubic_system(noise=0.05)
    plain, damped = (fit_polynomial_narx(u, y, (0, 1), (1, 2), 3, ridge=k) for k in (0.0, 1e4))
    assert np.linalg.norm(damped.function.coefficients[:, 1:]) < 1e-3
    assert np.linalg.norm(plain.function.coefficients[:, 1:]) > 0.1
    assert abs(damped.predict(u, y)[5] - y[2:].mean()) < 1e-2


def test_records_are_pooled_in_the_regression():
    (u1, y1), (u2, y2) = cubic_system(200, 1), cubic_system(150, 2)
    model = fit_polynomial_narx([u1, u2], [y1, y2], (0, 1), (1, 2), 3)
    assert model.score([u1, u2], [y1, y2]).percent < 1e-8


def test_several_inputs_and_outputs():
    rng = np.random.default_rng(0)
    u, y = rng.uniform(-1, 1, (400, 2)), np.zeros((400, 2))
    for t in range(1, 400):
        a, b = y[t - 1]
        y[t] = [0.5 * a - 0.2 * b**2 + u[t, 0], 0.4 * b + 0.1 * a * b + u[t - 1, 1]]
    model = fit_polynomial_narx(u, y, (0, 1), (1,), 2)
    score = model.score(u, y)
    assert score.percent.shape == (2,)
    assert score.percent.max() < 1e-8
    small = model.decouple(6, basis=Polynomial(2), random_state=0, n_points=150)
    assert small.score(u, y).percent.max() < 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        tuned = small.refine(u, y, max_iterations=15, held_out=0.0)
    assert tuned.score(u, y).percent.max() <= small.score(u, y).percent.max()


@pytest.mark.slow
def test_many_terms_are_regressed_without_holding_them_all():
    import tracemalloc

    rng = np.random.default_rng(0)
    u, y = rng.standard_normal(70_000), rng.standard_normal(70_000)
    tracemalloc.start()
    model = fit_polynomial_narx(u, y, tuple(range(6)), tuple(range(1, 7)), 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.function.coefficients.shape == (1, 455)
    assert peak < 0.5 * 8 * 70_000 * 455


def test_hermite_terms_and_derivatives():
    rng = np.random.default_rng(0)
    terms = HermiteTerms(3, 4)
    f = HermitePolynomial(
        rng.standard_normal((2, len(terms))),
        terms,
        rng.standard_normal(3),
        rng.standard_normal((3, 3)),
    )
    p = rng.standard_normal((5, 3))
    step = 1e-6 * np.eye(3)
    by_difference = np.stack([(f(p + s) - f(p - s)) / 2e-6 for s in step], axis=2)
    assert np.allclose(f.jacobian(p), by_difference, atol=1e-6 * np.abs(by_difference).max())
    x = rng.standard_normal((200_000, 2))
    table = HermiteTerms(2, 3).table(x)
    assert np.abs(table @ table.T / len(x) - np.eye(len(table))).max() < 0.1


def test_whitening_survives_collinear_and_constant_regressors():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 2))
    table = np.column_stack([x, x[:, 0] - x[:, 1], np.zeros(500)])
    table -= table.mean(axis=0)
    white = table @ whitening(table, 500)
    spreads = np.linalg.svd(np.cov(white, rowvar=False, bias=True), compute_uv=False)
    assert np.allclose(spreads, [1, 1, 0, 0], atol=1e-9)


def test_an_oversampled_system_keeps_its_digits():
    """Lagged samples of a smooth signal are all but collinear."""
    rng = np.random.default_rng(0)
    poles = np.exp(0.02 * np.array([-0.1 + 1j, -0.1 - 1j, -0.2 + 2j, -0.2 - 2j]))
    a = np.real(np.poly(poles))
    u, y = rng.standard_normal(4000), np.zeros(4000)
    for t in range(4, 4000):
        y[t] = -a[1:] @ y[t - 4 : t][::-1] + 1e-6 * u[t - 1]
    model = fit_polynomial_narx(u, y, (1,), (1, 2, 3, 4), 1)
    assert model.score(u, y).percent < 1e-3


def test_monomials_are_the_same_polynomial_also_of_collinear_inputs():
    u, y = cubic_system()
    model = fit_polynomial_narx(np.column_stack([u, 1000 * u]), y, (0, 1), (1, 2), 2)
    rows = model.regressors(np.column_stack([u, 1000 * u]), y)
    assert np.allclose(model.function.monomials()(rows), model.function(rows), atol=1e-6)


# Operating points ---------------------------------------------------------------------------


@pytest.mark.parametrize("points", ["random", "space-filling", "covariance"])
def test_operating_points_come_from_the_record(points):
    u, y = cubic_system()
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    near = model.operating_points(points, 200, random_state=0)
    far = model.operating_points(points, 200, spread=2.0, random_state=0)
    assert near.shape == far.shape == (200, 4)
    centre = model.regressors(u, y).mean(axis=0)
    assert np.allclose(far - centre, 2.0 * (near - centre), atol=1e-9)
    again = model.operating_points(points, 200, random_state=0)
    assert np.array_equal(near, again)
    rows = {tuple(row) for row in model.regressors(u, y)}
    assert all(tuple(p) in rows for p in near) == (points != "covariance")


def test_space_filling_points_lie_farther_apart():
    u, y = cubic_system()
    model = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)

    def closest(kind):
        p = model.operating_points(kind, 50, random_state=0)
        apart = np.linalg.norm(p[:, None] - p[None], axis=2)
        return apart[~np.eye(50, dtype=bool)].min()

    assert closest("space-filling") > 2 * closest("random")


# Refinement ---------------------------------------------------------------------------------


@pytest.mark.parametrize("basis", [Polynomial(3), BSpline(7)])
@pytest.mark.parametrize(("n_y", "feedback"), [(1, 1.0), (2, 1.0), (1, 0.5)])
def test_sensitivities_are_the_derivatives_of_the_simulation(basis, n_y, feedback, monkeypatch):
    monkeypatch.setattr("unbraid.narx._gauss_newton.ROWS", 16)  # several windows
    rng = np.random.default_rng(0)
    lags = lags_of(1, n_y)
    d = random_function(rng, lags.n_regressors, n_y, 2, 0.6, basis=basis)
    root = rng.standard_normal((lags.n_regressors,) * 2)
    layout = Layout(d, root, np.ones(2))
    from unbraid.narx._records import Record

    roots = rng.uniform(0.5, 2.0, 60)
    record = Record(rng.standard_normal((60, 1)), rng.standard_normal((60, n_y)), roots)
    task = Task(lags, [record], 4, np.full(n_y, 0.7), np.inf, feedback)
    numbers = layout.pack()
    assert np.allclose(
        layout.unpack(numbers)(np.ones((1, d.n_inputs))), d(np.ones((1, d.n_inputs)))
    )
    matrix, gradient = task.normal_equations(layout, d, task.runs(d))

    def miss(x):
        run = task.runs(layout.unpack(x))[0].y
        return (roots[4:, None] * (run - record.y)[4:] / 0.7).ravel()

    step = 1e-6
    columns = [
        (miss(numbers + step * e) - miss(numbers - step * e)) / (2 * step)
        for e in np.eye(numbers.size)
    ]
    S = np.stack(columns, axis=1)
    assert np.allclose(matrix, S.T @ S, atol=1e-5 * np.abs(S.T @ S).max())
    assert np.allclose(gradient, S.T @ miss(numbers), atol=1e-5 * np.abs(gradient).max())


def ridge_system(size=3000, seed=0, noise=0.01):
    """A system that is a NARX model of two branches."""
    rng = np.random.default_rng(seed)
    u, y = rng.uniform(-1, 1, size), np.zeros(size)
    for t in range(2, size):
        y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 2] + 0.8 * u[t - 1] - 0.2 * (y[t - 1] - u[t]) ** 3
    return u, y + noise * y.std() * rng.standard_normal(size)


def test_refinement_reaches_the_noise():
    u, y = ridge_system(noise=0.05)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple(2, random_state=0)
    tuned = small.refine(u, y)
    clean = ridge_system(noise=0.0)
    assert tuned.score(*clean).percent < small.score(*clean).percent < 1.0
    assert abs(tuned.score(u, y).percent - 5.0) < 0.15
    assert tuned.refinement.converged
    assert tuned.refinement.stages == (1.0,)
    fresh = ridge_system(1000, 7, 0.0)
    assert tuned.score(*fresh).percent < 1.0


def test_units_do_not_matter():
    u, y = ridge_system(1500)
    errors = []
    for a, b in ((1.0, 1.0), (1e6, 1e-6)):
        reference = fit_polynomial_narx(a * u, b * y, (0, 1), (1, 2), 3)
        tuned = reference.decouple(2, random_state=0).refine(a * u, b * y)
        errors.append(tuned.score(a * u, b * y).percent)
    assert abs(errors[0] - errors[1]) < 1e-3 * errors[0]


def test_a_start_that_runs_off_is_led_in():
    u, y = ridge_system()
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple(2, random_state=0)
    wild = replace(small.function, W=6.0 * small.function.W)
    lost = replace(small, function=wild)
    assert lost.score(u, y).percent == np.inf
    found = lost.refine(u, y)
    assert found.score(u, y).percent < 1.3
    assert found.refinement.stages[0] == 0.0
    assert found.refinement.stages[-1] == 1.0


def test_several_records_and_a_held_out_one():
    records = [ridge_system(800, seed) for seed in (1, 2, 3)]
    u, y = [a for a, _ in records], [b for _, b in records]
    reference = fit_polynomial_narx(u[:2], y[:2], (0, 1), (1, 2), 3)
    small = reference.decouple(2, random_state=0)
    tuned = small.refine(u[:2], y[:2], held_out=(u[2], y[2]))
    seen = tuned.refinement.held_out_errors
    assert abs(tuned.score(u[2], y[2]).percent - min(seen)) < 0.01 * min(seen)
    assert tuned.score(u[2], y[2]).percent < 1.002 * small.score(u[2], y[2]).percent


def test_refinement_with_splines_and_linear_continuation():
    u, y = ridge_system()
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple(2, basis=BSpline(8), random_state=0)
    tuned = small.refine(u, y, held_out=0.0)  # all samples, as they are scored
    assert tuned.score(u, y).percent < min(1.2, small.score(u, y).percent)
    assert np.allclose(np.linalg.norm(tuned.function.V, axis=0), 1.0)


def test_what_is_finished_is_what_was_found():
    u, y = ridge_system()
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    tuned = small.refine(u, y, held_out=0.0)
    assert abs(tuned.score(u, y).percent - min(tuned.refinement.errors)) < 1e-6
    largest = np.argmax(np.abs(tuned.function.V), axis=0)
    assert np.all(np.take_along_axis(tuned.function.V, largest[None], 0) > 0)


def test_weights_say_which_samples_count():
    u, y = ridge_system(1500)
    spoilt = y.copy()
    spoilt[300:400] += 5.0
    weights = np.ones(1500)
    weights[300:400] = 0.0
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    kept = small.refine(u, spoilt, weights=weights, held_out=0)
    spoiled = small.refine(u, spoilt, held_out=0)
    assert kept.score(u, y).percent < 1.1 < spoiled.score(u, y).percent


def test_the_held_out_part_is_the_end_with_what_it_starts_from():
    records = NARX(None, (0,), (1,)).records(np.arange(100.0), np.arange(100.0))
    fitted, held = records.split(0.2, 7)
    assert np.array_equal(fitted.items[0].y[:, 0], np.arange(80.0))
    assert np.array_equal(held.items[0].y[:, 0], np.arange(73.0, 100.0))


def test_what_the_data_does_not_excite_is_left_alone():
    """The input begins after the fitted part: its weights must survive."""
    rng = np.random.default_rng(0)
    u, y = np.r_[np.zeros(900), rng.standard_normal(600)], np.zeros(1500)
    y[:2] = 1.0
    for t in range(2, 1500):
        y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 2] + np.tanh(u[t - 1])
    y += 0.01 * rng.standard_normal(1500)
    small = fit_polynomial_narx(u, y, (1,), (1, 2), 3).decouple(2, random_state=0)
    before, part = small.score(u, y).percent, slice(0, 1000)
    tuned = small.refine(u[part], y[part])
    assert tuned.score(u, y).percent < 1.2 * before


@pytest.mark.parametrize(
    "basis", [Polynomial(5), BSpline(7), Fourier(2), RBF(5), PiecewiseLinear(6)]
)
def test_any_basis_is_returned_as_it_was_found(basis):
    u, y = ridge_system(1200)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple(2, basis=basis, extrapolate="linear", spread=0.5, random_state=0)
    told = []
    tuned = small.refine(u, y, held_out=0, callback=lambda _, e: told.append(e) or len(told) > 3)
    assert abs(tuned.score(u, y).percent - min(tuned.refinement.errors)) < 1e-6


def test_a_held_out_record_that_cannot_be_met_is_said():
    u, y = ridge_system(1000)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    with pytest.warns(unbraid.FitWarning, match="held-out"):
        tuned = small.refine(u, y, held_out=(100 * u, y))
    assert tuned.score(u, y).percent < 1.2


def test_a_solver_object_decouples_too():
    u, y = ridge_system(1000)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    solver = unbraid.solvers.VarPro(random_state=0)
    assert reference.decouple(2, method=solver).function.n_branches == 2


@pytest.mark.slow
def test_auto_stops_where_the_coupled_model_is_uncertain():
    u, y = ridge_system(2000)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    small = reference.decouple("auto", basis=Polynomial(3), n_points=150, random_state=0)
    assert small.function.n_branches <= 3


def test_a_callback_is_told_and_can_stop():
    u, y = ridge_system(1000)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    told = []
    tuned = small.refine(u, y, callback=lambda step, error: told.append((step, error)) or step >= 2)
    assert [step for step, _ in told] == [0, 1, 2]
    assert tuned.refinement.stop_reason == "stopped by the callback"


def test_too_few_steps_are_said():
    u, y = ridge_system(1000)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        small.refine(u, y, max_iterations=1)


# The Duffing twin, and the real record --------------------------------------------------------


@pytest.fixture(scope="module")
def twin():
    data = duffing(16384, 8192, random_state=0)
    return data, fit_polynomial_narx(*data.train)


def test_the_twin_is_what_it_says():
    clean = duffing(4096, 512, signal_to_noise=np.inf, random_state=1)
    noisy = duffing(4096, 512, random_state=1)
    assert np.array_equal(clean.train.u, noisy.train.u)
    ratio = np.std(noisy.train.y - clean.train.y) / clean.train.y.std()
    assert abs(ratio - 0.01) < 0.001
    assert np.abs(clean.arrow.y[:250]).max() < np.abs(clean.arrow.y[-250:]).max()
    assert np.array_equal(
        duffing(256, 256, random_state=3).test.y, duffing(256, 256, random_state=3).test.y
    )


def test_the_twin_shows_a_straight_and_a_cubic_branch(twin):
    data, reference = twin
    tuned = reference.decouple(2, random_state=0).refine(*data.train)
    assert tuned.score(*data.test, initial=50).percent < 1.1  # the noise is 1 %
    assert tuned.score(*data.arrow, initial=50).percent < 1.5
    straight, cubic = tuned.function.branches
    z = tuned.function.transform(tuned.regressors(*data.train))

    def share_of(branch, column, powers):
        g = branch(column) - branch(column).mean()
        design = np.stack([column**p for p in powers], axis=1)
        design = design - design.mean(axis=0)
        rest = g - design @ np.linalg.lstsq(design, g, rcond=None)[0]
        return 1 - np.var(rest) / np.var(g)

    assert share_of(straight, z[:, 0], [1]) > 0.999
    assert share_of(cubic, z[:, 1], [1, 3]) > 0.99
    assert share_of(cubic, z[:, 1], [1]) < 0.7
    assert abs(tuned.function.V[2, 1]) > 0.95  # the cubic spring acts on y(t-1)


@pytest.mark.slow
def test_case_study_three_on_the_twin(twin):
    data, reference = twin
    found = unbraid.scan(
        reference, n_branches=(1, 2, 3), refine=[False, True], test=data.arrow, initial=50
    )
    test = {(row.n_branches, row.settings["refine"]): row.held_out_error for row in found.rows}
    coupled = found.reference_errors[1]
    assert test[1, False] > 5 * test[2, True]
    assert test[3, False] < 1.5 * coupled
    assert max(test[2, True], test[3, True]) < coupled


@pytest.mark.slow
def test_the_papers_method_on_the_twin(twin):
    data, reference = twin
    small = reference.decouple(3, method="explicit", random_state=0)
    most = 1.5 * reference.score(*data.arrow, initial=50).percent
    assert small.score(*data.arrow, initial=50).percent < most


@pytest.fixture(scope="module")
def record():
    data = silverbox(RECORD)
    return data, fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 3)


@needs_silverbox
@pytest.mark.slow
def test_silverbox_reference(record):
    data, reference = record
    score = reference.score(*data.arrow, initial=50)
    assert reference.n_parameters == 56
    assert abs(1e3 * score.rmse - 0.54) < 0.02
    assert abs(score.percent - 1.02) < 0.02


@needs_silverbox
@pytest.mark.slow
def test_silverbox_decoupled(record):
    data, reference = record
    for r, most in ((3, 1.4), (4, 1.05)):
        small = reference.decouple(n_branches=r, basis=Polynomial(3), random_state=0)
        assert small.score(*data.arrow, initial=50).percent <= most


@needs_silverbox
@pytest.mark.slow
def test_silverbox_by_the_papers_method(record):
    data, reference = record
    grid = [10.0 ** (2 * k) for k in (-1, 0, 1, 2, 3, 5)]
    small = reference.decouple(
        3, method="explicit", smoothness=grid, basis=Polynomial(3), random_state=0
    )
    most = 1.5 * reference.score(*data.arrow, initial=50).percent
    assert small.score(*data.arrow, initial=50).percent <= most


@needs_silverbox
@pytest.mark.slow
def test_silverbox_refined(record):
    data, reference = record
    for r, freedom, most in ((2, 17, 0.80), (3, 25, 0.70)):
        tuned = reference.decouple(n_branches=r, basis=Polynomial(3), random_state=0).refine(
            *data.train
        )
        assert tuned.function.degrees_of_freedom == freedom
        assert tuned.score(*data.arrow, initial=50).percent <= most
        assert len(tuned.refinement.errors) <= 40  # steps, each of which costs a simulation


@needs_silverbox
@pytest.mark.slow
def test_silverbox_simulation_equals_the_loop(record):
    data, reference = record
    u, y = data.arrow
    slow = written_out.simulate(reference.function, u[:4000, None], y[:50, None], (0, 1), (1, 2, 3))
    fast = reference.simulate(u, y[:50])
    assert np.abs(fast[:4000] - slow[:, 0]).max() < 1e-9


def test_silverbox_loader_reads_what_there_is(tmp_path):
    rng = np.random.default_rng(0)
    u, y = rng.standard_normal((2, 131_072))
    from scipy.io import savemat

    savemat(tmp_path / "SNLS80mV.mat", {"V1": u[None], "V2": y[None]})
    np.savez(tmp_path / "mine.npz", u=u, y=y)
    table = np.column_stack([u, y])
    np.savetxt(
        tmp_path / "mine.csv", table, delimiter=",", header="V1,V2", comments="", fmt="%.17g"
    )
    for path in (tmp_path, tmp_path / "mine.npz", tmp_path / "mine.csv"):
        data = silverbox(path)
        assert np.array_equal(data.train.u, u[40_650:105_712])
        assert np.array_equal(data.arrow_no_extrapolation.y, y[100:32_100])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.mat", b"nonsense", "a.mat"),
        ("a.npz", b"PK\x03\x04broken", "a.npz"),
        ("a.csv", b"V1,V2\n1,2\n3,x\n", "a.csv"),
        ("b.csv", b"V1,V2\n1,2\n3,4\n", "131072 samples"),
        ("c.csv", b"a,b\n1,2\n3,4\n", "V1"),
        ("a.txt", b"", "no .mat"),
    ],
)
def test_silverbox_loader_refuses_what_is_not_the_record(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidFile, match=message):
        silverbox(tmp_path / name)
    with pytest.raises(InvalidFile, match=r"none\.mat"):
        silverbox(tmp_path / "none.mat")


@pytest.mark.skipif(
    importlib.util.find_spec("nonlinear_benchmarks") is not None, reason="the package is installed"
)
def test_silverbox_without_a_path_names_the_package():
    with pytest.raises(unbraid.MissingExtra, match="nonlinear_benchmarks"):
        silverbox()


# Other libraries ------------------------------------------------------------------------------


def test_a_scikit_learn_network_is_simulated_and_decoupled():
    network = pytest.importorskip("sklearn.neural_network")
    u, y = ridge_system(800)
    rows = NARX(None, (0, 1), (1, 2)).regressors(u, y)
    mlp = network.MLPRegressor(
        hidden_layer_sizes=(12,), activation="tanh", solver="lbfgs", max_iter=400, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlp.fit(rows, y[2:])
    model = NARX(mlp, (0, 1), (1, 2))
    fast = model.simulate(u[:300], y[:2])
    slow = written_out.simulate(mlp.predict, u[:300, None], y[:2, None], (0, 1), (1, 2))
    assert np.abs(fast - slow[:, 0]).max() < 1e-9
    small = model.decouple(
        3, data=(u, y), n_points=200, basis=Polynomial(3), n_starts=3, random_state=0
    )
    assert small.score(u, y).percent < 1.5 * model.score(u, y).percent
    inside = Estimator(small.function)
    assert np.allclose(inside.fit(rows).predict(rows), small.function(rows)[:, 0])


@pytest.mark.slow
def test_a_torch_module_is_simulated_and_decoupled():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)
    ).double()
    net.train()
    model = NARX(net, (0,), (1,))
    u = np.random.default_rng(0).uniform(-1, 1, 400)
    y = model.simulate(u, [0.0])
    assert net.training
    small = model.decouple(2, data=(u, y), n_points=100, n_starts=3, random_state=0)
    assert small.score(u, y).percent < 1.0
    samples = unbraid.sample(net, np.eye(2))
    assert np.allclose(samples.jacobians[:, 0], _differences(net, torch, np.eye(2)), atol=1e-7)


def _differences(net, torch, points):
    f = lambda p: net(torch.as_tensor(p)).detach().numpy()  # noqa: E731
    return np.stack(
        [(f(points + 1e-6 * e) - f(points - 1e-6 * e))[:, 0] / 2e-6 for e in np.eye(2)], 1
    )


class FakeSysIdentPy:
    """What from_sysidentpy reads of a fitted model: y(t-1), constant, u1(t-2) y(t-1), u2(t-1)^2."""

    class Polynomial:
        pass

    basis_function = Polynomial()
    final_model = np.array([[1001, 0], [0, 0], [2002, 1001], [3001, 3001]])
    theta = np.array([[0.5], [0.1], [0.2], [-0.3]])


def test_a_sysidentpy_model_becomes_a_narx_model():
    model = from_sysidentpy(FakeSysIdentPy())
    rng = np.random.default_rng(0)
    u = rng.uniform(-1, 1, (50, 2))
    y = np.zeros(50)
    for t in range(2, 50):
        y[t] = 0.5 * y[t - 1] + 0.1 + 0.2 * u[t - 2, 0] * y[t - 1] - 0.3 * u[t - 1, 1] ** 2
    assert np.allclose(model.simulate(u, y[:2]), y, atol=1e-14)
    with pytest.raises(InvalidOption, match="final_model"):
        from_sysidentpy(object())


def test_the_real_sysidentpy(tmp_path):
    pytest.importorskip("sysidentpy")
    from sysidentpy.basis_function import Polynomial as TheirPolynomial
    from sysidentpy.general_estimators import NARX as TheirNARX
    from sysidentpy.model_structure_selection import FROLS
    from sysidentpy.parameter_estimation import LeastSquares

    u, y = cubic_system(800)
    theirs = FROLS(
        order_selection=False,
        n_terms=8,
        xlag=1,
        ylag=2,
        estimator=LeastSquares(),
        basis_function=TheirPolynomial(degree=3),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X=u[:, None], y=y[:, None])
        expected = theirs.predict(X=u[:, None], y=y[:2, None])[:, 0]
    model = from_sysidentpy(theirs)
    assert np.allclose(model.simulate(u, y[:2]), expected, atol=1e-9)
    # and ours inside theirs: their regressors are 1, y(t-1), y(t-2), x(t-1), x(t-2)
    ours = fit_polynomial_narx(u, y, (1, 2), (1, 2), 3).decouple(5, random_state=0)
    inside = TheirNARX(
        base_estimator=Estimator(ours.function, columns=[3, 4, 1, 2]),
        xlag=2,
        ylag=2,
        basis_function=TheirPolynomial(degree=1),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inside.fit(X=u[:, None], y=y[:, None])
        theirs_of_ours = inside.predict(X=u[:, None], y=y[:2, None])
    assert np.allclose(np.ravel(theirs_of_ours)[2:], ours.simulate(u, y[:2])[2:], atol=1e-8)


# Files and pictures -----------------------------------------------------------------------------


def test_models_survive_a_file(tmp_path):
    u, y = cubic_system(noise=0.01)
    reference = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3)
    for model in (reference, reference.decouple(2, random_state=0)):
        again = load(model.save(tmp_path / "model.json"))
        assert np.array_equal(again.simulate(u, y[:2]), model.simulate(u, y[:2]))
        assert again.input_lags == (0, 1)
        assert np.array_equal(again.limit, model.limit)


def test_files_that_are_no_model_are_refused(tmp_path):
    u, y = cubic_system(noise=0.01)
    small = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3).decouple(2, random_state=0)
    plain = small.function.save(tmp_path / "function.json")
    with pytest.raises(InvalidFile, match="no NARX"):
        load(plain)
    path = small.save(tmp_path / "model.json")
    text = path.read_text()
    for old, new in (
        ('"decoupled"', '"other"'),
        ('"input_lags": [', '"input_lags": [-1, '),
        ('"W"', '"X"'),
    ):
        path.write_text(text.replace(old, new))
        with pytest.raises(InvalidFile):
            load(path)
    with pytest.raises(InvalidOption, match="saved"):
        NARX(abs, (0,), (1,)).save(tmp_path / "x.json")


@pytest.mark.slow
def test_pictures(tmp_path, twin):
    pytest.importorskip("matplotlib")
    data, reference = twin
    figure = reference.plot(*data.arrow, initial=50, path=tmp_path / "simulation.png")
    assert len(figure.axes) == 4
    assert (tmp_path / "simulation.png").stat().st_size > 10_000
    small = reference.decouple(2, n_points=100, n_starts=2, random_state=0)
    labels = [t.get_text() for t in small.plot_branches().axes[2].get_xticklabels()]
    assert labels == ["u(t)", "u(t−1)", "y(t−1)", "y(t−2)", "y(t−3)"]


# Careless use -----------------------------------------------------------------------------------

U, Y = cubic_system(100)
BAD = {
    "lag 0 of the output": (lambda: NARX(abs, (0,), (0, 1)), InvalidOption, "output_lags"),
    "a negative lag": (lambda: NARX(abs, (-1,), (1,)), InvalidOption, "future"),
    "a lag twice": (lambda: NARX(abs, (1, 1), (1,)), InvalidOption, "twice"),
    "a lag of 1.5": (lambda: NARX(abs, (1.5,), (1,)), InvalidOption, "whole numbers"),
    "no lags": (lambda: NARX(abs, (), ()), InvalidOption, "both empty"),
    "a number for lags": (lambda: NARX(abs, 3, (1,)), InvalidOption, "lags like"),
    "a short record": (lambda: fit_polynomial_narx(U[:3], Y[:3]), InvalidSamples, "3 samples"),
    "too few samples": (lambda: fit_polynomial_narx(U[:30], Y[:30]), InvalidSamples, "56 terms"),
    "NaN in u": (
        lambda: fit_polynomial_narx(np.where(U > 0.9, np.nan, U), Y),
        InvalidSamples,
        "NaN",
    ),
    "NaN in y": (
        lambda: fit_polynomial_narx(U, np.where(Y > 0.9, np.nan, Y)),
        InvalidSamples,
        "NaN",
    ),
    "unequal lengths": (lambda: fit_polynomial_narx(U, Y[:-1]), InvalidSamples, "99 of y"),
    "a constant input": (lambda: fit_polynomial_narx(np.ones(100), Y), InvalidSamples, "constant"),
    "a constant output": (lambda: fit_polynomial_narx(U, np.ones(100)), InvalidSamples, "constant"),
    "degree 0": (lambda: fit_polynomial_narx(U, Y, degree=0), InvalidOption, "degree"),
    "a negative ridge": (lambda: fit_polynomial_narx(U, Y, ridge=-1), InvalidOption, "ridge"),
    "records that differ": (lambda: fit_polynomial_narx([U, U], [Y]), InvalidSamples, "2 records"),
    "a list of lists": (lambda: fit_polynomial_narx([[1, 2]], [[1, 2]]), InvalidSamples, "lists"),
    "all of y as a start": (lambda: MODEL.simulate(U, Y), InvalidSamples, "initial has 100"),
    "too short a start": (lambda: MODEL.simulate(U, Y[:1]), InvalidSamples, "longest lag"),
    "a start of other outputs": (
        lambda: MODEL.simulate(U, np.zeros((2, 2))),
        InvalidSamples,
        "2 outputs",
    ),
    "initial beyond the record": (
        lambda: MODEL.score(U, Y, initial=100),
        InvalidSamples,
        "leaves nothing",
    ),
    "initial below the lags": (lambda: MODEL.score(U, Y, initial=1), InvalidOption, "initial"),
    "more inputs than lags": (
        lambda: MODEL.score(np.ones((100, 2)), Y),
        InvalidSamples,
        "regressors",
    ),
    "no data to decouple on": (
        lambda: NARX(MODEL.function, (0, 1), (1, 2)).decouple(2),
        InvalidOption,
        "data=",
    ),
    "points by an unknown name": (lambda: MODEL.decouple(2, points="all"), InvalidOption, "points"),
    "points of other lags": (
        lambda: MODEL.decouple(2, points=np.eye(3)),
        InvalidSamples,
        "4 regressors",
    ),
    "no spread": (lambda: MODEL.decouple(2, spread=0.0), InvalidOption, "spread"),
    "refining a polynomial": (lambda: MODEL.refine(U, Y), InvalidOption, "decouple"),
    "all held out": (lambda: SMALL.refine(U, Y, held_out=1.0), InvalidOption, "too little"),
    "weights of 0 where it matters": (
        lambda: SMALL.refine(U, Y, weights=np.r_[np.ones(80), np.zeros(20)]),
        InvalidSamples,
        "held_out=0",
    ),
    "negative weights": (lambda: SMALL.refine(U, Y, weights=-U), InvalidSamples, "weights"),
    "weights of another length": (
        lambda: SMALL.refine(U, Y, weights=np.ones(5)),
        InvalidSamples,
        "lengths",
    ),
    "held-out data of other channels": (
        lambda: SMALL.refine(U, Y, held_out=(np.column_stack([U, U]), Y)),
        InvalidSamples,
        "held_out has",
    ),
    "too little held out": (lambda: SMALL.refine(U, Y, held_out=1e-3), InvalidSamples, "too short"),
    "refining what ends at the data": (
        lambda: MODEL.decouple(1, extrapolate="nan", n_points=60, random_state=0).refine(U, Y),
        InvalidOption,
        "extrapolate",
    ),
    "a negative limit": (lambda: NARX(abs, (0,), (1,), limit=-1), InvalidOption, "limit"),
    "a limit that is no number": (
        lambda: NARX(abs, (0,), (1,), limit="abc"),
        InvalidSamples,
        "limit",
    ),
    "rows for columns": (
        lambda: fit_polynomial_narx(U[None], Y[None]),
        InvalidSamples,
        "transpose",
    ),
    "no signal to noise": (
        lambda: duffing(256, 256, signal_to_noise=np.nan),
        InvalidOption,
        "signal_to_noise",
    ),
    "no steps": (lambda: SMALL.refine(U, Y, max_iterations=0), InvalidOption, "max_iterations"),
    "branches of a polynomial": (lambda: MODEL.plot_branches(), InvalidOption, "decouple"),
    "a map of other outputs": (
        lambda: NARX(lambda p: p[:, :2], (0, 1), (1, 2)).simulate(U, Y[:2]),
        InvalidSamples,
        "2 outputs",
    ),
    "a map that is none": (
        lambda: NARX("f", (0,), (1,)).simulate(U, Y[:2]),
        InvalidOption,
        "cannot evaluate",
    ),
    "a map that raises": (
        lambda: NARX(lambda p: 1 / 0, (0,), (1,)).simulate(U, Y[:2]),
        unbraid.SamplingError,
        "ZeroDivision",
    ),
    "a twin of few samples": (lambda: duffing(10), InvalidOption, "n_samples"),
}
MODEL = fit_polynomial_narx(U, Y, (0, 1), (1, 2), 2)
SMALL = MODEL.decouple(1, random_state=0, n_points=60)


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_a_remedy(case):
    work, kind, message = BAD[case]
    with pytest.raises(kind, match=message):
        work()
