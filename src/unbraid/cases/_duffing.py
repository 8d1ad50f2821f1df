"""A simulated twin of the Silverbox: the forced Duffing oscillator of eq. (diff_SB)."""

from __future__ import annotations

import numpy as np

from .._typing import Array
from .._util.validation import positive_integer
from ..errors import InvalidOption
from ..sampling import RandomState
from ._records import Dataset, Recording

SAMPLING = 610.35  # Hz
HIGHEST = 200.0  # Hz, of the excitation
RESONANCE, DAMPING = 68.0, 0.05  # Hz, and as a share of the critical damping
SOFT = 0.4  # V: at this output the cubic force is as large as the linear one
AMPLITUDE = 0.023  # V rms of the multisine
LOUDEST = 2.0  # rms at the end of the growing noise, times that of the multisine
SUBSTEPS = 8
INITIAL = 50


def duffing(
    n_samples: int = 32768,
    n_test: int = 16384,
    *,
    signal_to_noise: float = 40.0,
    random_state: RandomState = None,
) -> Dataset:
    """Records of a Duffing oscillator ``y'' + c y' + (a + b y^2) y = a u``, with output noise.

    Parameters
    ----------
    n_samples, n_test : int
        Samples of the training multisine, and of each test record.
    signal_to_noise : float
        In dB, at the output; inf for none.

    Examples
    --------
    >>> data = duffing(1024, 512, random_state=0)
    >>> data.train.u.shape, data.arrow.y.shape
    ((1024,), (512,))
    """
    positive_integer("n_samples", n_samples, least=64)
    positive_integer("n_test", n_test, least=64)
    if not signal_to_noise > 0:
        raise InvalidOption(f"signal_to_noise must be > 0 dB or inf, got {signal_to_noise!r}")
    rng = np.random.default_rng(random_state)
    multisines = [AMPLITUDE * _multisine(size, rng) for size in (n_samples, n_test)]
    noise = _band_limited(n_test, 1, rng)
    growth = np.linspace(0, LOUDEST * AMPLITUDE, noise.size)
    fine = [*multisines, growth * noise / noise.std()]
    records = []
    for signal in fine:
        y = _respond(signal)
        noise = 10 ** (-signal_to_noise / 20) * y.std() * rng.standard_normal(y.size)
        records.append(Recording(signal[::SUBSTEPS], y + noise))
    train, test, arrow = records
    inside = _until(arrow.y, np.abs(train.y).max())
    short = Recording(arrow.u[:inside], arrow.y[:inside])
    return Dataset(train, test, arrow, short, 1 / SAMPLING, INITIAL)


def _multisine(size: int, rng: np.random.Generator) -> Array:
    """Half a period of a random-phase multisine of odd harmonics; the other half mirrors it."""
    whole = _band_limited(2 * size, 2, rng)
    return np.asarray(whole[: whole.size // 2] / whole.std())


def _band_limited(size: int, spacing: int, rng: np.random.Generator) -> Array:
    """A period of every so many harmonics with random phases, on the fine grid of the solver."""
    spectrum = np.zeros(size * SUBSTEPS // 2 + 1, dtype=complex)
    highest = max(3, int(HIGHEST / SAMPLING * size))
    lines = np.arange(1, highest, spacing)
    spectrum[lines] = np.exp(2j * np.pi * rng.uniform(size=lines.size))
    return np.asarray(np.fft.irfft(spectrum, size * SUBSTEPS))


def _respond(signal: Array) -> Array:
    """The output at the samples: Runge-Kutta from rest, a step over two of the fine grid."""
    stiffness = (2 * np.pi * RESONANCE) ** 2
    damping = 2 * DAMPING * 2 * np.pi * RESONANCE
    h = 2 / (SAMPLING * SUBSTEPS)
    fine = (stiffness * signal).tolist()
    fine.append(fine[-1])
    cubic = stiffness / SOFT**2
    y = v = 0.0
    path = []
    for k in range(0, len(fine) - 2, 2):  # plain floats: far quicker here than small arrays
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


def _until(y: Array, reach: float) -> int:
    """Samples before the first that leaves the range, but enough to simulate some."""
    beyond = np.flatnonzero(np.abs(y) > reach)
    return max(int(beyond[0]), INITIAL + 10) if beyond.size else y.size
