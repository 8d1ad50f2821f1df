"""How far a record leaves the range of the data that a model was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..model._function import DecoupledFunction

LARGE_SHARE = 0.01  # of the samples outside: above it, the record leaves the range
ROUNDING = 1e-9  # of the width of a range, by which a sample may leave it


@dataclass(frozen=True)
class RangeUse:
    """Where the samples of a record lie relative to the range of the training data.

    Attributes
    ----------
    name : str
        z1, z2, ... of a branch, or the name of a signal.
    kind : str
        "branch", "input" or "output".
    low, high : float
        The range of the training data.
    share : float
        Share of the samples outside of it, 0 to 1.
    excess : float
        Largest distance beyond it, as a share of its width.
    """

    name: str
    kind: str
    low: float
    high: float
    share: float
    excess: float

    @property
    def is_left(self) -> bool:
        """Whether more than 1 % of the samples are outside."""
        return self.share > LARGE_SHARE


def measure_branch_use(d: DecoupledFunction, table: Array, trained: Array | None) -> list[RangeUse]:
    """How rows of [arguments] (N, m) of a function use the range of each branch.

    The range is that of the branch and of its stored points, and that of the training rows where
    these are known.
    """
    seen = [part for part in (trained, d.points) if part is not None]
    reached = [part @ d.V for part in seen]
    found = []
    for i, z in enumerate((table @ d.V).T):
        ends = [d.branches[i].interval, *((r[:, i].min(), r[:, i].max()) for r in reached)]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        found.append(measure_use(f"z{i + 1}", "branch", float(low), float(high), z))
    return found


def measure_signal_use(
    names: Sequence[str], kind: str, table: Array, trained: Array
) -> list[RangeUse]:
    """How signals (N, n) use the range of the training signals."""
    ends = zip(trained.min(axis=0), trained.max(axis=0), strict=True)
    triples = zip(names, ends, table.T, strict=True)
    return [measure_use(name, kind, float(a), float(b), x) for name, (a, b), x in triples]


def measure_use(name: str, kind: str, low: float, high: float, values: Array) -> RangeUse:
    """The share of values outside a range, and the largest distance.

    >>> measure_use("u", "input", 0.0, 2.0, np.array([1.0, 3.0])).share
    0.5
    """
    beyond = np.maximum(np.maximum(low - values, values - high), 0.0)
    width = high - low
    outside = beyond > ROUNDING * max(width, abs(low), abs(high))
    largest = float(beyond[outside].max(initial=0.0))
    excess = largest / width if width > 0 else (np.inf if largest > 0 else 0.0)
    return RangeUse(name, kind, low, high, float(np.mean(outside)), float(excess))
