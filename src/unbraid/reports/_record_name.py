"""Which record a figure belongs to: the training record, or another one."""

import numpy as np

from .._typing import Array
from ..dynamics._records import Record, Records

TRAINING = "on the training record"
MOST_STARTS = 100  # places in a record at which another one is looked for


def name_record(given: Records | None, training: Records | None) -> str:
    """Return which record the user gave; without one, it is the training record."""
    if given is None:
        return TRAINING
    if training is None:
        return "on the record given"
    if all(_is_part(record, training) for record in given.items):
        return TRAINING
    if any(_is_part(record, given) for record in training.items):
        return "on a record that contains the training record"
    return "on the test record"


def _is_part(part: Record, records: Records) -> bool:
    """Whether the samples of a record are consecutive samples of one of the others."""
    return any(_contains(_stack(record), _stack(part)) for record in records.items)


def _stack(record: Record) -> Array:
    return np.column_stack([record.u, record.y])


def _contains(whole: Array, part: Array) -> bool:
    if len(part) > len(whole) or part.shape[1] != whole.shape[1]:
        return False
    starts = np.flatnonzero(np.all(whole[: len(whole) - len(part) + 1] == part[0], axis=1))
    return any(
        np.array_equal(whole[start : start + len(part)], part) for start in starts[:MOST_STARTS]
    )
