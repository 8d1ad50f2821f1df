"""Blocks of samples that are held out of every record, to compare models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Mask
from ..dynamics._records import Record, Records
from ..errors import DivergenceError, InvalidSamplesError
from ..statespace._estimation import HELD_OUT_BLOCKS
from ..statespace._problem import hold_out_blocks

FEWEST_SAMPLES = 30  # of all records together
MAX_INITIAL = 50  # first outputs that start a simulation
INITIAL_SHARE = 0.1  # of the shortest record, at most


@dataclass(frozen=True, eq=False)
class HeldOutBlocks:
    """Records with blocks that are held out, those of the state-space estimators."""

    records: Records
    share: float

    def __post_init__(self) -> None:
        n_samples = sum(map(len, self.records.items))
        if n_samples < FEWEST_SAMPLES:
            raise InvalidSamplesError(
                f"the records have {n_samples} samples: at least {FEWEST_SAMPLES} are needed"
            )

    @property
    def masks(self) -> list[Mask]:
        """Which samples of every record are held out."""
        return [hold_out_blocks(len(r), self.share, HELD_OUT_BLOCKS) for r in self.records.items]

    @property
    def fitted(self) -> Records:
        """The parts of the records between the held-out blocks, as separate records."""
        items: list[Record] = []
        for record, mask in zip(self.records.items, self.masks, strict=True):
            edges = np.flatnonzero(np.diff(np.concatenate([[1], mask.astype(int), [1]])))
            items += [record.segment(*pair) for pair in edges.reshape(-1, 2)]
        return Records(tuple(items), True, self.records.flat)

    @property
    def initial(self) -> int:
        """First outputs of every record that a simulation may use."""
        return max(1, min(MAX_INITIAL, int(INITIAL_SHARE * min(map(len, self.records.items)))))

    def squared_errors(self, model: Any) -> Array:
        """Squared errors of held-out samples (N, n_y) in variances of the outputs.

        Every record is simulated from its start. [[inf]] if that diverges.
        """
        try:
            runs = model.simulate_from_outputs(self.records, self.initial)
        except DivergenceError:
            return np.array([[np.inf]])
        if any(run.diverged_at is not None for run in runs):
            return np.array([[np.inf]])
        y = np.concatenate([record.y for record in self.records.items])
        errors = np.concatenate(
            [
                (run.y - record.y)[mask]
                for run, record, mask in zip(runs, self.records.items, self.masks, strict=True)
            ]
        )
        return np.asarray(errors**2 / y.var(axis=0))


def to_signals(records: Records) -> tuple[list[Array], list[Array]]:
    """Inputs and outputs as lists, one array per record."""
    return [record.u for record in records.items], [record.y for record in records.items]
