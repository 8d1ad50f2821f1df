"""Rows of data with weights, and errors of predictions on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index
from ..sampling import RandomState

EQUIVALENT_ERRORS = 1.01  # ratio of mean errors within which two choices are equivalent
EQUIVALENT_STANDARD_ERRORS = 0.25  # of their difference by fold, for the same
SMALL_GAIN = 1.06  # ratio of mean errors; a smaller gain may be chance
CHANCE_STANDARD_ERRORS = 1.5  # of the same: a better error may be chance
SIGNIFICANT_STANDARD_ERRORS = 2.0  # of the difference by fold: less is chance


@dataclass(frozen=True, eq=False)
class Rows:
    """Inputs X (N, m), targets Y (N, n) and weights (N,) of mean 1."""

    X: Array
    Y: Array
    weights: Array

    def __len__(self) -> int:
        return len(self.X)

    def subset(self, rows: Index) -> Rows:
        return Rows(self.X[rows], self.Y[rows], self.weights[rows])

    def draw(self, count: int, random_state: RandomState = 0) -> Rows:
        """At most ``count`` of the rows, drawn at random and kept in order."""
        if len(self) <= count:
            return self
        drawn = np.random.default_rng(random_state).permutation(len(self))[:count]
        return self.subset(np.sort(drawn))

    def split_folds(self, count: int, random_state: RandomState = 0) -> list[tuple[Index, Index]]:
        """Rows to fit and rows held out, per fold; each row is held out once."""
        order = np.random.default_rng(random_state).permutation(len(self))
        parts = np.array_split(order, count)
        return [(np.sort(np.setdiff1d(order, part)), np.sort(part)) for part in parts]

    @property
    def mean(self) -> Array:
        """Weighted mean of every output."""
        return np.asarray(np.average(self.Y, axis=0, weights=self.weights))

    @property
    def output_scale(self) -> Array:
        """Standard deviation of every output; 1 if it does not vary."""
        variance = np.average((self.Y - self.mean) ** 2, axis=0, weights=self.weights)
        deviation = np.sqrt(variance)
        return np.where(deviation > 1e-12 * np.abs(self.mean), deviation, 1.0)

    def residual_spread(self, prediction: Array) -> Array:
        """Weighted rms residual of every output."""
        return np.sqrt(np.average((self.Y - prediction) ** 2, axis=0, weights=self.weights))

    def output_errors(self, prediction: Array, scale: Array) -> Array:
        """Weighted mean square error (n,) of every scaled output."""
        squares = ((self.Y - prediction) / scale) ** 2
        return np.asarray(np.average(squares, axis=0, weights=self.weights))

    def error(self, prediction: Array, scale: Array) -> float:
        """Weighted mean square error of the scaled outputs."""
        errors = np.mean(((self.Y - prediction) / scale) ** 2, axis=1)
        return float(np.average(errors, weights=self.weights))


def merge_equal_rows(X: Array, Y: Array, weights: Array | None) -> Rows:
    """Sort the rows, merge equal ones and drop those of weight 0.

    So the result depends neither on the order of the rows nor on whether a row occurs twice or has
    twice the weight.

    >>> X, Y = np.array([[2.0], [1.0], [2.0]]), np.array([[5.0], [4.0], [5.0]])
    >>> rows = merge_equal_rows(X, Y, None)
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


def choose_first_equivalent(errors: Sequence[Array], good: float = 0.0) -> int:
    """Index of the first choice whose errors by fold are equivalent to the best ones.

    A choice whose mean error is at most ``good`` is accepted as well.

    >>> choose_first_equivalent([np.array([3.0, 3.0]), np.array([1.0, 2.1]), np.array([2.0, 1.0])])
    1
    """
    best = min(errors, key=lambda table: float(table.mean()))
    for index, table in enumerate(errors):
        tolerance = EQUIVALENT_STANDARD_ERRORS * _standard_error(table - best)
        within_chance = (table - best).mean() <= tolerance
        if table.mean() <= max(EQUIVALENT_ERRORS * best.mean(), good) or within_chance:
            return index
    return 0


def skip_chance_gains(errors: Sequence[Array], chosen: int) -> int:
    """Index of the first choice over which the chosen one gains little and by chance.

    >>> skip_chance_gains([np.array([1.0, 2.1, 1.5]), np.array([1.2, 1.8, 1.5])], chosen=1)
    0
    """
    best = errors[chosen]
    for index, table in enumerate(errors[:chosen]):
        limit = SIGNIFICANT_STANDARD_ERRORS * _standard_error(table - best)
        if table.mean() <= SMALL_GAIN * best.mean() and (table - best).mean() <= limit:
            return index
    return chosen


def is_chance(simple: Array, better: Array) -> bool:
    """Return whether ``better`` is below ``simple`` by few standard errors at most."""
    limit = CHANCE_STANDARD_ERRORS * _standard_error(simple - better)
    return bool((simple - better).mean() <= limit)


def _standard_error(differences: Array) -> float:
    if differences.size < 2:
        return 0.0
    return float(differences.std(ddof=1) / np.sqrt(differences.size))


def spaced_indices(count: int, most: int) -> Index:
    """At most ``most`` of ``count`` indices, evenly spaced.

    >>> spaced_indices(10, 3).tolist()
    [0, 4, 9]
    """
    return np.unique(np.linspace(0, count - 1, min(most, count)).astype(np.intp))
