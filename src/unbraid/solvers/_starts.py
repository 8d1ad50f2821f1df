"""Many cheap starts, the best of them polished."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import InitVar, dataclass, replace
from functools import partial
from typing import Self, TypeVar

import numpy as np

from .._typing import Array
from .._util.parallel import check_n_jobs, import_joblib, run_unordered, worker_death_errors
from .._util.validation import can_spawn, positive_integer
from ..errors import DegenerateBranch, InvalidOption, WorkerError
from ._base import Callback, Progress, Run

Task = TypeVar("Task")
Result = TypeVar("Result")
RandomState = int | np.random.SeedSequence | np.random.Generator | None

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
    weights: Sequence[float] | Array | None = None
    n_jobs: int | None = None
    workers: InitVar[int | None] = None

    def __post_init__(self, workers: int | None) -> None:
        if workers is None:
            return
        if self.n_jobs is not None:
            raise InvalidOption("pass n_jobs alone: workers is its former name")
        message = "the option workers is now called n_jobs; the old name ends with 0.2"
        warnings.warn(message, FutureWarning, stacklevel=3)
        object.__setattr__(self, "n_jobs", workers)

    def prepared(self) -> Self:
        """A checked copy whose callback remembers that it asked to stop."""
        positive_integer("n_starts", self.n_starts)
        positive_integer("max_iterations", self.max_iterations)
        generators(self.random_state, 0)
        check_n_jobs(self.n_jobs)
        if self.callback is None:
            return self
        if not callable(self.callback):
            raise InvalidOption("callback must be callable: it is given a Progress")
        if _wants_processes(self.n_jobs):
            raise InvalidOption("a callback cannot follow other processes: use n_jobs=1")
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
    """Spawn independent generators, the same for any number of processes."""
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
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None, size: int
) -> list[Result]:
    """Return the results of all tasks, in order, the same bits wherever they run.

    Several processes run them where ``n_jobs``, or joblib's context, asks for them. Otherwise
    threads do where the arrays are large enough to gain from it.
    """
    if _wants_processes(n_jobs):
        import_joblib()
        limited = partial(_run_on_threads, function, _count_threads())
        try:
            found = dict(run_unordered(limited, tasks, n_jobs))
        except worker_death_errors() as error:
            raise WorkerError(
                "a worker process died, perhaps because memory was short: use a smaller n_jobs"
            ) from error
        return [found[index] for index in range(len(tasks))]
    threads = min(len(tasks), os.cpu_count() or 1) if n_jobs is None and size >= THREADS_PAY else 1
    if threads == 1:
        return [function(task) for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, tasks))


def _count_threads() -> int:
    """Count the threads of linear algebra in this process."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info()), default=1)


def _run_on_threads(function: Callable[[Task], Result], n_threads: int, task: Task) -> Result:
    """Run a task on as many threads as the caller has: fewer may round otherwise."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(n_threads):
        return function(task)


def _wants_processes(n_jobs: int | None) -> bool:
    """Does the caller ask for processes? A context that does so has loaded joblib."""
    if n_jobs is None:
        joblib = sys.modules.get("joblib")
        return joblib is not None and joblib.effective_n_jobs(None) > 1
    return n_jobs != 1


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
