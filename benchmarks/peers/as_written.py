"""The paper as written, dense."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import dense
from benchmarks.peers import Candidate, NotHere
from benchmarks.problems import Task

LARGEST = 2500  # columns of the G-system; a pseudoinverse of more takes minutes and gigabytes


def prepare(task: Task) -> None:
    if task.samples.n_points * task.n_branches > LARGEST:
        columns = task.samples.n_points * task.n_branches
        raise NotHere(f"too large: a dense pseudoinverse of {columns} columns an iteration")


def candidates(task: Task) -> Iterator[Candidate]:
    s = task.samples
    v_update = "relaxed" if task.method.endswith("relaxed V") else "nonlinear"
    found = dense.solve(
        s.points, s.jacobians, task.n_branches, task.seed, v_update, seconds=task.seconds
    )
    predict, size = dense.function(found, s.points, s.values, task.degree)
    yield Candidate(predict, size, note=f"{found.iterations} iterations")
