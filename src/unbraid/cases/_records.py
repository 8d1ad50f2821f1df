"""Data sets of a dynamic system."""

from typing import NamedTuple

from .._typing import Array

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
