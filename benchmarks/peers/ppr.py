"""R's ``ppr``, through ``Rscript`` and tables of text: values only."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.peers import Candidate, NotHere
from benchmarks.problems import Task

SCRIPT = Path(__file__).with_name("ppr.R")


def prepare(task: Task) -> None:
    """R is started anew for each draw, and its own clock counts."""
    if shutil.which("Rscript") is None:
        raise NotHere("Rscript is not on the path (r-base-core has it)")


def candidates(task: Task) -> Iterator[Candidate]:
    s = task.samples
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, table in (("points", s.points), ("values", s.values), ("fresh", task.fresh)):
            np.savetxt(folder / f"{part}.csv", table, delimiter=",", fmt="%.17g")
        command = ["Rscript", str(SCRIPT), name, str(task.n_branches)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            setting, seconds, numbers, peak = line.split()
            fitted, fresh = (
                np.loadtxt(folder / f"{setting}-{kind}.csv", delimiter=",", ndmin=2)
                for kind in ("fitted", "fresh")
            )
            yield Candidate(
                lambda points, a=fitted, b=fresh: a if len(points) == len(a) else b,
                int(numbers),
                float(seconds),
                float(peak),
                setting,
            )
