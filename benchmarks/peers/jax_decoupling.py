"""PyPI ``decoupling``: it needs Python 3.12 and JAX, so it gets an environment in ``.bench``."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.peers import Candidate, NotHere
from benchmarks.problems import Task

VERSION = "0.0.9"
STARTS = 5
ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".bench" / "decoupling"
WORKER = Path(__file__).with_name("jax_worker.py")


def works(*command: str) -> bool:
    """Does it run and end well."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def new_python() -> str | None:
    """A Python 3.12 or newer, from the path or from pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(f"python3.{minor}") for minor in (12, 13)]
    places += [str(found) for found in sorted(pyenv.glob("3.1[23].*/bin/python"))]
    return next((p for p in places if p and works(p, "-c", "import venv, ensurepip")), None)


def ready() -> bool:
    return works(str(HOME / "bin" / "python"), "-c", "import decoupling")


def install() -> str:
    """Make the environment where there is none; what went wrong, or nothing."""
    if ready():
        return ""
    python = new_python()
    if python is None:
        return "no Python 3.12 on the path or in pyenv"
    HOME.parent.mkdir(exist_ok=True)
    inside = str(HOME / "bin" / "python")
    made = works(python, "-m", "venv", "--clear", str(HOME)) and works(
        inside, "-m", "pip", "install", "--quiet", f"decoupling=={VERSION}"
    )
    return "" if made else f"decoupling {VERSION} could not be installed"


@cache
def worker() -> subprocess.Popen[str]:
    """One process for all draws, so that it compiles once."""
    return subprocess.Popen(
        [str(HOME / "bin" / "python"), str(WORKER)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def prepare(task: Task) -> None:
    if not ready():
        raise NotHere("there is no Python 3.12 environment with decoupling")
    worker()


def candidates(task: Task) -> Iterator[Candidate]:
    failed = []
    for start in range(STARTS):
        try:
            found = solved(task, 1000 * task.seed + start)
        except RuntimeError as error:
            failed.append(error)
            continue
        fitted, fresh = found["fitted"], found["fresh"]
        yield Candidate(
            lambda points, a=fitted, b=fresh: a if len(points) == len(a) else b,
            int(found["numbers"]),
            float(found["seconds"]),
            float(found["peak"]),
        )
    if len(failed) == STARTS:
        raise failed[0]


def solved(task: Task, seed: int) -> dict[str, np.ndarray]:
    """One start, by the worker."""
    s, process = task.samples, worker()
    assert process.stdin is not None
    assert process.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "task.npz", Path(folder) / "found.npz"
        np.savez(
            source,
            points=s.points,
            values=s.values,
            jacobians=s.jacobians,
            fresh=task.fresh,
            n_branches=task.n_branches,
            seed=seed,
        )
        print(source, target, file=process.stdin, flush=True)
        said = process.stdout.readline().strip()
        if said != "done":
            raise RuntimeError(f"every start failed: {said or 'its process ended'}")
        with np.load(target) as stored:
            return dict(stored)
