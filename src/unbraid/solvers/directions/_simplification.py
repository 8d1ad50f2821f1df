"""Simplify directions: drop, merge, and set entries to zero.

Every change is followed by a fit of what remains free. It is kept where the error on the
validation rows stays within a factor of the smallest one seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..._typing import Array, Index, Mask
from ._descent import fit_directions, normal_equations
from ._fit import (
    DirectionFit,
    curve_values,
    fit_coefficients,
    total_error,
    validation_errors,
)
from ._problem import DirectionProblem


@dataclass(frozen=True)
class SimplificationSettings:
    """How directions are simplified.

    Attributes
    ----------
    max_merge_angle : float
        Degrees between directions that may become one.
    same_angle : float
        Degrees between directions of two outputs that may become one.
    merged_iterations, final_iterations : int
        Of the fits after a change, and at the end.
    max_rounds : int
        Of dropping, merging and setting to zero.
    predicted_growth : float
        Growth of the cost up to which the first set of zeros reaches.
    n_single : int
        Entries that are tried one by one after a set of them was refused.
    """

    max_merge_angle: float = 30.0
    merged_iterations: int = 8
    final_iterations: int = 25
    same_angle: float = 10.0
    max_rounds: int = 4
    predicted_growth: float = 0.1
    n_single: int = 3


SIMPLIFICATION_SETTINGS = SimplificationSettings()
SUPPORT_WEIGHT = 0.05  # entries of a direction below it do not count as inputs of it
FREE_ENTRY = 1e-12  # entry that is free and begins at zero


@dataclass(frozen=True, eq=False)
class PatternFit:
    """A fit whose directions are zero outside a pattern (D, m)."""

    fit: DirectionFit
    pattern: Mask

    @property
    def n_free(self) -> int:
        return int(self.pattern.sum())


class Simplifier:
    """Tries simpler patterns, and remembers the smallest error that was seen."""

    def __init__(self, problem: DirectionProblem, n_splines: int, max_increase: float) -> None:
        self.problem = problem
        self.n_splines = n_splines
        self.factor = 1 + max_increase
        self.best_error = np.inf

    def run(
        self, directions: Array, *, may_remove: bool = True, max_merge_angle: float | None = None
    ) -> PatternFit:
        """Simplify directions until nothing more is accepted; their zeros stay."""
        angle = max_merge_angle
        angle = SIMPLIFICATION_SETTINGS.max_merge_angle if angle is None else angle
        current = self._fit(directions, directions != 0, final=True)
        self._accepts(current)
        for _ in range(SIMPLIFICATION_SETTINGS.max_rounds):
            before = current.n_free
            if may_remove:
                current = self._repeat(self._drop, current)
                current = self._repeat(lambda found: self._merge(found, angle), current)
                current = self._repeat(self._replace_by_inputs, current)
            current = self._repeat(self._set_zeros, current)
            if current.n_free == before:
                break
        return self._fit(current.fit.directions, current.pattern, final=True)

    def _repeat(
        self, change: Callable[[PatternFit], PatternFit | None], current: PatternFit
    ) -> PatternFit:
        """Apply a change until it is refused."""
        while len(current.pattern):
            changed = change(current)
            if changed is None:
                break
            current = changed
        return current

    def _fit(self, directions: Array, pattern: Mask, final: bool = False) -> PatternFit:
        settings = SIMPLIFICATION_SETTINGS
        iterations = settings.final_iterations if final else settings.merged_iterations
        fit = fit_directions(
            self.problem, directions, self.n_splines, pattern, max_iterations=iterations
        )
        return PatternFit(fit, pattern)

    def _accepts(self, trial: PatternFit) -> bool:
        error = total_error(validation_errors(self.problem, trial.fit))
        accepted = error <= self.factor * self.best_error
        if accepted:
            self.best_error = min(self.best_error, error)
        return accepted

    def _drop(self, current: PatternFit) -> PatternFit | None:
        """Without one direction: the one whose absence costs least, or the next."""
        directions = current.fit.directions
        costs = [
            fit_coefficients(self.problem, np.delete(directions, d, 0), self.n_splines).cost
            for d in range(len(directions))
        ]
        for d in np.argsort(costs)[:2]:
            trial = self._fit(np.delete(directions, d, 0), np.delete(current.pattern, d, 0))
            if self._accepts(trial):
                return trial
        return None

    def _merge(self, current: PatternFit, max_angle: float) -> PatternFit | None:
        """With one direction in place of two that are close, the closest first."""
        directions, pattern = current.fit.directions, current.pattern
        cosines = directions @ directions.T
        pairs = list(combinations(range(len(directions)), 2))
        sizes = _curve_sizes(current.fit, self.problem.points)
        for i, j in sorted(pairs, key=lambda pair: -abs(cosines[pair])):
            if abs(cosines[i, j]) < np.cos(np.radians(max_angle)):
                break
            merged, joined = directions.copy(), pattern.copy()
            merged[i] = sizes[i] * directions[i] + np.sign(cosines[i, j]) * sizes[j] * directions[j]
            joined[i] = _join_patterns(merged[i], pattern[i], pattern[j])
            trial = self._fit(np.delete(merged, j, 0), np.delete(joined, j, 0))
            if self._accepts(trial):
                return trial
        return None

    def _replace_by_inputs(self, current: PatternFit) -> PatternFit | None:
        """With one direction per input in place of several over the same few inputs."""
        directions = current.fit.directions
        supports = [tuple(np.flatnonzero(np.abs(row) > SUPPORT_WEIGHT)) for row in directions]
        for support in dict.fromkeys(s for s in supports if len(s) > 1):
            within = np.array([set(s) <= set(support) for s in supports])
            if within.sum() < len(support):
                continue
            axes = np.eye(directions.shape[1])[list(support)]
            rest, pattern = directions[~within], current.pattern[~within]
            trial = self._fit(np.vstack([rest, axes]), np.vstack([pattern, axes != 0]))
            if self._accepts(trial):
                return trial
        return None

    def use_known(self, current: PatternFit, known: Array) -> PatternFit:
        """With known directions in place of those that are close to them."""
        limit = np.cos(np.radians(SIMPLIFICATION_SETTINGS.same_angle))
        for d in range(len(current.pattern)):
            directions = current.fit.directions
            cosines = known @ directions[d]
            close = np.abs(cosines) > limit
            close &= np.all((known != 0) == current.pattern[d], axis=1)
            for k in np.flatnonzero(close):
                changed = directions.copy()
                changed[d] = known[k]
                fit = fit_coefficients(self.problem, changed, self.n_splines)
                trial = PatternFit(fit, current.pattern)
                if self._accepts(trial):
                    current = trial
                    break
        return current

    def _set_zeros(self, current: PatternFit) -> PatternFit | None:
        """With more zeros: the longest acceptable list of the cheapest entries."""
        order, growth = self._rank_entries(current)
        if not order.size:
            return None
        limit = SIMPLIFICATION_SETTINGS.predicted_growth * current.fit.cost
        low, high, best = 0, order.size, None
        count = max(1, int(np.sum(np.cumsum(growth) < limit)))
        while low < high:
            trial = self._without(current, order[:count])
            if self._accepts(trial):
                low, best = count, trial
            else:
                high = count - 1
            count = (low + high + 1) // 2
        if best is not None:
            return best
        for entry in order[1 : 1 + SIMPLIFICATION_SETTINGS.n_single]:
            trial = self._without(current, np.array([entry]))
            if self._accepts(trial):
                return trial
        return None

    def _rank_entries(self, current: PatternFit) -> tuple[Index, Array]:
        """Flat indices of the free entries, cheapest first, and the growth of the cost."""
        pattern = current.pattern
        free = np.flatnonzero(pattern & (pattern.sum(axis=1, keepdims=True) > 1))
        if not free.size:
            return free, np.empty(0)
        matrix = normal_equations(self.problem, current.fit)[0][np.ix_(free, free)]
        matrix = matrix + 1e-10 * np.trace(matrix) / len(matrix) * np.eye(len(matrix))
        variance = np.maximum(np.diag(np.linalg.pinv(matrix)), 1e-300)
        growth = current.fit.directions.ravel()[free] ** 2 / variance
        order = np.argsort(growth)
        return free[order], growth[order]

    def _without(self, current: PatternFit, entries: Index) -> PatternFit:
        """A fit with these entries at zero; the last one of a direction stays."""
        pattern = current.pattern.copy()
        for entry in entries:
            d, l = divmod(int(entry), pattern.shape[1])
            if pattern[d].sum() > 1:
                pattern[d, l] = False
        return self._fit(current.fit.directions + FREE_ENTRY, pattern)


def merge_parallel(directions: Array, max_angle: float) -> Array:
    """Unit rows with one in place of all that differ by an angle (degrees) at most.

    >>> merge_parallel(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), 3.0).shape
    (2, 2)
    """
    limit = np.cos(np.radians(max_angle))
    kept: list[Array] = []
    for direction in directions:
        if all(abs(direction @ other) < limit for other in kept):
            kept.append(direction)
    return np.array(kept).reshape(-1, directions.shape[1])


def _curve_sizes(fit: DirectionFit, points: Array) -> Array:
    """Mean square of the curves along each direction, summed over the outputs; (D,)."""
    return np.asarray(curve_values(fit, points).var(axis=0).sum(axis=1))


def _join_patterns(merged: Array, first: Mask, second: Mask) -> Mask:
    """The common entries if they hold most of the merged direction, else all of them."""
    common = first & second
    holds_most = np.linalg.norm(merged * common) > 0.7 * np.linalg.norm(merged)
    return np.asarray(common if holds_most else first | second)
