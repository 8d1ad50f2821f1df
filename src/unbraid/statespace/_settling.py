"""Whether equations settle while inputs are held slightly beyond their extremes.

Records seldom stay where an input is largest or smallest, so that their errors do not show a limit
cycle there, or a divergence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .._typing import Array
from ..dynamics._records import Record
from ._problem import STATE_LIMIT, StateSpaceProblem
from ._simulation import StateRun, Transition, simulate_states

INPUT_MARGIN = 0.05  # of the range of an input, by which it goes beyond its extreme
SETTLING_LENGTH = 1000  # samples for which an input stays there
LATE_SHARE = 0.25  # of these, at the end, in which the outputs should be steady
LARGEST_SWING = 0.05  # spreads of the outputs: more is a limit cycle
REFERENCE_FACTOR = 2.0  # swing of a model over that of the linear one, which may ring for long


def settles(
    system: Transition, runs: Sequence[StateRun], problem: StateSpaceProblem, reference: float = 0.0
) -> bool:
    """Whether outputs come to rest or drift beyond the extremes of the inputs.

    ``runs`` are those of the records, ``reference`` the largest swing of the linear model.
    """
    limit = LARGEST_SWING + REFERENCE_FACTOR * reference
    return largest_swing(system, runs, problem) <= limit


def largest_swing(
    system: Transition, runs: Sequence[StateRun], problem: StateSpaceProblem
) -> float:
    """Largest late swing of an output at held inputs; inf if it diverges.

    The simulations begin at the mean states of the records.
    """
    middle = np.concatenate([run.x for run in runs]).mean(axis=0)
    swings = []
    for u in _hold_inputs(problem.records):
        run = simulate_states(system, u, middle, problem.n_outputs, limit=STATE_LIMIT)
        if run.diverged_at is not None:
            return np.inf
        swings.append(measure_swing(problem.clip(run.y)[-int(LATE_SHARE * SETTLING_LENGTH) :]))
    return max(swings)


def measure_swing(y: Array) -> float:
    """Mean size of movements that signals (T, n_y) take back; 0 if monotone.

    >>> measure_swing(np.array([[0.0], [1.0], [3.0]]))
    0.0
    >>> measure_swing(np.array([[0.0], [1.0], [0.0], [1.0], [0.0]]))
    1.0
    """
    steps = np.diff(y, axis=0)
    path = np.abs(steps).sum(axis=0) - np.abs(steps.sum(axis=0))
    n_turns = np.sum(steps[1:] * steps[:-1] < 0, axis=0) + 1
    return float(np.max(path / n_turns))


def _hold_inputs(records: Sequence[Record]) -> Iterator[Array]:
    """Inputs with one channel or all beyond an extreme, the others at their means."""
    table = np.concatenate([record.u for record in records])
    mean, low, high = table.mean(axis=0), table.min(axis=0), table.max(axis=0)
    for extreme in (low - INPUT_MARGIN * (high - low), high + INPUT_MARGIN * (high - low)):
        for channel in range(mean.size):
            level = mean.copy()
            level[channel] = extreme[channel]
            yield np.tile(level, (SETTLING_LENGTH, 1))
        if mean.size > 1:
            yield np.tile(extreme, (SETTLING_LENGTH, 1))
