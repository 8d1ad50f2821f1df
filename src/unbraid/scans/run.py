"""Running cells, here or elsewhere: each on one thread, so that its numbers are the same."""

from __future__ import annotations

import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from typing import Any

from ..errors import MissingExtra, UnbraidError
from ..storage import packed
from ..workers import deaf_children, end_with, given, may_fork, processes
from .grid import Cell
from .problems import Problem

Outcome = dict[str, Any]
Found = tuple[str, bytes]  # the key of a cell, and its outcome as a store keeps it
TRIALS = 2  # of all cells that are missing, after which each is run alone
DIED = "its worker process died, perhaps for want of memory: run fewer at a time (n_jobs)"


@contextmanager
def copies(
    problem: Problem, cells: Sequence[Cell], n_jobs: int | None
) -> Iterator[ProcessPoolExecutor | None]:
    """Copies of this process for ``run_cells``, which are there at once.

    None where it cannot be copied, or joblib's context names other workers; joblib then begins
    processes from nothing, which takes about a second.
    """
    from joblib.parallel import get_active_backend

    width = min(needed().effective_n_jobs(n_jobs), len(cells))
    left_to_joblib = type(get_active_backend()[0]).__name__ == "LokyBackend"
    if width < 2 or not left_to_joblib or not may_fork():
        yield None
        return
    with processes(width, (problem, cells)) as pool:
        yield pool


def run_cells(
    problem: Problem,
    cells: Sequence[Cell],
    n_jobs: int | None,
    pool: ProcessPoolExecutor | None,
    keep: Callable[[str, bytes], None],
) -> Iterator[tuple[Cell, bytes]]:
    """Packed outcomes as they come, from the ``copies`` of the same cells or through joblib.

    Each is kept before its worker gets another cell, which it gets before the caller looks at
    what came out. A worker that dies takes its neighbours along, so the missing cells are tried
    again; in the end one by one, to find the one that kills.
    """
    joblib = needed()
    missing = {cell.key: cell for cell in cells}
    for trial in range(TRIALS):
        try:
            if pool is not None and trial == 0:
                found = _copied(pool, _longest_first(cells), joblib.effective_n_jobs(n_jobs), keep)
            else:
                found = _kept(_outcomes(joblib, problem, list(missing.values()), n_jobs), keep)
            for key, content in found:
                yield missing.pop(key), content
            return
        except _deaths():
            continue
    for cell in missing.values():
        try:
            content = next(_outcomes(joblib, problem, [cell], n_jobs))[1]
        except _deaths():
            lost = {"failure": DIED, "unexpected": True, "settings": dict(cell.settings)}
            content = packed({**NOTHING, **lost, "seconds": 0.0})
        keep(cell.key, content)
        yield cell, content


def needed() -> Any:
    """joblib, and what it takes to hold the threads of a cell."""
    try:
        import joblib
        import threadpoolctl  # noqa: F401
    except ImportError:
        raise MissingExtra("scan needs joblib: pip install 'unbraid[scan]'") from None
    return joblib


def _copied(
    pool: ProcessPoolExecutor,
    order: Sequence[int],
    width: int,
    keep: Callable[[str, bytes], None],
) -> Iterator[Found]:
    """Outcomes of copies; each gets its next cell when its outcome is kept."""
    todo = iter(order)
    running = {pool.submit(_run_shared, number) for number in islice(todo, width)}
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        kept: list[Found] = []
        try:
            for future in sorted(done, key=lambda future: future.exception() is not None):
                keep(*future.result())
                kept.append(future.result())
                running |= {pool.submit(_run_shared, number) for number in islice(todo, 1)}
        except BrokenProcessPool:  # what came before a worker died is not run again
            yield from kept
            raise
        yield from kept


def _longest_first(cells: Sequence[Cell]) -> list[int]:
    """Numbers of the cells, those of most branches first: no copy is left with a long one."""

    def size(number: int) -> float:
        count = cells[number].settings.get("n_branches")
        return -count if isinstance(count, int) else -math.inf

    return sorted(range(len(cells)), key=size)


def _kept(found: Iterable[Found], keep: Callable[[str, bytes], None]) -> Iterator[Found]:
    for key, content in found:
        keep(key, content)
        yield key, content


def _run_shared(number: int) -> Found:
    problem, cells = given()
    return run_cell(problem, cells[number])


def _outcomes(
    joblib: Any, problem: Problem, cells: Sequence[Cell], n_jobs: int | None
) -> Iterator[Found]:
    """Every outcome as soon as it is there, whatever backend joblib's context names."""
    from joblib.externals.loky.backend import resource_tracker

    tasks = [joblib.delayed(run_cell)(problem, cell, os.getpid()) for cell in cells]
    if joblib.effective_n_jobs(n_jobs) > max(len(cells), 2):
        n_jobs = max(len(cells), 2)  # two keep a cell that kills out of this process
    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    except ValueError:  # a backend, as Ray's, that hands over all it was given at once
        parallel = joblib.Parallel(n_jobs=n_jobs, batch_size=1)
        width = joblib.effective_n_jobs(n_jobs)
        for begin in range(0, len(tasks), width):
            yield from parallel(tasks[begin : begin + width])
        return
    with warnings.catch_warnings():
        # JAX warns of copied processes; these become another program at once.
        warnings.filterwarnings("ignore", ".*fork", RuntimeWarning)
        resource_tracker.ensure_running()  # as deaf_children does for that of the standard library
        with deaf_children():
            found = parallel(tasks)  # begins the processes, and returns
    yield from found


def _deaths() -> tuple[type[BaseException], ...]:
    """How a backend says that a worker died."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    dask = sys.modules.get("distributed")
    ours = () if dask is None else (dask.KilledWorker,)
    return (BrokenProcessPool, TerminatedWorkerError, *ours)


def run_cell(problem: Problem, cell: Cell, caller: int = 0) -> Found:
    """Make the model of one cell; what goes wrong is part of the outcome."""
    from threadpoolctl import threadpool_limits

    end_with(caller)
    began = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _outcome(problem, cell)
    said = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    found["warnings"] = [*found["warnings"], *dict.fromkeys(said)]
    found["settings"] = dict(cell.settings)
    found["seconds"] = time.perf_counter() - began
    return cell.key, packed(found)


def _outcome(problem: Problem, cell: Cell) -> Outcome:
    try:
        made = problem.make(cell.keywords)
        model = made.model.to_dict()
    except UnbraidError as error:
        return {**NOTHING, "failure": str(error)}
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        return {**NOTHING, "failure": reason, "unexpected": True}
    size, coupled = made.function.n_parameters, problem.coupled_parameters
    return {
        "model": model,
        "n_branches": made.function.n_branches,
        "fitted_errors": made.fitted,
        "held_out_errors": made.held_out,
        "fitted_error": made.fitted_error,
        "held_out_error": made.held_out_error,
        "n_parameters": size,
        "degrees_of_freedom": made.function.degrees_of_freedom,
        "compression": None if coupled is None else coupled / size,
        "failure": "",
        "unexpected": False,
        "warnings": [made.remark] if made.remark else [],
    }


NOTHING: Outcome = {
    "model": None,
    "n_branches": None,
    "fitted_errors": None,
    "held_out_errors": None,
    "fitted_error": None,
    "held_out_error": None,
    "n_parameters": None,
    "degrees_of_freedom": None,
    "compression": None,
    "failure": "",
    "unexpected": False,
    "warnings": [],
}
