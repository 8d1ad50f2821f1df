"""Predictions several steps ahead from measured outputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from .._typing import Array
from ..dynamics._records import Record
from ..dynamics._static_map import StaticMap
from ._lags import Lags
from ._simulation import SimulationCase, SimulationResult


def predict_ahead(
    function: StaticMap,
    lags: Lags,
    record: Record,
    steps: Sequence[int],
    limit: Array | float = np.inf,
) -> Mapping[int, SimulationResult]:
    """Predictions of one record, as long as it, for every number of steps.

    The prediction k steps ahead of y(t) knows the outputs up to y(t - k), and all inputs. It is
    made for all t at once, from the predictions of 1, 2, ..., k - 1 steps: past outputs that are
    not known yet are replaced by the prediction that knows as much. The first samples, which have
    no such prediction, are those of y. Where one is not finite, all longer ones count as diverged.
    """
    case = SimulationCase(record.u, record.y[:0], limit)
    found: dict[int, SimulationResult] = {}
    earlier: deque[Array] = deque(maxlen=max(lags.memory, 1))  # of fewer steps, the newest first
    for step in range(1, max(steps, default=0) + 1):
        first = lags.longest + step - 1
        table = lags.table(record.u, record.y, first, len(record))
        for column, channel, lag in zip(*lags.feedback, strict=True):
            if lag < step:
                table[:, column] = earlier[lag - 1][first - lag : len(record) - lag, channel]
        with np.errstate(all="ignore"):
            values = function.values(table)
        if not case.is_bounded(values):
            bad = ~(np.isfinite(values) & (np.abs(values) <= limit)).all(axis=1)
            diverged_at = first + int(np.argmax(bad))
            stopped = SimulationResult(record.y[:diverged_at], diverged_at)
            return {**found, **{k: stopped for k in steps if k >= step}}
        y = record.y.copy()
        y[first:] = values
        earlier.appendleft(y)
        if step in steps:
            found[step] = SimulationResult(y)
    return found
