"""A simulated twin of the Silverbox: the Duffing oscillator of eq. (diff_SB)."""

import numpy as np

from .._typing import Array
from ..sampling import RandomState
from ._records import (
    INITIAL_SAMPLES,
    SAMPLING_RATE,
    Dataset,
    Recording,
    add_noise,
    check_simulation,
)

EXCITATION_BAND = 200.0  # Hz, the highest frequency of the input
RESONANCE, DAMPING_RATIO = 68.0, 0.05  # Hz; relative to critical damping
CUBIC_OUTPUT = 0.4  # V: at this output the cubic force is as large as the linear one
MULTISINE_RMS = 0.023  # V
ARROW_FACTOR = 2.0  # rms at the end of the growing noise, over that of the multisine
SUBSTEPS = 8  # points of the input per sample, on the fine grid of the solver
LEAST_SCORED = 10  # samples of the arrow that are always left to score


def duffing(
    n_samples: int = 32768,
    n_test: int = 16384,
    *,
    signal_to_noise: float = 40.0,
    random_state: RandomState = None,
) -> Dataset:
    """Simulate ``y'' + c y' + (a + b y^2) y = a u``, with output noise.

    Parameters
    ----------
    n_samples, n_test : int
        Samples of the training multisine, and of each test record.
    signal_to_noise : float
        In dB, at the output; inf for no noise.

    Examples
    --------
    >>> data = duffing(1024, 512, random_state=0)
    >>> data.train.u.shape, data.arrow.y.shape
    ((1024,), (512,))
    """
    check_simulation(n_samples, n_test, signal_to_noise)
    rng = np.random.default_rng(random_state)
    signals = [MULTISINE_RMS * _draw_multisine(size, rng) for size in (n_samples, n_test)]
    noise = _draw_harmonics(n_test, 1, rng)
    growth = np.linspace(0, ARROW_FACTOR * MULTISINE_RMS, noise.size)
    signals.append(growth * noise / noise.std())
    records = []
    for signal in signals:
        y = _simulate(signal)
        records.append(Recording(signal[::SUBSTEPS], add_noise(y, signal_to_noise, rng)))
    train, test, arrow = records
    outside = np.flatnonzero(np.abs(arrow.y) > np.abs(train.y).max())
    end = max(int(outside[0]), INITIAL_SAMPLES + LEAST_SCORED) if outside.size else arrow.y.size
    return Dataset(train, test, arrow, Recording(arrow.u[:end], arrow.y[:end]))


def _draw_multisine(size: int, rng: np.random.Generator) -> Array:
    """Return half a period of a random-phase multisine of odd harmonics, with rms 1.

    The other half is its negative.
    """
    period = _draw_harmonics(2 * size, 2, rng)
    return np.asarray(period[: period.size // 2] / period.std())


def _draw_harmonics(size: int, spacing: int, rng: np.random.Generator) -> Array:
    """Return a period of harmonics 1, 1 + spacing, ... with random phases."""
    spectrum = np.zeros(size * SUBSTEPS // 2 + 1, dtype=complex)
    highest = max(3, int(EXCITATION_BAND / SAMPLING_RATE * size))
    lines = np.arange(1, highest, spacing)
    spectrum[lines] = np.exp(2j * np.pi * rng.uniform(size=lines.size))
    return np.asarray(np.fft.irfft(spectrum, size * SUBSTEPS))


def _simulate(signal: Array) -> Array:
    """Return the output at the samples, by the classical Runge-Kutta method."""
    stiffness = (2 * np.pi * RESONANCE) ** 2
    damping = 2 * DAMPING_RATIO * 2 * np.pi * RESONANCE
    h = 2 / (SAMPLING_RATE * SUBSTEPS)  # seconds: a step covers two intervals of the fine grid
    fine = (stiffness * signal).tolist()
    fine.append(fine[-1])
    cubic = stiffness / CUBIC_OUTPUT**2
    y = v = 0.0
    path = []
    for k in range(0, len(fine) - 2, 2):  # plain floats are faster than small arrays
        path.append(y)
        begin, middle, end = fine[k : k + 3]
        a1 = begin - damping * v - (stiffness + cubic * y * y) * y
        y2, v2 = y + 0.5 * h * v, v + 0.5 * h * a1
        a2 = middle - damping * v2 - (stiffness + cubic * y2 * y2) * y2
        y3, v3 = y + 0.5 * h * v2, v + 0.5 * h * a2
        a3 = middle - damping * v3 - (stiffness + cubic * y3 * y3) * y3
        y4, v4 = y + h * v3, v + h * a3
        a4 = end - damping * v4 - (stiffness + cubic * y4 * y4) * y4
        y += h / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return np.array(path[:: SUBSTEPS // 2])
