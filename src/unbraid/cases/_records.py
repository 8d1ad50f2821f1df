"""What a data set of a dynamic system is here."""

from __future__ import annotations

from typing import NamedTuple

from .._typing import Array


class Recording(NamedTuple):
    """Input and output of one experiment, (T,) each: ``fit_polynomial_narx(*recording)``."""

    u: Array
    y: Array


class Dataset(NamedTuple):
    """Experiments on one system, split as the Silverbox benchmark is.

    ``train`` and ``test`` are multisines, ``arrow`` is noise of growing amplitude that leaves the
    range of the training data at its end, ``arrow_no_extrapolation`` is the part that does not.
    Score free runs after the first ``initial`` samples.
    """

    train: Recording
    test: Recording
    arrow: Recording
    arrow_no_extrapolation: Recording
    sampling_time: float
    initial: int = 50
