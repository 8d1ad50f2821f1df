"""Options that all methods share, and tasks that run side by side."""

import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import InitVar, dataclass, replace
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np

from .._typing import Array
from .._util.parallel import check_n_jobs, import_joblib, run_unordered, worker_death_errors
from .._util.progress import is_progress_shown, report_progress
from .._util.validation import can_spawn, check_integer
from ..errors import DegenerateBranchError, InvalidOptionError, WorkerError
from ._base import Callback, Candidate, Progress, Run, Solution

Task = TypeVar("Task")
Result = TypeVar("Result")
RandomState = int | np.random.SeedSequence | np.random.Generator | None

THREADED_TASK_SIZE = 20_000  # points times branches from which threads cost less than they save
SCREENING_POINTS = 500  # points on which starts are compared


class StoppableCallback:
    """A callback that keeps asking to stop once it has asked to."""

    def __init__(self, callback: Callback) -> None:
        self.callback = callback
        self.stopped = False
        self.failed = False  # whether it has raised: such an error must reach the user

    def __call__(self, progress: Progress) -> bool:
        self.failed = True
        answer = self.callback(progress)
        self.failed = False
        self.stopped = self.stopped or (isinstance(answer, (bool, np.bool_)) and bool(answer))
        return self.stopped


@dataclass(frozen=True, kw_only=True)
class SolverOptions:
    """Options that every method takes; a method is a subclass with its own defaults."""

    n_starts: int = 10
    max_iterations: int = 100
    random_state: RandomState = None
    callback: Callback | None = None
    weights: Sequence[float] | Array | None = None
    n_jobs: int | None = None
    workers: InitVar[int | None] = None

    def __post_init__(self, workers: int | None) -> None:
        self._take_former_option("workers", "n_jobs", workers)

    def _take_former_option(self, old: str, new: str, value: Any) -> None:
        """Set an option that was passed under its former name, with a warning."""
        if value is None:
            return
        if getattr(self, new) is not None:
            raise InvalidOptionError(f"pass {new} alone: {old} is its former name")
        message = f"the option {old} is now called {new}; the old name ends with 0.2"
        warnings.warn(message, FutureWarning, stacklevel=4)
        object.__setattr__(self, new, value)

    def validate(self) -> Self:
        """Check the options; return a copy whose callback remembers a stop."""
        check_integer("n_starts", self.n_starts)
        check_integer("max_iterations", self.max_iterations)
        spawn_generators(self.random_state, 0)
        check_n_jobs(self.n_jobs)
        if self.callback is None:
            return self
        if not callable(self.callback):
            raise InvalidOptionError("callback must be callable: it is given a Progress")
        if _wants_processes(self.n_jobs):
            raise InvalidOptionError("a callback cannot follow other processes: use n_jobs=1")
        return replace(self, callback=StoppableCallback(self.callback))

    def make_reporter(
        self, stage: str, task: int, n_tasks: int
    ) -> Callable[[int, float], bool] | None:
        """Return a function of iteration and objective that reports progress."""
        callback = self.callback
        if callback is None and not is_progress_shown():
            return None

        def report(iteration: int, objective: float) -> bool:
            report_progress(f"{stage}, {task + 1} of {n_tasks}")
            if callback is None:
                return False
            return bool(callback(Progress(stage, task, n_tasks, iteration, objective)))

        return report


def spawn_generators(random_state: RandomState, count: int) -> list[np.random.Generator]:
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
        raise InvalidOptionError(
            f"random_state must be a whole number of at least 0, a SeedSequence, a Generator with "
            f"a seed or None, got {random_state!r}"
        ) from None
    return [np.random.default_rng(child) for child in sequence.spawn(count)]


def run_all(
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None, size: int
) -> list[Result]:
    """Return the results of all tasks, in order; the same bits wherever they run.

    Several processes run them where ``n_jobs``, or joblib's context, asks for them. Otherwise
    threads run them where ``size`` shows that the arrays are large enough.
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
    n_threads = min(len(tasks), os.cpu_count() or 1)
    if n_jobs is not None or size < THREADED_TASK_SIZE or n_threads == 1:
        return [function(task) for task in tasks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, tasks))


def _count_threads() -> int:
    """Count the threads of linear algebra in this process."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info()), default=1)


def _run_on_threads(function: Callable[[Task], Result], n_threads: int, task: Task) -> Result:
    """Run a task on as many threads as the caller has: fewer may round differently."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(n_threads):
        return function(task)


def _wants_processes(n_jobs: int | None) -> bool:
    """Return whether the caller, or joblib's context, asks for processes."""
    if n_jobs is None:
        joblib = sys.modules.get("joblib")  # a context that asks for them has loaded it
        return joblib is not None and joblib.effective_n_jobs(None) > 1
    return n_jobs != 1


def select_best_runs(runs: Sequence[Run | None], count: int) -> list[Run]:
    """Return the ``count`` runs of least loss; None is a start that degenerated."""
    alive = [run for run in runs if run is not None]
    if not alive:
        raise DegenerateBranchError(
            "no start survived: a branch ended on a direction in which the points do not vary, "
            "a constraint holds it flat at all of them, or its numbers overflowed; spread the "
            "points over all inputs, widen the limits of the constraint, or use fewer branches"
        )
    return sorted(alive, key=lambda run: float(run.best.loss))[:count]


def make_solution(
    method: str, best: Candidate, candidates: Sequence[Candidate], began: float, **more: Any
) -> Solution:
    """Return the solution of a method that began at a time of perf_counter."""
    return Solution(
        method=method,
        factors=best.factors,
        objective=best.run.objective,
        status=best.run.status,
        start_objectives=best.start_objectives,
        candidates=tuple(candidates),
        seconds=time.perf_counter() - began,
        details=best.details,
        **more,
    )
