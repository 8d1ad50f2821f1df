"""Frequency responses of periodic records, and their observability matrices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from .._typing import Array
from .._util.linalg import triangle
from ..dynamics._records import Record

DISTINCT_CHANGE = 0.5  # of u over a lag: a signal that repeats was different before
MAX_PERIOD_CHANGE = 1e-2  # of u from period to period: its noise over its variance
SAME_CHANGE = 1e-10  # changes below it are rounding
LEAST_EXCITATION = 1e-3  # of a frequency, relative to the largest amplitude
SMOOTHED_LINES = 20  # over which the variance of the outputs is averaged
LEAST_VARIANCE = 1e-3  # of a frequency, relative to the mean
BLOCK_LINES = 2048  # frequencies in memory at once
NOISE_RIDGE = 1e-10  # of the covariance of the noise in a band of frequencies


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """Best linear approximation at the excited frequencies, without zero."""

    angles: Array  # (F,), in rad per sample
    values: Array  # (F, n_y, n_u), complex
    weights: Array  # (F,), inverse standard deviations, at most 1 for every period


def find_period(u: Array) -> int | None:
    """Number of samples after which the inputs repeat; None if they do not.

    At least two periods are needed. The change over a lag is the mean square of the difference
    over that of independent samples.

    >>> find_period(np.tile(np.random.default_rng(0).standard_normal((9, 1)), (3, 1)))
    9
    """
    spread = u.std(axis=0)
    u = (u - u.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    n_samples, size = len(u), scipy.fft.next_fast_len(2 * len(u), real=True)
    spectrum = np.fft.rfft(u, size, axis=0)
    correlation = np.fft.irfft(np.sum(np.abs(spectrum) ** 2, axis=1), size)
    energy = np.concatenate([[0.0], np.cumsum(np.sum(u**2, axis=1))])
    lags = np.arange(n_samples // 2 + 1)
    both = energy[n_samples - lags] + energy[-1] - energy[lags]
    change = 1 - 2 * correlation[lags] / np.maximum(both, 1e-300)
    distinct = np.flatnonzero(change > DISTINCT_CHANGE)
    if not distinct.size:
        return None
    least = change[distinct[0] :].min()
    same = change[distinct[0] :] <= 2 * max(least, SAME_CHANGE)
    if least > MAX_PERIOD_CHANGE:
        return None
    begin = int(distinct[0] + np.argmax(same))
    end = np.append(distinct, change.size)[np.searchsorted(distinct, begin)]
    return begin + int(np.argmin(change[begin:end]))


def estimate_frequency_response(records: Sequence[Record]) -> FrequencyResponse | None:
    """Outputs over inputs of the periodic records; None if there are too few of them.

    With several inputs, each frequency needs as many records of one period as there are inputs.
    """
    groups = defaultdict(list)
    for record in records:
        period = find_period(record.u)
        if period is not None:
            groups[period].append(record)
    found = [_divide_spectra(period, group) for period, group in groups.items()]
    if not sum(part.angles.size for part in found):
        return None
    angles, values, weights = (
        np.concatenate([getattr(part, name) for part in found])
        for name in ("angles", "values", "weights")
    )
    return FrequencyResponse(angles, values, weights)


def _divide_spectra(period: int, records: Sequence[Record]) -> FrequencyResponse:
    """Frequency response from records of one period."""
    spectra = [_average_periods(period, record) for record in records]
    inputs, outputs = (np.stack([s[k] for s in spectra], axis=-1) for k in (0, 1))
    variance = _smooth(np.sum([s[2] for s in spectra], axis=0))
    amplitude = np.linalg.svd(inputs, compute_uv=False)
    largest, smallest = float(amplitude.max()), amplitude[:, -1]
    excited = smallest > LEAST_EXCITATION * largest
    if inputs.shape[2] < inputs.shape[1]:
        excited[:] = False
    angles = 2 * np.pi / period * np.arange(1.0, len(inputs) + 1)
    values = outputs[excited] @ np.linalg.pinv(inputs[excited])
    weights = (smallest / np.sqrt(variance))[excited]
    return FrequencyResponse(angles[excited], values, weights / weights.max(initial=1e-300))


def _average_periods(period: int, record: Record) -> tuple[Array, Array, Array]:
    """Spectra of the mean periods of u and y, and the variance of that of y.

    The first period has the transient and is left out.
    """
    n_kept = max(len(record) // period - 1, 1)
    u, y = (
        np.fft.rfft(signal[-n_kept * period :].reshape(n_kept, period, -1), axis=1)[:, 1:]
        for signal in (record.u, record.y)
    )
    deviations = np.sum(np.abs(y - y.mean(axis=0)) ** 2, axis=(0, 2))
    return u.mean(axis=0), y.mean(axis=0), deviations / (n_kept * max(n_kept - 1, 1))


def _smooth(variance: Array) -> Array:
    """Moving average over frequencies, with a lower bound; 1 if there is no variance."""
    mean = float(variance.mean())
    if mean == 0:
        return np.ones_like(variance)
    smooth = scipy.ndimage.uniform_filter1d(variance, SMOOTHED_LINES, mode="nearest")
    return np.asarray(np.maximum(smooth, LEAST_VARIANCE * mean))


def find_spectral_observability(
    response: FrequencyResponse, n_states: int, horizon: int
) -> Array | None:
    """Extended observability matrix of a frequency response; None if it is too small.

    The subspace method for arbitrary frequencies of McKelvey, Akcay and Ljung (1996). The response
    times powers of z is the observability matrix times the states, plus a term of the inputs that
    is projected out. The rest is divided by a factor of the covariance of its noise.
    """
    n_lines, n_y, n_u = response.values.shape
    horizon = min(horizon, 2 * n_lines * n_u // (n_u + n_y))
    if horizon <= n_states:
        return None
    covariance, factor = NOISE_RIDGE * np.eye(horizon), np.zeros((0, horizon * (n_u + n_y)))
    for begin in range(0, n_lines, BLOCK_LINES):
        block = slice(begin, begin + BLOCK_LINES)
        powers = np.exp(1j * np.outer(response.angles[block], np.arange(horizon)))
        covariance += (powers.T @ powers.conj()).real / n_lines
        powers *= response.weights[block, None]
        inputs = np.einsum("fh,ji->fjhi", powers, np.eye(n_u))
        outputs = np.einsum("fh,foj->fjho", powers, response.values[block])
        parts = [part.reshape(len(powers) * n_u, -1) for part in (inputs, outputs)]
        rows = np.concatenate(parts, axis=1)
        factor = triangle(np.concatenate([factor, rows.real, rows.imag]))
    noise = np.kron(np.linalg.cholesky(covariance), np.eye(n_y))
    explained = np.linalg.solve(noise, factor[horizon * n_u :, horizon * n_u :].T)
    left, values, _ = np.linalg.svd(explained, full_matrices=False)
    return np.asarray(noise @ (left[:, :n_states] * np.sqrt(values[:n_states])))
