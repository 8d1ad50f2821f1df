"""Spectra of outputs and of errors by Welch's method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy

from .._typing import Array
from ._plots import MIN_SPECTRUM_SAMPLES, SPECTRUM_SEGMENT

SEGMENTS = 8  # of a record, at least, where that leaves segments of more than the least size
LEAST_SEGMENT = 128  # samples


@dataclass(frozen=True, eq=False)
class ErrorSpectrum:
    """Power spectral densities of the measured outputs and of the simulation error.

    Attributes
    ----------
    frequency : (F,)
        In Hz, or in cycles per sample where the sampling time is not known.
    output, error : (F, n)
        In squared units of the output per unit of frequency.
    unit : str
        Unit of the frequency.
    """

    frequency: Array = field(repr=False)
    output: Array = field(repr=False)
    error: Array = field(repr=False)
    unit: str


def measure_spectra(
    outputs: Sequence[Array], errors: Sequence[Array], sampling_time: float | None
) -> ErrorSpectrum | None:
    """Average spectra of records (T, n); None if all are too short."""
    long_enough = [k for k, y in enumerate(outputs) if len(y) >= MIN_SPECTRUM_SAMPLES]
    if not long_enough:
        return None
    sizes = np.array([len(outputs[k]) for k in long_enough])
    segment = min(max(sizes.max() // SEGMENTS, LEAST_SEGMENT), SPECTRUM_SEGMENT, sizes.min())
    found = [
        _average([signals[k] for k in long_enough], int(segment), sizes, sampling_time)
        for signals in (outputs, errors)
    ]
    (frequency, output), (_, error) = found
    return ErrorSpectrum(frequency, output, error, "Hz" if sampling_time else "cycles per sample")


def _average(
    signals: Sequence[Array], segment: int, weights: Array, sampling_time: float | None
) -> tuple[Array, Array]:
    """Frequencies above 0 and the average density."""
    rate = 1 / (sampling_time or 1.0)
    total, frequency = np.zeros(0), np.zeros(0)
    for signal, weight in zip(signals, weights / weights.sum(), strict=True):
        size = float(np.abs(signal).max()) or 1.0  # squares of the largest numbers overflow
        frequency, power = scipy.signal.welch(signal / size, rate, nperseg=segment, axis=0)
        power = weight * power * size**2
        total = power if total.size == 0 else total + power
    return frequency[1:], total[1:]
