"""One experiment over several draws: every method, every number of branches."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._decouple import decouple
from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..errors import ConvergenceWarning, FitWarning
from ._cells import PAPERS, Cell, Duel, Table, Trial
from ._counts import Count
from ._published import AS_WRITTEN, Errors

Step = Callable[[], object]  # called after every trial


@dataclass(frozen=True)
class Effort:
    """How many draws, from which seed on, and whether to be quick about it."""

    draws: int
    seed: int = 0
    quick: bool = False

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + self.draws)


@dataclass(frozen=True)
class Experiment:
    """A table of the paper: what is decoupled, how, and what was published.

    ``quick`` and ``full`` have the options of every method. ``unlike(method, r)`` says why a cell
    cannot be compared with the published one, or nothing.
    """

    name: str
    title: str
    samples: Callable[[int], Samples]
    basis: Basis
    published: dict[str, Errors]
    branches: tuple[int, ...]
    quick_branches: tuple[int, ...]
    full: dict[str, dict[str, Any]]
    quick: dict[str, dict[str, Any]]
    unlike: Callable[[str, int], str]
    counts: tuple[Count, ...] = ()
    slips: tuple[str, ...] = ()
    remarks: Callable[[Sequence[Trial]], tuple[str, ...]] = field(default=lambda _: ())

    def cells_of(self, quick: bool) -> list[tuple[str, int]]:
        """Methods and numbers of branches, in the order of the table."""
        branches = self.quick_branches if quick else self.branches
        return [(method, r) for method in self.full for r in branches]


def units_of_f(samples: Samples) -> Array:
    """Weights that undo the scaling of outputs: the published objective is in the units of f."""
    spread = samples.points.std(axis=0)
    return np.asarray(np.sqrt(np.mean((samples.jacobians * spread) ** 2, axis=(0, 2))))


def run(experiment: Experiment, effort: Effort, step: Step = lambda: None) -> list[Trial]:
    """Every cell on every draw."""
    options = experiment.quick if effort.quick else experiment.full
    trials = []
    for seed in effort.seeds:
        samples = experiment.samples(seed)
        for method, r in experiment.cells_of(effort.quick):
            trials.append(_trial(experiment.basis, samples, seed, method, r, options[method]))
            step()
    return trials


def _trial(
    basis: Basis, samples: Samples, seed: int, method: str, r: int, options: dict[str, Any]
) -> Trial:
    if method in PAPERS:
        options = {"weights": units_of_f(samples), **options}
    began = time.perf_counter()
    with warnings.catch_warnings():  # the table says how good it is
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(samples, n_branches=r, method=method, basis=basis, random_state=0, **options)
    assert d.fitted_error is not None
    errors = tuple(float(error) for error in d.fitted_error)
    return Trial(seed, method, r, errors, time.perf_counter() - began, d)


def table_of(experiment: Experiment, trials: Sequence[Trial]) -> Table:
    """The trials as a table, beside the published numbers."""
    keys = list(dict.fromkeys((trial.method, trial.n_branches) for trial in trials))
    return Table(
        experiment.name,
        experiment.title,
        tuple(_cell(experiment, method, r, trials) for method, r in keys),
        experiment.counts,
        duels(trials),
        experiment.slips,
        experiment.remarks(trials),
    )


def _cell(experiment: Experiment, method: str, r: int, trials: Sequence[Trial]) -> Cell:
    mine = [trial for trial in trials if (trial.method, trial.n_branches) == (method, r)]
    if method in PAPERS:
        numbers = experiment.published.get(method, {}).get(r)
    else:
        reported = [errors[r] for errors in experiment.published.values()]
        numbers = min(reported, key=lambda errors: float(np.mean(errors)))
    return Cell(
        method,
        r,
        tuple(trial.errors for trial in mine),
        float(np.median([trial.seconds for trial in mine])),
        numbers,
        experiment.unlike(method, r) if numbers is not None else "",
        as_written=AS_WRITTEN.get(experiment.name, {}).get(method, {}).get(r),
    )


def duels(trials: Sequence[Trial]) -> tuple[Duel, ...]:
    """varpro against the best of the paper's methods, on every draw and number of branches."""
    found = []
    for mine in trials:
        if mine.method != "varpro":
            continue
        same = (mine.draw, mine.n_branches)
        others = [
            trial.error
            for trial in trials
            if trial.method in PAPERS and (trial.draw, trial.n_branches) == same
        ]
        if others:
            found.append(Duel(mine.draw, mine.n_branches, mine.error, min(others)))
    return tuple(found)
