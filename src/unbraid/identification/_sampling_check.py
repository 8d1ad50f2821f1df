"""Whether signals are sampled much faster than they change."""

from __future__ import annotations

import numpy as np
import scipy

from .._typing import Array
from ..dynamics._records import Records

POWER_SHARE = 0.995  # of the output's power, below the frequency that is looked for
OVERSAMPLING = 40.0  # half the sampling frequency over that frequency, from which it is reported
GOOD_OVERSAMPLING = 8.0  # that remains after the suggested decimation
SEGMENT_LENGTH = 4096  # of a periodogram
DECIMATED_SAMPLES = 500  # shorter records are not decimated


def suggest_decimation(records: Records) -> int:
    """Factor by which the records could be decimated; 1 if they should be kept.

    The frequency below which nearly all power of inputs and outputs lies is compared with half the
    sampling frequency. White measurement noise is subtracted.
    """
    if sum(map(len, records.items)) < DECIMATED_SAMPLES:
        return 1
    ratios = [
        _bandwidth(np.concatenate([getattr(record, name)[:, k] for record in records.items]))
        for name, count in (("u", records.n_inputs), ("y", records.n_outputs))
        for k in range(count)
    ]
    widest = max(ratios)
    if widest <= 0 or 1 / widest < OVERSAMPLING:
        return 1
    factor = int(1 / (GOOD_OVERSAMPLING * widest))
    return max(factor, 1)


def _bandwidth(signal: Array) -> float:
    """Bandwidth of a signal over half the sampling frequency."""
    frequencies, power = scipy.signal.welch(
        signal, nperseg=min(SEGMENT_LENGTH, len(signal)), detrend="linear"
    )
    noise = np.median(power[len(power) // 2 :])
    power = np.maximum(power - 2 * noise, 0.0)
    total = power.sum()
    if total <= 0:
        return 1.0
    last = int(np.searchsorted(np.cumsum(power), POWER_SHARE * total))
    return float(frequencies[min(last, len(frequencies) - 1)] / frequencies[-1])
