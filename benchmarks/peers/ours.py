"""The four methods of ``decouple``, every option at its default."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from benchmarks.peers import Candidate
from benchmarks.problems import Task
from unbraid import Polynomial, decouple
from unbraid.cases import toy_samples


def prepare(task: Task) -> None:
    """What is loaded late is loaded."""
    for method in ("varpro", "implicit", "cpd"):
        decouple(toy_samples(20, 0), n_branches=1, method=method, basis=Polynomial(2))


def candidates(task: Task) -> Iterator[Candidate]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d = decouple(
            task.samples,
            n_branches=task.n_branches,
            method=task.method.split(",")[0],
            extrapolate="basis" if task.method.endswith("basis goes on") else "linear",
            basis=task.basis,
            random_state=task.seed,
        )
    yield Candidate(d, d.n_parameters)
