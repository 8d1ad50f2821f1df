"""Many cheap starts, the best of them polished."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._checks import positive_integer
from ..errors import DegenerateBranch, InvalidOption
from .base import Callback, Progress, Run

Task = TypeVar("Task")
Result = TypeVar("Result")
RandomState = int | np.random.SeedSequence | np.random.Generator | None
Workers = int | Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] | None

THREADS_PAY = 20_000  # points times branches from which threads gain more than they cost


class Sticky:
    """A callback that, once it has asked to stop, goes on asking."""

    def __init__(self, callback: Callback) -> None:
        self.callback = callback
        self.stopped = False

    def __call__(self, progress: Progress) -> bool:
        asked = self.callback(progress)
        self.stopped = self.stopped or (isinstance(asked, (bool, np.bool_)) and bool(asked))
        return self.stopped


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options that every method takes; a method is a subclass with its own defaults."""

    n_starts: int = 10
    max_iterations: int = 100
    random_state: RandomState = None
    callback: Callback | None = None
    weights: Sequence[float] | NDArray[np.float64] | None = None
    workers: Workers = None

    def prepared(self) -> Self:
        """A checked copy whose callback remembers that it asked to stop."""
        positive_integer("n_starts", self.n_starts)
        positive_integer("max_iterations", self.max_iterations)
        if self.callback is None:
            return self
        if not callable(self.callback):
            raise InvalidOption("callback must be callable: it is given a Progress")
        if isinstance(self.workers, int) and self.workers != 1:
            raise InvalidOption("a callback cannot follow other processes: use workers=None")
        return replace(self, callback=Sticky(self.callback))

    def reporter(self, stage: str, task: int, n_tasks: int) -> Callable[[int, float], bool] | None:
        """What ``iterate`` calls to tell the callback where the work is."""
        callback = self.callback
        if callback is None:
            return None
        return lambda iteration, objective: bool(
            callback(Progress(stage, task, n_tasks, iteration, objective))
        )


def generators(random_state: RandomState, count: int) -> list[np.random.Generator]:
    """Independent generators: the same for every worker count, and never the global one."""
    if isinstance(random_state, np.random.Generator):
        return random_state.spawn(count)
    try:
        if isinstance(random_state, np.random.SeedSequence):  # a copy: spawning changes it
            key, entropy = random_state.spawn_key, random_state.entropy
            sequence = np.random.SeedSequence(entropy, spawn_key=key)
        else:
            sequence = np.random.SeedSequence(random_state)
    except (TypeError, ValueError):
        raise InvalidOption(
            f"random_state must be a whole number, a SeedSequence, a Generator or None, "
            f"got {random_state!r}"
        ) from None
    return [np.random.default_rng(child) for child in sequence.spawn(count)]


def run_all(
    function: Callable[[Task], Result], tasks: Sequence[Task], workers: Workers, size: int
) -> list[Result]:
    """Map a function over tasks, in order.

    ``workers``: None runs in threads where the arrays are large enough to gain from it, a number
    runs in that many processes, -1 in one a core, and anything with the signature of ``map``
    (a pool's ``map``, say) is used as it is. The answers are the same bit for bit.
    """
    if callable(workers):
        return list(workers(function, tasks))
    if workers is None:
        threads = min(len(tasks), os.cpu_count() or 1) if size >= THREADS_PAY else 1
        if threads == 1:
            return [function(task) for task in tasks]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(function, tasks))
    count = os.cpu_count() or 1 if workers == -1 else positive_integer("workers", workers)
    if count == 1:
        return [function(task) for task in tasks]
    with ProcessPoolExecutor(min(count, len(tasks))) as processes:
        return list(processes.map(function, tasks))


def best_runs(runs: Sequence[Run | None], count: int) -> list[Run]:
    """The ``count`` runs of least loss; starts that degenerated (None) are left out."""
    alive = [run for run in runs if run is not None]
    if not alive:
        raise DegenerateBranch(
            "no start survived: a branch ended on a direction in which the points do not vary, "
            "or its numbers overflowed; spread the points over all inputs, or use fewer branches"
        )
    return sorted(alive, key=lambda run: float(run.best.loss))[:count]
