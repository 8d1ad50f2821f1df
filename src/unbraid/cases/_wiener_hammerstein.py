"""A simulated Wiener-Hammerstein system: a saturation between two linear filters."""

from typing import NamedTuple

import numpy as np
import scipy

from .._typing import Array
from ..sampling import RandomState
from ._records import INITIAL_SAMPLES, Recording, add_noise, check_simulation

FILTER_ORDER = 3  # of both filters
FIRST_FILTER, SECOND_FILTER = (0.5, 0.17), (40.0, 0.2)  # ripple or attenuation in dB, band edge
WH_BAND = 0.4  # of the input, relative to half the sampling rate
KNEE = 0.6  # of the saturation: nearly linear below it
TRANSIENT = 200  # samples before the records


class SplitRecord(NamedTuple):
    """Two experiments on one system.

    Score free-run simulations after the first ``initial`` samples.
    """

    train: Recording
    test: Recording
    sampling_time: float
    initial: int = INITIAL_SAMPLES


def wiener_hammerstein(
    n_samples: int = 8000,
    n_test: int = 4000,
    *,
    signal_to_noise: float = 60.0,
    random_state: RandomState = None,
) -> SplitRecord:
    """Simulate filtered noise through filter, one-sided saturation and filter.

    It is a twin of the Wiener-Hammerstein benchmark of 2009, with output noise.

    Parameters
    ----------
    n_samples, n_test : int
        Samples of the training and of the test record.
    signal_to_noise : float
        In dB, at the output; inf for no noise.

    Examples
    --------
    >>> data = wiener_hammerstein(500, 300, random_state=0)
    >>> data.train.u.shape, data.test.y.shape
    ((500,), (300,))
    """
    check_simulation(n_samples, n_test, signal_to_noise)
    rng = np.random.default_rng(random_state)
    records = []
    for size in (n_samples, n_test):
        noise = rng.standard_normal(size + TRANSIENT)
        u = scipy.signal.lfilter(*scipy.signal.butter(4, WH_BAND), noise)
        y = add_noise(_respond(u), signal_to_noise, rng)
        records.append(Recording(u[TRANSIENT:], y[TRANSIENT:]))
    return SplitRecord(records[0], records[1], sampling_time=1 / 51_200)


def _respond(u: Array) -> Array:
    """The output of the noise-free system."""
    first = scipy.signal.cheby1(FILTER_ORDER, *FIRST_FILTER)
    second = scipy.signal.cheby2(FILTER_ORDER, *SECOND_FILTER)
    z = 2 * scipy.signal.lfilter(*first, u)
    above = np.maximum(z - KNEE, 0.0)
    return np.asarray(scipy.signal.lfilter(*second, z - above**2 / (0.3 + above)))
