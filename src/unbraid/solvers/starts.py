"""Many cheap starts, the best of them polished."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .._checks import positive_integer
from ..errors import DegenerateBranch, InvalidOption
from .base import Callback, Interrupted, Progress, Run

Task = TypeVar("Task")
Result = TypeVar("Result")
Workers = int | Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] | None

THREADS_PAY = 20_000  # points times branches from which threads gain more than they cost


@dataclass(frozen=True)
class Options:
    """Options that every method takes."""

    n_starts: int
    max_iterations: int
    random_state: int | np.random.SeedSequence | np.random.Generator | None = None
    callback: Callback | None = None
    workers: Workers = None

    def checked(self) -> Options:
        positive_integer("n_starts", self.n_starts)
        positive_integer("max_iterations", self.max_iterations)
        if self.callback is not None and not callable(self.callback):
            raise InvalidOption("callback must be callable: it is given a Progress")
        if self.callback is not None and isinstance(self.workers, int) and self.workers != 1:
            raise InvalidOption("a callback cannot follow other processes: use workers=None")
        return self


def generators(
    random_state: int | np.random.SeedSequence | np.random.Generator | None, count: int
) -> list[np.random.Generator]:
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


def reporter(
    callback: Callback | None, stage: str, task: int, n_tasks: int
) -> Callable[[int, float], None] | None:
    """A report function for ``iterate`` that tells the callback where the work is."""
    if callback is None:
        return None

    def report(iteration: int, objective: float) -> None:
        if callback(Progress(stage, task, n_tasks, iteration, objective)) is True:
            raise Interrupted

    return report


def best_runs(runs: Sequence[Run | None], count: int) -> list[Run]:
    """The ``count`` runs of least loss; starts that degenerated (None) are left out."""
    alive = [run for run in runs if run is not None]
    if not alive:
        raise DegenerateBranch(
            "in every start a branch ended on a direction in which the points do not vary; "
            "spread the points over all inputs, or use fewer branches"
        )
    return sorted(alive, key=lambda run: float(run.best.loss))[:count]
