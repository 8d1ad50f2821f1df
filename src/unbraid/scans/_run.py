"""Running the cells of a scan, each on one thread for reproducible bits."""

import math
import time
import traceback
import warnings
from collections.abc import Generator, Sequence
from functools import partial
from typing import Any

from .._util.documents import pack_document
from .._util.parallel import count_processes, run_unordered, worker_death_errors
from .._util.progress import show_progress
from ..errors import UnbraidError, WorkerError
from ._grid import ScanCell
from ._problems import ScanProblem
from ._validation import OUTCOME_CHECKS

LEAST_NAMED_CELLS = 5  # unfinished cells in an error message, or one per process if more


def run_cells(
    problem: ScanProblem, cells: Sequence[ScanCell], n_jobs: int | None
) -> Generator[tuple[ScanCell, bytes]]:
    """Yield every cell with its packed outcome as soon as it is finished.

    Several processes start with the cells of most branches, which take longest.
    """
    order = list(cells)
    n_processes = count_processes(n_jobs, len(order))
    if n_processes > 1:
        order.sort(key=_estimate_cost, reverse=True)
    missing = dict(enumerate(order))
    try:
        for index, content in run_unordered(partial(run_cell, problem), order, n_jobs):
            yield missing.pop(index), content
    except worker_death_errors() as error:
        unfinished = _name_cells(list(missing.values()), max(n_processes, LEAST_NAMED_CELLS))
        raise WorkerError(
            f"a worker process died ({type(error).__name__}); {len(missing)} of {len(order)} cells "
            f"are not finished: {unfinished}. Call again to run them, with a smaller n_jobs if "
            f"memory was short, and without a cell whose process dies each time; finished cells "
            f"are kept where store= names a file"
        ) from error


def _estimate_cost(cell: ScanCell) -> float:
    count = cell.settings.get("n_branches")
    return count if isinstance(count, int) else math.inf


def _name_cells(cells: Sequence[ScanCell], most: int) -> str:
    """Name the first cells, which include those that were running."""
    named = [
        ", ".join(f"{name}={value}" for name, value in cell.settings.items())
        for cell in cells[:most]
    ]
    more = len(cells) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")


def run_cell(problem: ScanProblem, cell: ScanCell) -> bytes:
    """Fit the model of one cell; a failure is part of the outcome."""
    from threadpoolctl import threadpool_limits

    began = time.perf_counter()
    silent = show_progress("Scanning", False)  # the scan shows its own progress
    with silent, threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = _make_outcome(problem, cell)
    messages = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    outcome["warnings"] = [*outcome["warnings"], *dict.fromkeys(messages)]
    outcome["settings"] = dict(cell.settings)
    outcome["seconds"] = time.perf_counter() - began
    return pack_document(outcome)


def _make_outcome(problem: ScanProblem, cell: ScanCell) -> dict[str, Any]:
    outcome: dict[str, Any] = dict.fromkeys(OUTCOME_CHECKS)
    outcome |= {"failure": "", "unexpected": False, "warnings": []}
    try:
        return outcome | problem.fit(cell.keywords)
    except UnbraidError as error:
        return outcome | {"failure": str(error)}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})"
        return outcome | {"failure": reason, "unexpected": True}
