"""Many cheap starts, the best of them polished."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._checks import can_spawn, positive_integer
from ..errors import DegenerateBranch, InvalidOption
from ..workers import processes
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
        self.failed = False  # has it raised? That is nobody's to catch

    def __call__(self, progress: Progress) -> bool:
        self.failed = True
        asked = self.callback(progress)
        self.failed = False
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
        generators(self.random_state, 0)
        if self.workers is not None and not callable(self.workers):
            _processes(self.workers)
        if self.callback is None:
            return self
        if not callable(self.callback):
            raise InvalidOption("callback must be callable: it is given a Progress")
        if isinstance(self.workers, (int, np.integer)) and self.workers != 1:
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
    if isinstance(random_state, np.random.Generator) and can_spawn(random_state):
        return random_state.spawn(count)
    try:
        if isinstance(random_state, (bool, np.random.Generator)):
            raise TypeError
        if isinstance(random_state, np.random.SeedSequence):  # a copy: spawning changes it
            key, entropy = random_state.spawn_key, random_state.entropy
            sequence = np.random.SeedSequence(entropy, spawn_key=key)
        else:
            sequence = np.random.SeedSequence(random_state)
    except (TypeError, ValueError):
        raise InvalidOption(
            f"random_state must be a whole number of at least 0, a SeedSequence, a Generator with "
            f"a seed or None, got {random_state!r}"
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
        return _mapped(workers, function, tasks)
    if workers is None:
        threads = min(len(tasks), os.cpu_count() or 1) if size >= THREADS_PAY else 1
        if threads == 1:
            return [function(task) for task in tasks]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(function, tasks))
    count = _processes(workers)
    if count == 1:
        return [function(task) for task in tasks]
    with processes(min(count, len(tasks))) as pool:
        return list(pool.map(function, tasks))


def _mapped(
    workers: Callable[..., Any], function: Callable[[Task], Result], tasks: Sequence[Task]
) -> list[Result]:
    """Through the user's own ``map``; is it one?"""
    found = workers(function, tasks)
    results = list(found) if isinstance(found, Iterable) else []
    if len(results) != len(tasks):
        raise InvalidOption(
            f"workers gave {len(results)} results for {len(tasks)} tasks: pass a number, or what "
            f"works like map(function, tasks)"
        )
    return results


def _processes(workers: Any) -> int:
    """How many processes a number asks for; -1 is one a core."""
    if isinstance(workers, (int, np.integer)) and workers == -1:
        return os.cpu_count() or 1
    return positive_integer("workers (or -1 for one a core)", workers)


def best_runs(runs: Sequence[Run | None], count: int) -> list[Run]:
    """The ``count`` runs of least loss; starts that degenerated (None) are left out."""
    alive = [run for run in runs if run is not None]
    if not alive:
        raise DegenerateBranch(
            "no start survived: a branch ended on a direction in which the points do not vary, "
            "a mould holds it flat at all of them, or its numbers overflowed; spread the points "
            "over all inputs, widen the limits of the mould, or use fewer branches"
        )
    return sorted(alive, key=lambda run: float(run.best.loss))[:count]
