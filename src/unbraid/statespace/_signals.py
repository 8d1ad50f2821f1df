"""Normalised signals: zero mean, unit variance, and sensors that saturate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from ..dynamics._records import Record, Records
from ..errors import InvalidSamplesError
from ._equations import Equations

MIN_SATURATED = 8  # samples at exactly the largest value
PILE_UP = 4.0  # times as many samples as at the next value
MIN_DISTINCT = 20  # values of an output that is not a switch


@dataclass(frozen=True, eq=False)
class SignalScaling:
    """Means and standard deviations of inputs and outputs."""

    u_mean: Array
    u_spread: Array
    y_mean: Array
    y_spread: Array

    def normalise(self, record: Record) -> Record:
        """The record with normalised signals."""
        return replace(record, u=self.normalise_u(record.u), y=self.normalise_y(record.y))

    def normalise_u(self, u: Array) -> Array:
        return np.asarray((u - self.u_mean) / self.u_spread)

    def normalise_y(self, y: Array) -> Array:
        return np.asarray((y - self.y_mean) / self.y_spread)

    def to_user(self, e: Equations) -> Equations:
        """Equations of normalised signals as equations of the user's signals."""
        n, n_u, n_y = e.n_states, e.n_inputs, e.n_outputs
        inner = np.diag(np.concatenate([np.ones(n), 1 / self.u_spread]))
        shift = np.concatenate([np.zeros(n), -self.u_mean / self.u_spread])
        outer = np.diag(np.concatenate([np.ones(n), self.y_spread]))
        level = np.concatenate([np.zeros(n), self.y_mean])
        assert len(self.u_mean) == n_u
        assert len(self.y_mean) == n_y
        return e.substitute(inner, shift, outer, level)

    def from_user(self, e: Equations) -> Equations:
        """The inverse of ``to_user``."""
        n = e.n_states
        inner = np.diag(np.concatenate([np.ones(n), self.u_spread]))
        shift = np.concatenate([np.zeros(n), self.u_mean])
        outer = np.diag(np.concatenate([np.ones(n), 1 / self.y_spread]))
        level = np.concatenate([np.zeros(n), -self.y_mean / self.y_spread])
        return e.substitute(inner, shift, outer, level)


def measure_scaling(records: Records) -> SignalScaling:
    """Means and spreads over all records; constant channels are refused."""
    found = {}
    for name in ("u", "y"):
        signal = np.concatenate([getattr(record, name) for record in records.items])
        spread = signal.std(axis=0)
        constant = np.flatnonzero(np.ptp(signal, axis=0) <= 1e-13 * np.abs(signal).max(axis=0))
        if constant.size:
            raise InvalidSamplesError(
                f"channel {constant[0]} of {name} is constant and carries no information: leave it "
                f"out, or use a record in which it varies"
            )
        found[name] = signal.mean(axis=0), spread
    return SignalScaling(*found["u"], *found["y"])


def detect_saturation(records: Sequence[Record]) -> tuple[Array, Array] | None:
    """Bounds (low, high) at which outputs are saturated; infinite where they are not.

    A saturated output repeats its exact extreme far more often than the value next to it. None if
    no output does.
    """
    y = np.concatenate([record.y for record in records])
    low, high = np.full(y.shape[1], -np.inf), np.full(y.shape[1], np.inf)
    for o, channel in enumerate(y.T):
        values, counts = np.unique(channel, return_counts=True)
        if values.size < MIN_DISTINCT:
            continue
        if counts[-1] >= max(MIN_SATURATED, PILE_UP * counts[-2]):
            high[o] = values[-1]
        if counts[0] >= max(MIN_SATURATED, PILE_UP * counts[1]):
            low[o] = values[0]
    return (low, high) if np.any(np.isfinite([low, high])) else None
