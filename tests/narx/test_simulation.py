"""Free-run simulation against a loop over the samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narx.systems import INPUT, make_lags, make_random_function, make_stable_model
from reference import narx as reference_loop
from unbraid import InvalidSamplesError
from unbraid.dynamics._static_map import make_static_map
from unbraid.errors import DivergenceError
from unbraid.narx import NARX
from unbraid.narx._lags import Lags
from unbraid.narx._simulation import SimulationCase, _run_loop, simulate, substitute
from unbraid.sources._hermite import HermitePolynomial, HermiteTerms


@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    n_u=st.integers(1, 2),
    n_y=st.integers(1, 3),
    r=st.integers(1, 4),
    gain=st.floats(0.1, 3.0),
)
def test_newton_agrees_with_the_loop(seed, n_u, n_y, r, gain):
    rng = np.random.default_rng(seed)
    function = make_random_function(rng, 2 * n_u + 3 * n_y, n_y, r, gain)
    u, initial = rng.standard_normal((150, n_u)), rng.standard_normal((5, n_y))
    expected = reference_loop.simulate(function, u, initial, (0, 1), (1, 2, 3))
    model = NARX(function, (0, 1), (1, 2, 3))
    if not np.all(np.isfinite(expected)):
        with pytest.raises(DivergenceError) as caught:
            model.simulate(u, initial)
        first = np.flatnonzero(~np.all(np.isfinite(expected), axis=1))[0]
        assert caught.value.sample == first
        return
    found = model.simulate(u, initial)
    size = np.abs(expected).max()
    chaotic = _effect_of_rounding(function, u, initial, expected)
    assert np.abs(found - expected).max() <= 1e-10 * size + 1e3 * chaotic


def _effect_of_rounding(function, u, initial, expected):
    """What rounding alone does to this run: large where the model amplifies it."""
    other = reference_loop.simulate(function, u, initial * (1 + 1e-15), (0, 1), (1, 2, 3))
    return np.abs(other - expected).max()


@pytest.mark.parametrize("seed", range(3))
def test_newton_and_loop_agree_on_polynomials(seed):
    rng = np.random.default_rng(seed)
    terms = HermiteTerms(5, 3)
    coefficients = 0.05 * rng.standard_normal((1, len(terms)))
    function = HermitePolynomial(coefficients, terms, np.zeros(5), 0.5 * np.eye(5))
    u, lags = rng.uniform(-1, 1, (400, 1)), make_lags(1, 1)
    fast = simulate(
        make_static_map(function, np.zeros((2, 5)), 1), lags, SimulationCase(u, np.zeros((3, 1)))
    )
    slow = reference_loop.simulate(function, u, np.zeros((3, 1)), (0, 1), (1, 2, 3))
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
def test_simulates_bounded_systems_on_which_newton_overshoots(name, seed):
    u = 0.4 * np.random.default_rng(seed).standard_normal((1500, 1))
    expected = reference_loop.simulate(BOUNDED[name], u, np.full((1, 1), 0.1), (1,), (1,))
    found = NARX(BOUNDED[name], (1,), (1,)).simulate(u, np.full((1, 1), 0.1))
    assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max()


def test_simulates_growth_from_a_small_initial_value():
    model = NARX(lambda p: p[:, 1] + 0.1 * p[:, 1] * (1 - p[:, 1]) + 0 * p[:, 0], (0,), (1,))
    found = model.simulate(np.zeros(400), [1e-3])
    assert abs(found[-1] - 1) < 1e-9
    assert np.all(np.diff(found) >= -1e-12)


def test_solves_outputs_of_different_size():
    def apart(p):
        first = 0.9 * p[:, 1] + 1e7 * np.tanh(p[:, 0])
        z = p[:, 2] / 1e-9
        return np.stack([first, 1e-9 * (0.9 * z + np.tanh(p[:, 0]) - np.tanh(z) ** 3)], axis=1)

    u = np.random.default_rng(0).standard_normal((1000, 1))
    expected = reference_loop.simulate(apart, u, np.zeros((1, 2)), (1,), (1,))
    found = NARX(apart, (1,), (1,)).simulate(u, np.zeros((1, 2)))
    assert np.all(np.abs(found - expected).max(axis=0) < 1e-10 * expected.std(axis=0))


def test_single_precision_map_needs_no_loop():
    rng = np.random.default_rng(0)

    def single(p):
        return np.tanh(p.astype(np.float32) @ np.array([0.8, 0.5], dtype=np.float32))

    u = rng.standard_normal((3000, 1))
    chosen = make_static_map(single, np.zeros((2, 2)), 1)
    run = simulate(chosen, Lags.expand((0,), (1,), 1, 1), SimulationCase(u, np.zeros((1, 1))))
    assert run.looped == 0
    expected = reference_loop.simulate(single, u, np.zeros((1, 1)), (0,), (1,))
    assert np.abs(run.y - expected).max() < 1e-5


def test_long_input_lags_do_not_widen_the_band():
    lags = Lags.expand((0, 400), (1, 2), 1, 1)
    assert (lags.longest, lags.memory) == (400, 2)
    rng = np.random.default_rng(0)
    function = make_random_function(rng, 4, 1, 2, 0.7)
    u = rng.standard_normal((900, 1))
    expected = reference_loop.simulate(function, u, np.zeros((400, 1)), (0, 400), (1, 2))
    found = NARX(function, (0, 400), (1, 2)).simulate(u, np.zeros((400, 1)))
    assert np.abs(found - expected).max() < 1e-11


def test_simulates_models_without_feedback():
    model = NARX(lambda p: np.sin(p[:, 0]) + p[:, 1], (0, 2), ())
    u = np.random.default_rng(0).standard_normal(50)
    found = model.simulate(u, np.zeros(2))
    assert np.allclose(found[2:], np.sin(u[2:]) + u[:-2])
    static = NARX(lambda p: 2 * p, (0,), ())
    assert np.allclose(static.simulate(u, []), 2 * u)


def test_simulates_discontinuous_maps():
    def step(p):
        return np.where(p[:, :1] + 0.5 * p[:, 1:] > 0.1, 0.7, -0.4) + 0.3 * p[:, 1:]

    u = np.random.default_rng(0).uniform(-1, 1, (500, 1))
    model = NARX(step, (0,), (1,))
    expected = reference_loop.simulate(step, u, np.zeros((1, 1)), (0,), (1,))
    assert np.allclose(model.simulate(u, np.zeros((1, 1))), expected, atol=1e-13)


def test_simulates_maps_of_single_points():
    model = NARX(lambda p: 0.5 * p[0] + 0.8 * p[1] ** 2, (0,), (1,))
    u = np.full(100, 0.1)
    expected = 0.0
    found = model.simulate(u, [0.0])
    for k in range(1, 100):
        expected = 0.5 * u[k] + 0.8 * expected**2
        assert abs(found[k] - expected) < 1e-14


def test_simulates_records_separately():
    rng = np.random.default_rng(1)
    model = NARX(make_random_function(rng, 5, 1, 2, 0.7), (0, 1), (1, 2, 3))
    u = [rng.standard_normal(60), rng.standard_normal(80)]
    starts = [np.zeros(3), np.ones(4)]
    both = model.simulate(u, starts)
    for k in range(2):
        assert np.array_equal(both[k], model.simulate(u[k], starts[k]))


def test_every_record_has_its_own_initial_samples():
    with pytest.raises(InvalidSamplesError, match="initial has 3"):
        make_stable_model().simulate([INPUT, INPUT], [[0.0], [0.0], [0.0]])
    both = make_stable_model().simulate([INPUT, INPUT], [[0.1], [0.5]])
    assert [y[0] for y in both] == [0.1, 0.5]


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
    function, lags = make_random_function(rng, 5, 1, 2, 0.8), make_lags(1, 1)
    u, measured = rng.standard_normal((200, 1)), rng.standard_normal((200, 1))
    setting = SimulationCase(u, measured[:3], np.inf, measured, feedback)
    chosen = make_static_map(function, np.zeros((2, 5)), 1)
    slow = measured.copy()
    assert _run_loop(chosen, lags, setting, slow, 3, 200) is None
    assert np.allclose(simulate(chosen, lags, setting).y, slow, atol=1e-12)
    if feedback == 0.0:
        assert np.allclose(slow[3:], function(lags.table(u, measured, 3, 200)), atol=1e-12)


def test_simulates_a_map_that_fails_outside_its_range():
    def logistic(p):
        if np.any((p[:, 1] < -0.01) | (p[:, 1] > 1.01)):
            raise ValueError("outside of the table")
        return 3.9 * p[:, 1:] * (1 - p[:, 1:])

    y = NARX(logistic, (0,), (1,)).simulate(np.zeros(300), [0.5])
    np.testing.assert_allclose(y[1:], 3.9 * y[:-1] * (1 - y[:-1]), rtol=1e-9)


def test_simulates_without_a_jacobian_that_raises():
    class Broken:
        def __call__(self, p):
            return np.tanh(0.5 * p.sum(axis=1))

        def jacobian(self, p):
            raise RuntimeError("no slopes today")

    y = NARX(Broken(), (0,), (1,)).simulate(np.ones(200), [0.0])
    np.testing.assert_allclose(y[1:], np.tanh(0.5 * (1 + y[:-1])), rtol=1e-12)
