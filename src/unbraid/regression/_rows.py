"""Rows of data: each distinct one once, with a weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index
from ..sampling import RandomState

NEAR, CHANCE = 1.01, 0.25  # times the least error, or standard errors of the difference to it


@dataclass(frozen=True, eq=False)
class Rows:
    """Inputs X (N, m), targets Y (N, n) and weights (N,), their mean 1."""

    X: Array
    Y: Array
    weights: Array

    def __len__(self) -> int:
        return len(self.X)

    def subset(self, rows: Index) -> Rows:
        return Rows(self.X[rows], self.Y[rows], self.weights[rows])

    def some(self, most: int, random_state: RandomState = 0) -> Rows:
        """At most so many of them, drawn at random."""
        if len(self) <= most:
            return self
        drawn = np.random.default_rng(random_state).permutation(len(self))[:most]
        return self.subset(np.sort(drawn))

    def folds(self, count: int, random_state: RandomState = 0) -> list[tuple[Index, Index]]:
        """Rows to fit and rows to judge on, ``count`` times; each row is judged on once."""
        order = np.random.default_rng(random_state).permutation(len(self))
        parts = np.array_split(order, count)
        return [(np.sort(np.setdiff1d(order, part)), np.sort(part)) for part in parts]


def gathered(X: Array, Y: Array, weights: Array | None) -> Rows:
    """Equal rows taken together and put in order, those of no weight left out.

    So the answer depends neither on the order of the rows nor on whether a row is said twice or
    has twice the weight.

    >>> rows = gathered(np.array([[2.0], [1.0], [2.0]]), np.array([[5.0], [4.0], [5.0]]), None)
    >>> rows.X.ravel().tolist(), rows.weights.round(3).tolist()
    ([1.0, 2.0], [0.667, 1.333])
    """
    weights = np.ones(len(X)) if weights is None else weights
    kept = weights > 0
    both = np.column_stack([X, Y])[kept]
    distinct, place = np.unique(both, axis=0, return_inverse=True)
    total = np.bincount(place.ravel(), weights[kept], minlength=len(distinct))
    m = X.shape[1]
    return Rows(distinct[:, :m], distinct[:, m:], total / total.mean())


def first_as_good(errors: Sequence[Array], good: float = 0.0) -> int:
    """The first choice whose errors by fold are not above the best ones by more than chance.

    Or whose mean error is ``good``.

    >>> first_as_good([np.array([3.0, 3.0]), np.array([1.0, 2.1]), np.array([2.0, 1.0])])
    1
    """
    best = min(errors, key=lambda table: float(table.mean()))
    for index, table in enumerate(errors):
        behind = table - best
        chance = behind.std(ddof=1) / np.sqrt(behind.size) if behind.size > 1 else 0.0
        if table.mean() <= max(NEAR * best.mean(), good) or behind.mean() <= CHANCE * chance:
            return index
    return 0


def by_chance(simple: Array, better: Array) -> bool:
    """Are the errors by fold of the better choice lower by no more than a standard error?"""
    gain = simple - better
    chance = gain.std(ddof=1) / np.sqrt(gain.size) if gain.size > 1 else 0.0
    return bool(gain.mean() <= chance)


def constant_error(fitted: Rows, judged: Rows, scale: Array) -> float:
    """What a constant leaves."""
    level = np.average(fitted.Y, axis=0, weights=fitted.weights)
    return fold_error(judged.Y, np.broadcast_to(level, judged.Y.shape), judged.weights, scale)


def thinned(count: int, most: int) -> Index:
    """At most so many of ``count`` places, evenly spread.

    >>> thinned(10, 3).tolist()
    [0, 4, 9]
    """
    return np.unique(np.linspace(0, count - 1, min(most, count)).astype(np.intp))


def fold_error(Y: Array, prediction: Array, weights: Array, scale: Array) -> float:
    """Weighted mean square of what is left, over the variance, mean of the outputs."""
    rest = np.mean(((Y - prediction) / scale) ** 2, axis=1)
    return float(np.average(rest, weights=weights))


def spread(rows: Rows) -> Array:
    """Standard deviation of every output; 1 where it does not vary."""
    centre = np.average(rows.Y, axis=0, weights=rows.weights)
    deviation = np.sqrt(np.average((rows.Y - centre) ** 2, axis=0, weights=rows.weights))
    return np.where(deviation > 1e-12 * np.abs(centre), deviation, 1.0)
