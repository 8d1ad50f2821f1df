"""Tests on the residuals of a simulation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from .._typing import Array

MAX_LAG = 20  # samples
SIGNIFICANCE = 1e-3  # probability with which white residuals are called coloured
SAMPLES_PER_LAG = 5  # at least
PRODUCT_LAGS = 3  # samples, from the present one on, whose products are looked for
MAX_TESTED = 8192  # first samples of a record that are tested
SAMPLES_PER_PRODUCT = 4  # at least; without so many nothing can be said


def autocorrelation(residual: Array, n_lags: int) -> Array:
    """Correlation of a signal (T,) with itself at lags 1 to n_lags.

    >>> autocorrelation(np.array([1.0, -1.0] * 50), 2).round(2)
    array([-0.99,  0.98])
    """
    centred = residual - residual.mean()
    power = max(float(centred @ centred), 1e-300)
    return np.array([float(centred[k:] @ centred[:-k]) / power for k in range(1, n_lags + 1)])


def are_white(residuals: Sequence[Array]) -> bool:
    """Whether no record (T, n_y) of residuals is autocorrelated.

    A portmanteau test per output. White residuals are measurement noise.
    """
    n_tests = sum(residual.shape[1] for residual in residuals)
    for residual in residuals:
        n_lags = min(MAX_LAG, len(residual) // SAMPLES_PER_LAG)
        if n_lags < 1:
            continue
        limit = scipy.stats.chi2.isf(SIGNIFICANCE / n_tests, n_lags)
        for channel in residual.T:
            if len(channel) * np.sum(autocorrelation(channel, n_lags) ** 2) > limit:
                return False
    return True


def are_unrelated(residual: Array, signals: Array) -> bool:
    """Whether residuals (T, n_y) are not explained by products of two signals (T, m).

    Residuals of a linear model can be white although a nonlinearity is left, if the input is white.
    Products of signals at one time, and sizes of single ones, show it: R² is tested per output.
    """
    residual, signals = residual[:MAX_TESTED], signals[:MAX_TESTED]
    table = _lag(_multiply(signals), PRODUCT_LAGS)
    targets = residual[PRODUCT_LAGS - 1 :] - residual[PRODUCT_LAGS - 1 :].mean(axis=0)
    if len(table) < SAMPLES_PER_PRODUCT * table.shape[1]:
        return False
    left, values, _ = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    left = left[:, values > 1e-10 * max(values[0], 1e-300)]
    power = np.maximum(np.sum(targets**2, axis=0), 1e-300)
    explained = np.sum((left.T @ targets) ** 2, axis=0) / power
    limit = scipy.stats.chi2.isf(SIGNIFICANCE / len(power), left.shape[1])
    return bool(np.all(len(targets) * explained <= limit))


def _multiply(signals: Array) -> Array:
    """Standardised signals, their sizes, and products of two of them."""
    spread = signals.std(axis=0)
    scaled = (signals - signals.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    first, second = np.triu_indices(signals.shape[1])
    return np.column_stack([scaled, np.abs(scaled) * scaled, scaled[:, first] * scaled[:, second]])


def _lag(table: Array, n_lags: int) -> Array:
    """Rows of a table beside those of the samples before."""
    n_rows = max(len(table) - n_lags + 1, 0)
    return np.column_stack([table[n_lags - 1 - k :][:n_rows] for k in range(n_lags)])
