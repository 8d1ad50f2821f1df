"""What a refinement is to fit, and what it is to be judged on."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._util.validation import non_negative, positive_integer
from ..errors import InvalidOption, InvalidSamples
from ._gauss_newton import Task
from ._lags import Lags
from ._records import Records

MOST_HELD_OUT = 0.9


def first_sample(records: Records, lags: Lags, initial: int | None) -> int:
    """The sample from which records run free: the longest lag, or what the user says."""
    least = lags.longest
    first = max(least, 1) if initial is None else positive_integer("initial", initial, least)
    shortest = min(map(len, records.items))
    if first >= shortest:
        raise InvalidSamples(
            f"initial = {first} leaves nothing of a record of {shortest} samples to simulate"
        )
    return first


def without_last(records: Records, share: Any, first: int) -> tuple[Records, Records | None]:
    """All but the last share of every record, and that share with the samples it starts from."""
    share = non_negative("held_out", share)
    if share >= MOST_HELD_OUT:
        raise InvalidOption(f"held_out = {share:g} leaves too little to fit")
    fitted, held = records.split(share, first)
    parts = [*fitted.items, *(() if held is None else held.items)]
    if min(map(len, parts)) <= first:
        raise InvalidSamples(
            f"held_out = {share:g} splits a record into parts too short to simulate from {first} "
            f"initial samples: pass held_out=0, or held_out=(u, y)"
        )
    return fitted, held


def make_task(records: Records, lags: Lags, initial: int | None, limit: Any) -> Task:
    """Simulation of the records, every output measured by its spread."""
    first = first_sample(records, lags, initial)
    spread = np.concatenate([record.y[first:] for record in records.items]).std(axis=0)
    if all(np.all(record.weights[first:] == 0) for record in records.items):
        raise InvalidSamples(
            "weights are 0 on all samples that are fitted, or on all that are held out: pass "
            "held_out=0 or other weights"
        )
    limit = records.reach if limit is None else limit
    return Task(lags, records.items, first, np.where(spread > 0, spread, 1.0), limit)
