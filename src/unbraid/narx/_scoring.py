"""How far simulated records are from measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array
from ..metrics import relative_error
from ._records import Records
from ._simulation import Run


class Score(NamedTuple):
    """How far a simulation is from the measured outputs; one number an output if several.

    ``percent`` is eq. (rms), ``rmse`` is in the unit of y. Of a model that runs off both are
    infinite, and ``diverged_at`` says from which sample on.
    """

    percent: Any
    rmse: Any
    diverged_at: int | None = None


def scored(records: Records, runs: Sequence[Run], first: int) -> Score:
    """The error of all records from sample ``first`` on, pooled."""
    for run in runs:
        if run.diverged_at is not None:
            infinite = _plain(np.full(records.n_outputs, np.inf))
            return Score(infinite, infinite, run.diverged_at)
    measured = np.concatenate([record.y[first:] for record in records.items])
    simulated = np.concatenate([run.y[first:] for run in runs])
    rmse = np.sqrt(np.mean((simulated - measured) ** 2, axis=0))
    return Score(_plain(relative_error(measured, simulated)), _plain(rmse))


def _plain(values: Array) -> Any:
    """A number where there is one output."""
    return float(values[0]) if values.size == 1 else values
