"""Tests of correlations of residuals and their confidence limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from unbraid.dynamics._correlation import (
    CorrelationStatus,
    choose_lags,
    measure_autocorrelation,
    measure_cross_correlation,
)
from unbraid.dynamics._residuals import autocorrelation

N_DRAWS, N_SAMPLES, N_LAGS = 200, 500, 25


def white(rng, size=N_SAMPLES):
    return rng.standard_normal(size)


def coloured(rng, size=N_SAMPLES, pole=0.9):
    return lfilter([1.0], [1.0, -pole], rng.standard_normal(size + 200))[200:]


def periodic(rng, size=N_SAMPLES):
    return np.tile(white(rng, 100), size // 100)


def outside(parts, lags_from=0):
    """Share of the coefficients beyond their limit, in percent."""
    counts = [np.abs(p.values[p.lags >= lags_from]) > p.limit for p in parts]
    return 100 * np.mean(counts)


def test_coefficients_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    e, u = white(rng, 60), white(rng, 60)
    found = measure_cross_correlation("u", [e], [u], 1.0, 8, 0.99)
    e, u = e - e.mean(), u - u.mean()
    for lag, value in zip(found.lags, found.values, strict=True):
        pairs = [e[t] * u[t - lag] for t in range(60) if 0 <= t - lag < 60]
        assert value == pytest.approx(sum(pairs) / np.sqrt((e @ e) * (u @ u)))
    same = measure_autocorrelation("y", [e], 1.0, 8, 0.99)
    np.testing.assert_allclose(same.values, autocorrelation(e, 8), atol=1e-12)


def test_records_are_pooled_and_lags_do_not_cross_them():
    rng = np.random.default_rng(1)
    e, u = white(rng), white(rng)
    e -= e.mean()
    u -= u.mean()
    parts = measure_cross_correlation("u", [e[:200], e[200:]], [u[:200], u[200:]], 1.0, 3, 0.99)
    sums = [
        sum(x[k:] @ v[: len(v) - k] for x, v in ((e[:200], u[:200]), (e[200:], u[200:])))
        for k in range(4)
    ]
    np.testing.assert_allclose(parts.values[3:], sums / np.sqrt((e @ e) * (u @ u)), atol=1e-12)


def test_white_noise_stays_within_the_limits():
    rng = np.random.default_rng(2)
    found = [measure_autocorrelation("y", [white(rng)], 1.0, N_LAGS, 0.99) for _ in range(N_DRAWS)]
    assert 0.6 < outside(found) < 1.4
    assert np.mean([part.is_zero for part in found]) > 0.97
    wide = [measure_autocorrelation("y", [white(rng)], 1.0, N_LAGS, 0.9) for _ in range(N_DRAWS)]
    assert 8 < outside(wide) < 12


@pytest.mark.parametrize(
    ("residual", "signal"),
    [(white, white), (white, coloured), (coloured, white), (coloured, coloured), (white, periodic)],
)
def test_unrelated_signals_stay_within_the_limits(residual, signal):
    """Also where both are autocorrelated, for which 1 / sqrt(N) would be far too small."""
    rng = np.random.default_rng(3)
    found = [
        measure_cross_correlation("u", [residual(rng)], [signal(rng)], 1.0, N_LAGS, 0.99)
        for _ in range(N_DRAWS)
    ]
    assert outside(found) < 2.0
    assert np.mean([part.is_zero for part in found]) > 0.97


def test_limits_of_autocorrelated_signals_are_no_wider_than_needed():
    rng = np.random.default_rng(4)
    found = [
        measure_cross_correlation("u", [coloured(rng)], [coloured(rng)], 1.0, N_LAGS, 0.9)
        for _ in range(N_DRAWS)
    ]
    assert 6 < outside(found) < 14


def test_colour_and_a_missing_lag_are_found():
    rng = np.random.default_rng(5)
    e, u = white(rng), coloured(rng)
    assert measure_autocorrelation("y", [coloured(rng, pole=0.3)], 1.0, 25, 0.99).is_zero is False
    late = e + 0.4 * np.concatenate([np.zeros(7), u[:-7]])
    found = measure_cross_correlation("u", [late], [u], 1.0, 25, 0.99)
    assert found.is_zero is False
    assert found.largest[1] == 7
    assert found.n_outside > 0


def test_feedback_at_negative_lags_is_shown_but_does_not_count():
    rng = np.random.default_rng(6)
    e = white(rng)
    u = np.concatenate([np.zeros(3), e[:-3]])  # the input reacts to the residual
    found = measure_cross_correlation("u", [e], [u], 1.0, 10, 0.99)
    assert abs(found.values[found.lags == -3]) > 0.9
    assert found.is_zero


def test_constant_and_exact_residuals_are_not_tested():
    rng = np.random.default_rng(7)
    e, u = white(rng), white(rng)
    flat = measure_cross_correlation("u", [e], [np.full(N_SAMPLES, 0.1)], 1.0, 5, 0.99)
    assert (flat.status, flat.is_zero) == (CorrelationStatus.CONSTANT_SIGNAL, None)
    offset = measure_autocorrelation("y", [np.full(N_SAMPLES, 0.1)], 1.0, 5, 0.99)
    assert (offset.status, offset.is_zero) == (CorrelationStatus.CONSTANT_RESIDUAL, False)
    exact = measure_cross_correlation("u", [1e-15 * e], [u], 1.0, 5, 0.99)
    assert (exact.status, exact.is_zero) == (CorrelationStatus.EXACT, True)
    for part in (flat, offset, exact):
        assert np.all(part.values == 0)
        assert np.isfinite(part.limit)


@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_units_do_not_matter(scale):
    rng = np.random.default_rng(8)
    e, u = white(rng), white(rng)
    found = measure_cross_correlation("u", [scale * e], [u / scale], scale, 5, 0.99)
    same = measure_cross_correlation("u", [e], [u], 1.0, 5, 0.99)
    np.testing.assert_allclose(found.values, same.values, rtol=1e-9)
    assert found.limit == pytest.approx(same.limit)


def test_short_records_have_fewer_lags():
    assert choose_lags([np.zeros(40), np.zeros(60)], 25) == 12
