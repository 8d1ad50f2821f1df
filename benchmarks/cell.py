"""One method on some draws of one problem, in a process of its own; kept in ``.bench``."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import peak, reset
from benchmarks.peers import DATA_METHODS, METHODS, Candidate
from benchmarks.problems import PROBLEMS, Task

ROOT = Path(__file__).resolve().parents[1]
CELLS = ROOT / ".bench" / "cells"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ALL = {**METHODS, **DATA_METHODS}


@dataclass(frozen=True)
class Cell:
    """What is run: seeds 0, 1, ... of a problem."""

    method: str
    problem: str
    n_branches: int
    draws: int
    seconds: float = 40.0  # no new start and no new draw afterwards

    @property
    def limit(self) -> float:
        """The end, loading included."""
        return self.seconds + 30.0

    def key(self) -> str:
        """Changes with the sources that the outcome depends on."""
        text = repr(self) + sources(ALL[self.method].module)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@cache
def sources(module: str) -> str:
    """A digest of the method's files, of the problems and, where it is ours, of the library."""
    here = Path(__file__).parent
    paths = [*sorted(here.glob(f"peers/{module}.*")), here / "problems.py"]
    if module in ("ours", "data_only"):
        paths += sorted((ROOT / "src" / "unbraid").rglob("*.py"))
    if module == "as_written":
        paths += [here / "dense.py", ROOT / "tests" / "reference" / "paper.py"]
    if module == "jax_decoupling":
        paths += [here / "peers" / "jax_worker.py"]
    digest = hashlib.sha256()
    for path in paths:
        if path.suffix in (".py", ".R"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def outcome(cell: Cell, again: bool = False) -> dict[str, Any]:
    """Run it, or look it up: ``rows``, one a draw, and why there are none in ``failed``."""
    path = CELLS / f"{cell.key()}.json"
    if path.exists() and not again:
        known: dict[str, Any] = json.loads(path.read_text())
        return known
    rows, failed = run_apart(cell)
    found = {**asdict(cell), "rows": rows, "failed": "" if rows else failed}
    CELLS.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found))
    return found


def run_apart(cell: Cell) -> tuple[list[dict[str, Any]], str]:
    """In another process with one thread, ended with all it started once time is over."""
    environment = os.environ | dict.fromkeys(THREADS, "1")
    environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.cell", json.dumps(asdict(cell))],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            said, complaint = process.communicate(timeout=cell.limit)
            failed = last_words(complaint)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, complaint = process.communicate()
            failed = f"over time ({cell.limit:.0f} s)"
    rows = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return rows, failed


def last_words(complaint: str) -> str:
    """Of a traceback, the line that says what was wrong."""
    lines = complaint.strip().splitlines() or ["it ended without a word"]
    return lines[-1].split(": ", 1)[-1][:120]


def measure(cell: Cell) -> Iterator[dict[str, Any]]:
    """One row a draw, as long as time is left."""
    idle, began = 0.0, time.perf_counter()
    peer = ALL[cell.method].load()
    for seed in range(cell.draws):
        task = PROBLEMS[cell.problem].draw(cell.n_branches, seed, cell.seconds, cell.method)
        if seed == 0:
            peer.prepare(task)
            idle = reset()
        starts, seconds = all_starts(peer.candidates(task), cell.seconds)
        yield {"seed": seed, **judged(starts, task, peak() - idle), "seconds": seconds}
        if time.perf_counter() - began > cell.seconds:
            return


def all_starts(candidates: Iterator[Candidate], most: float) -> tuple[list[Candidate], float]:
    """Until there are no more or time is up; a process with a clock of its own is believed."""
    found: list[Candidate] = []
    seconds, began = 0.0, time.perf_counter()
    for candidate in candidates:
        own = time.perf_counter() - began
        seconds += own if candidate.seconds is None else candidate.seconds
        found.append(candidate)
        if seconds > most:
            break
        began = time.perf_counter()
    if not found:
        raise RuntimeError("no start came to an end")
    return found, seconds


def judged(starts: list[Candidate], task: Task, used: float) -> dict[str, Any]:
    """The start that fits best; ``kindest`` is the least held-out error of any."""
    rows = [(*errors(candidate, task), candidate) for candidate in starts]
    fitted, held_out, best = min(rows, key=lambda row: row[0])
    return {
        "fitted": fitted,
        "held_out": held_out,
        "kindest": min(row[1] for row in rows),
        "peak": used if best.peak is None else best.peak,
        "parameters": best.n_parameters,
        "starts": len(starts),
        "note": best.note,
    }


def errors(candidate: Candidate, task: Task) -> tuple[float, float]:
    """Mean of the outputs, in percent, on the samples and on the fresh points."""
    s = task.samples
    return (
        percent(s.values, candidate.predict(s.points)),
        percent(task.truth, candidate.predict(task.fresh)),
    )


def percent(truth: np.ndarray, values: np.ndarray) -> float:
    """Eq. (rel_er), infinite where a method gives no number."""
    miss = np.sqrt(np.mean((truth - values) ** 2, axis=0)) / truth.std(axis=0)
    return float(np.nan_to_num(100 * miss.mean(), nan=np.inf))


if __name__ == "__main__":
    for row in measure(Cell(**json.loads(sys.argv[1]))):
        print(json.dumps(row), flush=True)
