"""Tasks in several processes, through joblib."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from pickle import PicklingError
from typing import Any, TypeVar

import numpy as np

from .errors import InvalidOption, MissingExtra

Task = TypeVar("Task")
Result = TypeVar("Result")


def check_n_jobs(n_jobs: Any) -> int | None:
    """A number of processes as joblib takes it: None, positive, or negative for all but some."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise InvalidOption(
            f"n_jobs is {n_jobs!r}: pass the number of processes as a whole number, -1 for one per "
            f"core, or None for the one that joblib.parallel_config sets"
        )
    return int(n_jobs)


def import_joblib(what: str = "n_jobs") -> Any:
    """The module joblib, for what needs it; threadpoolctl belongs to the same extra."""
    try:
        import joblib
        import threadpoolctl  # noqa: F401
    except ImportError:
        raise MissingExtra(f"{what} needs joblib: pip install 'unbraid[scan]'") from None
    return joblib


def count_processes(n_jobs: int | None, n_tasks: int) -> int:
    """Processes to start: at most one per task."""
    return max(1, min(int(import_joblib().effective_n_jobs(n_jobs)), n_tasks))


def run_unordered(
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None
) -> Generator[tuple[int, Result]]:
    """Yield the index and the result of every task as soon as it is finished.

    The backend is the one that ``joblib.parallel_config`` names. One that cannot return results
    one by one, such as Ray's, gets the tasks in rounds.
    """
    joblib = import_joblib()
    calls = [joblib.delayed(_indexed)(function, index, task) for index, task in enumerate(tasks)]
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
        raise InvalidOption(
            f"n_jobs: the model, the points or an option cannot be sent to another process "
            f"({error.__cause__ or error}); use n_jobs=1"
        ) from error
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, about tasks that are cancelled here
            results.close()


def _indexed(function: Callable[[Task], Result], index: int, task: Task) -> tuple[int, Result]:
    return index, function(task)
