"""Table 1: function errors on the toy problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .._decouple import decouple
from ..bases import Polynomial
from ..cases import toy_samples
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from . import _published as published
from ._cells import Trial
from ._draws import Experiment

N_POINTS = 100
CUBIC = Polynomial(3)


@dataclass(frozen=True)
class Row:
    """One method and number of branches: what came out, and what was published."""

    method: str
    n_branches: int
    function: DecoupledFunction
    published: tuple[float, ...]


def table1(samples: Samples, method: str, **options: Any) -> Iterator[Row]:
    """Decouple the toy problem for r = 1 ... 4, cubic branches, one row after the other.

    A method that the paper does not have stands beside the paper's implicit one.
    """
    for r, errors in published.TABLE1.get(method, published.TABLE1["implicit"]).items():
        d = decouple(samples, n_branches=r, method=method, basis=CUBIC, **options)
        yield Row(method, r, d, errors)


def _samples(seed: int) -> Samples:
    return toy_samples(N_POINTS, random_state=seed)


def _of_the_cpd(trials: Sequence[Trial]) -> tuple[str, ...]:
    """What the paper says of the plain decomposition at r = 3: exact, and not unique."""
    found = [trial for trial in trials if (trial.method, trial.n_branches) == ("cpd", 3)]
    solutions = [trial.function.solution for trial in found if trial.function is not None]
    residuals = [min(solution.objective) for solution in solutions if solution is not None]
    several = sum(not s.details["unique"] for s in solutions if s is not None)
    return (
        f"cpd, r = 3: relative tensor error {max(residuals):.0e} at most (the paper: close to "
        f"machine precision), not unique on {several} of {len(found)} draws; its columns are no "
        "functions of z, so the cubics fitted to them mean nothing",
    )


EXPERIMENT = Experiment(
    name="table1",
    title=f"Table 1: the toy problem, {N_POINTS} points, cubic branches",
    samples=_samples,
    basis=CUBIC,
    published=published.TABLE1,
    branches=(1, 2, 3, 4),
    quick_branches=(1, 2, 3, 4),
    full={"varpro": {}, "implicit": {}, "explicit": {}, "cpd": {}},
    quick={
        "varpro": {},
        "implicit": {"n_starts": 2, "max_iterations": 40},
        "explicit": {"n_starts": 2, "max_iterations": 20, "smoothness": 1e4},  # suits every r
        "cpd": {},
    },
    unlike=lambda method, r: "",  # the function is given, only the points are drawn
    slips=published.SLIPS["table1"],
    remarks=_of_the_cpd,
)
