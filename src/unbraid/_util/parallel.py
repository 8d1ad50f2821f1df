"""Tasks in several processes, through joblib."""

import sys
import time
import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor
from pickle import PicklingError
from typing import Any, TypeVar

import numpy as np

from ..errors import InvalidOptionError, MissingExtraError
from .deadline import limit_time, seconds_left
from .progress import show_progress

Task = TypeVar("Task")
Result = TypeVar("Result")


def check_n_jobs(n_jobs: Any) -> int | None:
    """Check a number of processes: None, or what joblib takes."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise InvalidOptionError(
            f"n_jobs is {n_jobs!r}: pass the number of processes as a whole number, -1 for one per "
            f"core, or None for the one that joblib.parallel_config sets"
        )
    return int(n_jobs)


def import_joblib(what: str = "n_jobs") -> Any:
    """Import joblib; threadpoolctl belongs to the same extra."""
    try:
        import joblib
        import threadpoolctl  # noqa: F401
    except ImportError:
        raise MissingExtraError(f"{what} needs joblib: pip install 'unbraid[scan]'") from None
    return joblib


def count_processes(n_jobs: int | None, n_tasks: int) -> int:
    """Count the processes to use: at most one per task.

    A single task gets two where several are asked for. One would mean the caller's process, and a
    task that kills its process must not kill the caller.
    """
    wanted = int(import_joblib().effective_n_jobs(n_jobs))
    return 1 if wanted == 1 else max(2, min(wanted, n_tasks))


def worker_death_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions by which a backend reports that a worker died."""
    dask = sys.modules.get("distributed")
    return (BrokenExecutor,) if dask is None else (BrokenExecutor, dask.KilledWorker)


def run_unordered(
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None
) -> Generator[tuple[int, Result]]:
    """Yield the index and the result of every task as soon as it is finished.

    The backend is the one that ``joblib.parallel_config`` names. One that cannot return results
    one by one, such as Ray's, gets the tasks in rounds.
    """
    joblib = import_joblib()
    until = time.time() + seconds_left()
    call = joblib.delayed(_run_indexed)
    calls = [call(function, k, task, until) for k, task in enumerate(tasks)]
    width = count_processes(n_jobs, len(tasks))
    if joblib.effective_n_jobs(n_jobs) > width:
        n_jobs = width
    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    except ValueError:
        parallel = joblib.Parallel(n_jobs=n_jobs, batch_size=1)
        rounds = (calls[begin : begin + width] for begin in range(0, len(calls), width))
        results = (result for chosen in rounds for result in parallel(chosen))
    else:
        results = parallel(calls)
    try:
        for index, result in results:  # noqa: UP028 - `yield from` would bypass `finally`
            yield index, result
    except PicklingError as error:
        raise InvalidOptionError(
            f"n_jobs: the model, the points or an option cannot be sent to another process "
            f"({error.__cause__ or error}); use n_jobs=1"
        ) from error
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, about tasks that are cancelled here
            results.close()


def _run_indexed(
    function: Callable[[Task], Result], index: int, task: Task, until: float
) -> tuple[int, Result]:
    """Run a task without a separate progress line, within the time limit."""
    with show_progress("task", False), limit_time(until - time.time()):
        return index, function(task)
