"""Data sets of a dynamic system."""

from typing import NamedTuple

import numpy as np

from .._typing import Array
from .._util.validation import check_integer
from ..errors import InvalidOptionError

SAMPLING_RATE = 610.35  # Hz, of the Silverbox
INITIAL_SAMPLES = 50  # given to a simulation, and not scored


class Recording(NamedTuple):
    """Input and output of one experiment, (T,) each."""

    u: Array
    y: Array


class Dataset(NamedTuple):
    """Experiments on one system, split as the Silverbox benchmark is.

    ``train`` and ``test`` are multisines. ``arrow`` is noise of growing amplitude that leaves the
    range of the training data at its end; ``arrow_no_extrapolation`` is the part that does not.
    Score free-run simulations after the first ``initial`` samples.
    """

    train: Recording
    test: Recording
    arrow: Recording
    arrow_no_extrapolation: Recording
    sampling_time: float = 1 / SAMPLING_RATE
    initial: int = INITIAL_SAMPLES


def check_simulation(n_samples: int, n_test: int, signal_to_noise: float) -> None:
    """Raise an error unless the options of a simulated data set are valid."""
    check_integer("n_samples", n_samples, least=64)
    check_integer("n_test", n_test, least=64)
    if not signal_to_noise > 0:
        raise InvalidOptionError(f"signal_to_noise must be > 0 dB or inf, got {signal_to_noise!r}")


def add_noise(y: Array, signal_to_noise: float, rng: np.random.Generator) -> Array:
    """An output with white noise at a ratio in dB."""
    return np.asarray(y + 10 ** (-signal_to_noise / 20) * y.std() * rng.standard_normal(y.size))
