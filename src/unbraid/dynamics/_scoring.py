"""Scores of free-run simulations."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._typing import Array
from ..metrics import relative_error
from ._records import Records


class SimulatedRecord(Protocol):
    """A simulated record, and the sample at which it diverged, if it did."""

    @property
    def y(self) -> Array: ...

    @property
    def diverged_at(self) -> int | None: ...


class Score(NamedTuple):
    """Error of a simulation against the measured outputs.

    There is one error per output if there are several outputs. ``percent`` is eq. (rms), ``rmse``
    is in the unit of y. If the simulation diverges, both are infinite and ``diverged_at`` is the
    sample at which it does. ``fit`` is MATLAB's: 100 for a perfect simulation, 0 for the mean of y.
    """

    percent: Any
    rmse: Any
    diverged_at: int | None = None

    @property
    def fit(self) -> Any:
        """``100 (1 - |e| / |y - mean|)`` in percent."""
        return 100.0 - self.percent


def score_runs(records: Records, runs: Sequence[SimulatedRecord], first: int) -> Score:
    """The error of all records together from sample ``first`` on."""
    for run in runs:
        if run.diverged_at is not None:
            infinite = _as_scalar(np.full(records.n_outputs, np.inf))
            return Score(infinite, infinite, run.diverged_at)
    measured = np.concatenate([record.y[first:] for record in records.items])
    simulated = np.concatenate([run.y[first:] for run in runs])
    rmse = np.sqrt(np.mean((simulated - measured) ** 2, axis=0))
    return Score(_as_scalar(relative_error(measured, simulated)), _as_scalar(rmse))


def _as_scalar(values: Array) -> Any:
    """A float if there is one output."""
    return float(values[0]) if values.size == 1 else values
