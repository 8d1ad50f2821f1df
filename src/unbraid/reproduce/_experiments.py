"""One experiment over several draws: every method and number of branches."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._decouple import decouple
from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..errors import ConvergenceWarning, FitWarning
from ._counts import ParameterCount
from ._published import AS_WRITTEN, PublishedErrors
from ._results import PAPER_METHODS, Comparison, PaperTable, TableCell, Trial

Step = Callable[[], object]  # called after every trial


@dataclass(frozen=True)
class Experiment:
    """A table of the paper: what is decoupled, how, and what was published.

    ``quick`` and ``full`` have the options of every method. ``not_comparable(method, r)`` returns
    the reason why a cell cannot be compared with the published one, or an empty text.
    """

    name: str
    title: str
    samples: Callable[[int], Samples]
    basis: Basis
    published: dict[str, PublishedErrors]
    branches: tuple[int, ...]
    quick_branches: tuple[int, ...]
    full: dict[str, dict[str, Any]]
    quick: dict[str, dict[str, Any]]
    not_comparable: Callable[[str, int], str] = lambda method, r: ""
    counts: tuple[ParameterCount, ...] = ()
    errata: tuple[str, ...] = ()
    remarks: Callable[[Sequence[Trial]], tuple[str, ...]] = lambda trials: ()

    def list_cells(self, quick: bool) -> list[tuple[str, int]]:
        """Return methods and numbers of branches, in the order of the table."""
        branches = self.quick_branches if quick else self.branches
        return [(method, r) for method in self.full for r in branches]


def output_weights(samples: Samples) -> Array:
    """Return weights that undo the scaling of outputs, as in the paper."""
    spread = samples.points.std(axis=0)
    return np.asarray(np.sqrt(np.mean((samples.jacobians * spread) ** 2, axis=(0, 2))))


@contextmanager
def ignore_fit_warnings() -> Iterator[None]:
    """Ignore warnings about poor fits, which tables and figures show anyway."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FitWarning)
        yield


def run_experiment(
    experiment: Experiment, seeds: range, quick: bool, step: Step = lambda: None
) -> list[Trial]:
    """Run every cell on the draw of every seed."""
    options = experiment.quick if quick else experiment.full
    trials = []
    for seed in seeds:
        samples = experiment.samples(seed)
        for method, r in experiment.list_cells(quick):
            trials.append(_run_trial(experiment.basis, samples, seed, method, r, options[method]))
            step()
    return trials


def _run_trial(
    basis: Basis, samples: Samples, seed: int, method: str, r: int, options: dict[str, Any]
) -> Trial:
    if method in PAPER_METHODS:
        options = {"weights": output_weights(samples), **options}
    began = time.perf_counter()
    with ignore_fit_warnings():
        d = decouple(samples, n_branches=r, method=method, basis=basis, random_state=0, **options)
    assert d.fitted_error is not None
    errors = tuple(float(error) for error in d.fitted_error)
    return Trial(seed, method, r, errors, time.perf_counter() - began, d)


def make_table(experiment: Experiment, trials: Sequence[Trial]) -> PaperTable:
    """Return the trials as a table, beside the published errors."""
    keys = dict.fromkeys((trial.method, trial.n_branches) for trial in trials)
    return PaperTable(
        experiment.name,
        experiment.title,
        tuple(_make_cell(experiment, method, r, trials) for method, r in keys),
        experiment.counts,
        compare_with_paper(trials, "varpro"),
        experiment.errata,
        experiment.remarks(trials),
    )


def _make_cell(experiment: Experiment, method: str, r: int, trials: Sequence[Trial]) -> TableCell:
    if method in PAPER_METHODS:
        published = experiment.published.get(method, {}).get(r)
    else:
        reported = [errors[r] for errors in experiment.published.values()]
        published = min(reported, key=lambda errors: float(np.mean(errors)))
    reason = experiment.not_comparable(method, r) if published is not None else ""
    as_written = AS_WRITTEN.get(experiment.name, {}).get(method, {}).get(r)
    return make_cell(method, r, trials, published, reason, 1.0, as_written)


def make_cell(method: str, r: int, trials: Sequence[Trial], *published: Any) -> TableCell:
    """Return the cell of a method and r; ``published`` are its last fields."""
    chosen = [trial for trial in trials if (trial.method, trial.n_branches) == (method, r)]
    seconds = float(np.median([trial.seconds for trial in chosen]))
    return TableCell(method, r, tuple(trial.errors for trial in chosen), seconds, *published)


def compare_with_paper(trials: Sequence[Trial], method: str) -> tuple[Comparison, ...]:
    """Compare a method with the best one of the paper, on every draw and r."""
    best: dict[tuple[int, int], float] = {}
    for trial in trials:
        if trial.method.startswith(PAPER_METHODS):
            key = trial.draw, trial.n_branches
            best[key] = min(trial.error, best.get(key, np.inf))
    return tuple(
        Comparison(trial.draw, trial.n_branches, trial.error, best[trial.draw, trial.n_branches])
        for trial in trials
        if trial.method == method and (trial.draw, trial.n_branches) in best
    )
