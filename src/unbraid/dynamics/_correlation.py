"""Correlation of residuals with themselves and with inputs, tested against zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import scipy

from .._typing import Array, Index
from ._residuals import SAMPLES_PER_LAG

EXACT_RESIDUAL = 1e-10  # rms over the spread of the output: a smaller residual is rounding
CONSTANT_SIGNAL = 1e-13  # range over the largest size: a smaller range is rounding
VARIANCE_LAGS_SHARE = 0.1  # of the samples: lags that the variance of a correlation is summed over
VARIANCE_LAGS_ROOT = 4.0  # and at least this times the root of their number
LEAST_CORRELATION_VARIANCE = 1e-6  # over that of white signals: a floor against rounding


class CorrelationStatus(Enum):
    """Whether residuals could be tested; the value is the message."""

    TESTED = "tested"
    EXACT = "the residuals are rounding errors"
    CONSTANT_RESIDUAL = "the residuals are constant: an offset is left"
    CONSTANT_SIGNAL = "the signal is constant"


@dataclass(frozen=True, eq=False)
class Correlation:
    """Correlation of residuals with a signal, and the test that it is zero.

    Attributes
    ----------
    signal : str
        Name of the signal: an input, or the output whose residuals are correlated with themselves.
    lags : (K,) int
        Samples by which the signal is earlier than the residual.
    values : (K,)
        Correlation coefficients.
    limit : float
        With the given confidence, a single coefficient is smaller than this if there is no
        relation. It allows for the autocorrelation of both signals.
    p_value : float or None
        Probability of coefficients as large as these, at all lags from 0 on together, if there is
        no relation; None where that could not be tested.
    confidence : float
    status : CorrelationStatus
    """

    signal: str
    lags: Index = field(repr=False)
    values: Array = field(repr=False)
    limit: float
    p_value: float | None
    confidence: float
    status: CorrelationStatus = CorrelationStatus.TESTED

    @property
    def is_zero(self) -> bool | None:
        """Whether the data agree with no relation; None where that could not be tested."""
        if self.status is CorrelationStatus.EXACT:
            return True
        return None if self.p_value is None else self.p_value >= 1 - self.confidence

    @property
    def n_tested(self) -> int:
        """Number of lags that the verdict is about: those from 0 on."""
        return int(np.count_nonzero(self.lags >= 0))

    @property
    def n_outside(self) -> int:
        """Number of them at which the coefficient exceeds the limit."""
        return int(np.count_nonzero((self.lags >= 0) & (np.abs(self.values) > self.limit)))

    @property
    def largest(self) -> tuple[float, int]:
        """The largest coefficient at a lag from 0 on, and this lag."""
        sizes = np.where(self.lags >= 0, np.abs(self.values), -1.0)
        index = int(np.argmax(sizes))
        return float(self.values[index]), int(self.lags[index])


def choose_lags(residuals: Sequence[Array], n_lags: int) -> int:
    """Number of lags that records of this length allow, at most ``n_lags``."""
    return min(n_lags, max(map(len, residuals)) // SAMPLES_PER_LAG)


def measure_autocorrelation(
    name: str, residuals: Sequence[Array], spread: float, n_lags: int, confidence: float
) -> Correlation:
    """Autocorrelation of residuals (T,) per record at the lags 1 to n_lags, tested.

    The p-value is the smaller one of a portmanteau test (Ljung and Box), which finds weak
    correlation at many lags, and of the largest coefficient, times two.
    """
    lags = np.arange(1, n_lags + 1)
    n_samples = sum(map(len, residuals))
    limit = float(scipy.stats.norm.isf((1 - confidence) / 2) / np.sqrt(n_samples))
    status = _find_status(residuals, spread)
    if status is not CorrelationStatus.TESTED:
        p_value = 0.0 if status is CorrelationStatus.CONSTANT_RESIDUAL else None
        return Correlation(name, lags, np.zeros(n_lags), limit, p_value, confidence, status)
    centred = _centre(residuals)
    power = sum(float(e @ e) for e in centred)
    values = _sum_products(centred, centred, lags) / power
    pairs = np.sum([np.maximum(len(e) - lags, 0) for e in centred], axis=0)
    statistic = n_samples * (n_samples + 2) * np.sum(values**2 / np.maximum(pairs, 1))
    portmanteau = float(scipy.stats.chi2.sf(statistic, n_lags))
    largest = _joint_p_value(values, 1 / n_samples)
    p_value = min(1.0, 2 * min(portmanteau, largest))
    return Correlation(name, lags, values, limit, p_value, confidence)


def measure_cross_correlation(
    name: str,
    residuals: Sequence[Array],
    signals: Sequence[Array],
    spread: float,
    n_lags: int,
    confidence: float,
) -> Correlation:
    """Correlation of residuals (T,) with a signal (T,) per record, tested.

    Lags go from -n_lags to n_lags. Those below 0 show feedback and do not count for the verdict.
    The variance of a coefficient is the sum of the product of both autocorrelation sequences. The
    p-value is that of the largest coefficient.
    """
    lags = np.arange(-n_lags, n_lags + 1)
    n_samples = sum(map(len, residuals))
    quantile = float(scipy.stats.norm.isf((1 - confidence) / 2))
    status = _find_status(residuals, spread)
    centred, inputs = _centre(residuals), _centre(signals)
    size = max(float(np.abs(u).max()) for u in signals)
    if (
        status is CorrelationStatus.TESTED
        and max(float(np.ptp(u)) for u in signals) <= 1e-13 * size
    ):
        status = CorrelationStatus.CONSTANT_SIGNAL
    if status is not CorrelationStatus.TESTED:
        limit, zeros = quantile / np.sqrt(n_samples), np.zeros(len(lags))
        return Correlation(name, lags, zeros, limit, None, confidence, status)
    power = sum(float(e @ e) for e in centred) * sum(float(u @ u) for u in inputs)
    values = _sum_products(centred, inputs, lags) / np.sqrt(power)
    variance = _find_variance(centred, inputs) / n_samples
    p_value = _joint_p_value(values[lags >= 0], variance)
    return Correlation(name, lags, values, quantile * np.sqrt(variance), p_value, confidence)


def _square(signals: Sequence[Array]) -> list[Array]:
    return [u**2 for u in _centre(signals)]


def _square_with_sign(signals: Sequence[Array]) -> list[Array]:
    return [u * np.abs(u) for u in _centre(signals)]


SQUARES = {"²": _square, "·|.|": _square_with_sign}  # suffixes of names, and what they stand for


def _find_status(residuals: Sequence[Array], spread: float) -> CorrelationStatus:
    together = np.concatenate(residuals)
    largest = float(np.abs(together).max())
    if np.sqrt(np.mean(together**2)) <= EXACT_RESIDUAL * spread or largest == 0:
        return CorrelationStatus.EXACT
    if np.ptp(together) <= EXACT_RESIDUAL * max(spread, largest):
        return CorrelationStatus.CONSTANT_RESIDUAL
    return CorrelationStatus.TESTED


def _is_constant(signals: Sequence[Array]) -> bool:
    together = np.concatenate(signals)
    return bool(np.ptp(together) <= CONSTANT_SIGNAL * np.abs(together).max())


def _centre(signals: Sequence[Array]) -> list[Array]:
    """Signals of unit size without their common mean."""
    mean = float(np.concatenate(signals).mean())
    size = max(float(np.abs(signal - mean).max()) for signal in signals) or 1.0
    return [(signal - mean) / size for signal in signals]


def _sum_products(first: Sequence[Array], second: Sequence[Array], lags: Index) -> Array:
    """Sums of first(t) second(t - lag) over all samples of all records."""
    sums = np.zeros(len(lags))
    for a, b in zip(first, second, strict=True):
        n = len(a)
        table = scipy.signal.correlate(a, b, method="fft")  # lags from 1 - n to n - 1
        inside = np.abs(lags) < n
        sums[inside] += table[lags[inside] + n - 1]
    return sums


def _find_variance(residuals: Sequence[Array], signals: Sequence[Array]) -> float:
    """Number of samples times the variance of a correlation of independent signals.

    A triangular window makes the sum of products of autocorrelations a positive number.
    """
    n_samples = sum(map(len, residuals))
    reach = max(VARIANCE_LAGS_SHARE * n_samples, VARIANCE_LAGS_ROOT * np.sqrt(n_samples))
    lags = np.arange(1, max(min(int(reach), n_samples), 2))
    window = 1 - lags / (lags[-1] + 1)
    parts = []
    for signal in (residuals, signals):
        power = sum(float(x @ x) for x in signal)
        parts.append(_sum_products(signal, signal, lags) / power)
    return max(1 + 2 * float(np.sum(window * parts[0] * parts[1])), LEAST_CORRELATION_VARIANCE)


def _joint_p_value(values: Array, variance: float) -> float:
    """Probability that one of so many independent normal numbers is as large."""
    largest = float(np.abs(values).max()) / np.sqrt(variance)
    single = 2 * scipy.stats.norm.sf(largest)
    return float(-np.expm1(len(values) * np.log1p(-min(single, 1 - 1e-16))))
