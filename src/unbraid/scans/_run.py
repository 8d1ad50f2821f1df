"""Running the cells of a scan, each on one thread: the same bits everywhere."""

from __future__ import annotations

import math
import time
import traceback
import warnings
from collections.abc import Generator, Sequence
from functools import partial
from typing import Any

from .._util.documents import packed
from .._util.parallel import count_processes, run_unordered, worker_death_errors
from ..errors import UnbraidError, WorkerError
from ._grid import Cell
from ._problems import Problem

Outcome = dict[str, Any]
LEAST_NAMED = 5  # unfinished cells in an error message, or as many as there are processes


def run_cells(
    problem: Problem, cells: Sequence[Cell], n_jobs: int | None
) -> Generator[tuple[Cell, bytes]]:
    """Yield every cell with its packed outcome as soon as it is finished.

    Several processes begin with the cells of most branches, so that none is left with a long one.
    """
    order = list(cells)
    n_processes = count_processes(n_jobs, len(order))
    if n_processes > 1:
        order.sort(key=_cost, reverse=True)
    missing = dict(enumerate(order))
    try:
        for index, content in run_unordered(partial(run_cell, problem), order, n_jobs):
            yield missing.pop(index), content
    except worker_death_errors() as error:
        unfinished = _name_cells(list(missing.values()), max(n_processes, LEAST_NAMED))
        raise WorkerError(
            f"a worker process died ({type(error).__name__}); {len(missing)} of {len(order)} cells "
            f"are not finished: {unfinished}. Call again to run them, with a smaller n_jobs if "
            f"memory was short, and without a cell whose process dies each time; finished cells "
            f"are kept where store= names a file"
        ) from error


def _cost(cell: Cell) -> float:
    count = cell.settings.get("n_branches")
    return count if isinstance(count, int) else math.inf


def _name_cells(cells: Sequence[Cell], most: int) -> str:
    """Name the first cells, which include those that were running."""
    named = [
        ", ".join(f"{name}={value}" for name, value in cell.settings.items())
        for cell in cells[:most]
    ]
    more = len(cells) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")


def run_cell(problem: Problem, cell: Cell) -> bytes:
    """Make the model of one cell; what goes wrong is part of the outcome."""
    from threadpoolctl import threadpool_limits

    began = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _outcome(problem, cell)
    messages = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    found["warnings"] = [*found["warnings"], *dict.fromkeys(messages)]
    found["settings"] = dict(cell.settings)
    found["seconds"] = time.perf_counter() - began
    return packed(found)


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
