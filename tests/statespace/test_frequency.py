"""Tests of frequency responses of periodic records."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from unbraid.dynamics._records import Record
from unbraid.statespace import _linear, fit_linear
from unbraid.statespace._frequency import (
    estimate_frequency_response,
    find_period,
    find_spectral_observability,
)
from unbraid.statespace._problem import StateSpaceProblem
from unbraid.statespace._realisation import split_observability

POLES = np.array([0.95 * np.exp(0.4j), 0.95 * np.exp(-0.4j), 0.7])
NUMERATOR, DENOMINATOR = np.array([0.2, 1.0, 0.5]), np.poly(POLES).real


def draw_multisine(period, highest=0.9, seed=0, n_inputs=1):
    """A period of random phases up to a share of half the sampling frequency."""
    rng = np.random.default_rng(seed)
    spectrum = np.zeros((period // 2 + 1, n_inputs), dtype=complex)
    lines = np.arange(1, int(highest * period / 2))
    spectrum[lines] = np.exp(2j * np.pi * rng.uniform(size=(lines.size, n_inputs)))
    u = np.fft.irfft(spectrum, period, axis=0)
    return u / u.std(axis=0)


def make_record(n_periods=5, noise=0.0, period=256, seed=0):
    u = np.tile(draw_multisine(period, seed=seed), (n_periods, 1))
    y = lfilter(NUMERATOR, DENOMINATOR, u, axis=0)
    return Record(u, y + noise * y.std() * np.random.default_rng(seed).standard_normal(y.shape))


def find_poles(records, n_states, horizon=15):
    response = estimate_frequency_response(records)
    observability = find_spectral_observability(response, n_states, horizon)
    return np.linalg.eigvals(split_observability(observability, records[0].y.shape[1])[0])


def furthest(found, poles):
    return max(np.abs(found - pole).min() for pole in poles)


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize(("highest", "period"), [(0.9, 128), (0.1, 300), (0.02, 601)])
def test_the_period_is_found(highest, period, noise):
    u = np.tile(draw_multisine(period, highest), (4, 1))[37:]
    u += noise * np.random.default_rng(1).standard_normal(u.shape)
    assert find_period(u) == period


def test_a_period_with_one_strong_harmonic_is_found():
    t = np.arange(505)
    u = np.sin(4 * np.pi * t / 101) + 0.05 * np.cos(2 * np.pi * t / 101)
    assert find_period(u[:, None]) == 101


@pytest.mark.parametrize("width", [1, 20])
def test_signals_that_do_not_repeat_have_no_response(width):
    noise = np.random.default_rng(0).standard_normal(2000 + width - 1)
    u = np.convolve(noise, np.ones(width), "valid")[:, None]
    assert find_period(u) is None
    assert find_period(np.linspace(0, 1, 100)[:, None]) is None
    assert find_period(np.zeros((100, 1))) is None
    assert find_period(draw_multisine(256)) is None
    assert estimate_frequency_response([Record(u, u)]) is None


def test_the_response_is_that_of_the_system():
    response = estimate_frequency_response([make_record(6), make_record(6, period=200, seed=1)])
    assert response.angles.size == 114 + 89
    z = np.exp(-1j * response.angles)
    truth = np.polyval(NUMERATOR[::-1], z) / np.polyval(DENOMINATOR[::-1], z)
    np.testing.assert_allclose(response.values[:, 0, 0], truth, rtol=1e-4)


def test_poles_are_recovered():
    assert furthest(find_poles([make_record(12)], 3), POLES) < 1e-6
    assert furthest(find_poles([make_record(5, noise=0.1)], 3), POLES) < 0.05


def test_frequencies_with_much_noise_have_little_weight():
    record = make_record(8)
    loud = lfilter([1.0], np.poly(0.98 * np.exp([1.5j, -1.5j])).real, make_noise(len(record)))
    noisy = Record(record.u, record.y + 0.5 * record.y.std() * (loud / loud.std())[:, None])
    response = estimate_frequency_response([noisy])
    near = np.abs(response.angles - 1.5) < 0.05
    assert response.weights[near].max() < 0.1 * np.median(response.weights)
    assert furthest(find_poles([noisy], 3), POLES) < 0.02


def make_noise(size):
    return np.random.default_rng(5).standard_normal(size)


def test_two_inputs_need_two_records():
    A, B = np.array([[0.8, 0.3, 0], [-0.3, 0.8, 0], [0, 0.2, 0.5]]), np.eye(3)[:, :2]
    C = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -0.5]])
    records = []
    for seed in (0, 1):
        u = np.tile(draw_multisine(200, seed=seed, n_inputs=2), (5, 1))
        x, y = np.zeros(3), np.zeros((len(u), 2))
        for t in range(len(u)):
            y[t] = C @ x
            x = A @ x + B @ u[t]
        records.append(Record(u, y))
    assert furthest(find_poles(records, 3), np.linalg.eigvals(A)) < 1e-6
    assert estimate_frequency_response(records[:1]) is None
    assert estimate_frequency_response([records[0], records[0]]) is None


def test_few_frequencies_support_few_states():
    t = np.arange(400)
    u = sum(np.cos(2 * np.pi * k * t / 80) for k in (3, 7, 12))[:, None]
    response = estimate_frequency_response([Record(u, lfilter(NUMERATOR, DENOMINATOR, u, axis=0))])
    assert response.angles.size == 3
    assert find_spectral_observability(response, 2, 15).shape == (3, 2)
    assert find_spectral_observability(response, 3, 15) is None


def test_periodic_records_have_more_candidates():
    settings, record = _linear.LinearSettings(), make_record(3)
    periodic, other = (
        _linear._propose(StateSpaceProblem([item]), 3, settings)
        for item in (record, record.segment(0, 500))
    )
    assert len(periodic) == len(other) + len(settings.frequency_horizons)


@pytest.mark.slow
def test_linear_models_of_periodic_records_use_it(monkeypatch):
    """Three lightly damped resonances, where the other candidates end in local minima."""
    modes = np.concatenate([0.999 * np.exp([1j * w, -1j * w]) for w in (0.05, 0.12, 0.3)])
    zeros = 0.99 * np.exp([0.08j, -0.08j])
    u = np.tile(draw_multisine(512)[:, 0], 6)
    clean = lfilter(np.convolve([0, 1, 0.3], np.poly(zeros).real), np.poly(modes).real, u)
    y = clean + 0.05 * clean.std() * make_noise(u.size)
    found = fit_linear(u, y, 6)
    monkeypatch.setattr(_linear, "estimate_frequency_response", lambda records: None)
    other = fit_linear(u, y, 6)
    assert found.score(u, clean).percent < 2 < 5 < other.score(u, clean).percent
