"""Run benchmarks: fit, score, row by row."""

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._util.progress import show_progress
from .._util.validation import check_integer
from ..errors import InvalidFileError, InvalidOptionError, MissingExtraError, UnbraidError
from ._configurations import Configuration, check_names, select_configurations
from ._fits import Model
from ._load import find_benchmark, load
from ._records import BenchmarkRecord
from ._rows import BenchmarkRow
from ._scores import score_tests
from ._specifications import BENCHMARKS

ALL = "all"
FAILURES = (UnbraidError, ArithmeticError, MemoryError, np.linalg.LinAlgError)


def run(
    name: str | Sequence[str] = ALL,
    path: str | Path | None = None,
    *,
    seeds: int = 1,
    configurations: Sequence[str] = (),
    quick: bool = False,
    progress: bool | None = None,
) -> list[BenchmarkRow]:
    """Fit and score benchmarks; returns one row per configuration.

    Nothing is chosen with test data.

    Parameters
    ----------
    name : str or sequence of str
        Of ``BENCHMARKS``, or "all": those without a record then give a row that says so.
    path : path, optional
        A folder with the records, or the file of one benchmark; see ``load``.
    seeds : int
        Number of fits per configuration; their seeds are 0, 1, ...
    configurations : sequence of str, optional
        Names of those to run; all of ``CONFIGURATIONS`` by default.
    quick : bool
        Whether to run the smallest configurations only.
    progress : bool, optional
        Whether to show what is being fitted; by default in a terminal or notebook.
    """
    rows = run_rows(
        name, path, seeds=seeds, configurations=configurations, quick=quick, progress=progress
    )
    return list(rows)


def run_rows(
    name: str | Sequence[str] = ALL,
    path: str | Path | None = None,
    *,
    seeds: int = 1,
    configurations: Sequence[str] = (),
    quick: bool = False,
    progress: bool | None = None,
) -> Iterator[BenchmarkRow]:
    """As ``run``, but yield every row when it is finished."""
    runs = plan_runs(
        name, path, seeds=seeds, configurations=configurations, quick=quick, progress=progress
    )
    for _, rows in runs:
        yield from rows


def plan_runs(
    name: str | Sequence[str],
    path: str | Path | None,
    *,
    seeds: int,
    configurations: Sequence[str],
    quick: bool,
    progress: bool | None = None,
) -> list[tuple[str, Iterator[BenchmarkRow]]]:
    """Check the options of ``run``; pair every benchmark with its rows to come."""
    check_integer("seeds", seeds)
    names = list_benchmarks(name)
    chosen = (configurations,) if isinstance(configurations, str) else tuple(configurations)
    check_names(names, chosen)
    if path is not None and len(names) > 1 and Path(path).is_file():
        raise InvalidOptionError(
            f"{path} is one file: name its benchmark, or pass the folder of all records"
        )
    selected = {each: select_configurations(each, chosen, quick) for each in names}
    common = seeds, progress, len(names) == 1
    return [(each, _run_benchmark(each, path, found, *common)) for each, found in selected.items()]


def _run_benchmark(
    name: str,
    path: str | Path | None,
    configurations: Sequence[Configuration],
    seeds: int,
    progress: bool | None,
    is_required: bool,
) -> Iterator[BenchmarkRow]:
    """The rows of one benchmark; one that says so if its record is missing."""
    if not configurations:
        return
    try:
        record = load(name, path)
    except (MissingExtraError, InvalidFileError) as error:
        if is_required:
            raise
        yield BenchmarkRow(name, "", failure=str(error))
        return
    for configuration in configurations:
        yield _run_configuration(record, configuration, seeds, progress)


def list_benchmarks(name: str | Sequence[str]) -> tuple[str, ...]:
    """The names of the benchmarks to run, or InvalidOptionError."""
    names = [name] if isinstance(name, str) else list(name)
    names = list(BENCHMARKS) if ALL in names else names
    return tuple(find_benchmark(each).name for each in dict.fromkeys(names))


@dataclass(frozen=True, eq=False)
class _Trial:
    """One fit: the errors on the tests, degrees of freedom, CPU time and warnings."""

    errors: dict[str, float]
    degrees_of_freedom: int | None
    seconds: float
    warnings: list[str]


def _run_configuration(
    record: BenchmarkRecord, configuration: Configuration, seeds: int, progress: bool | None
) -> BenchmarkRow:
    """All seeds of a configuration; the first failure ends it."""
    trials: list[_Trial] = []
    for seed in range(seeds if configuration.random else 1):
        task = f"{record.name}, {configuration.name}, seed {seed}"
        try:
            with show_progress(task, progress):
                trials.append(_run_once(record, configuration, seed))
        except FAILURES as error:
            reason = str(error) or type(error).__name__
            return BenchmarkRow(record.name, configuration.name, failure=f"seed {seed}: {reason}")
    found = [t.degrees_of_freedom for t in trials if t.degrees_of_freedom is not None]
    return BenchmarkRow(
        record.name,
        configuration.name,
        {test: tuple(trial.errors[test] for trial in trials) for test in record.tests},
        max(found, default=None),
        float(np.median([trial.seconds for trial in trials])),
        warnings=tuple(dict.fromkeys(text for trial in trials for text in trial.warnings)),
    )


def _run_once(record: BenchmarkRecord, configuration: Configuration, seed: int) -> _Trial:
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model = configuration.fit(record, seed)
    seconds = time.process_time() - began
    texts = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    return _Trial(score_tests(model, record), count_freedom(model), seconds, texts)


def count_freedom(model: Model) -> int | None:
    """Degrees of freedom of a model, None if they are not known."""
    owner = model if hasattr(model, "degrees_of_freedom") else model.function
    found = getattr(owner, "degrees_of_freedom", None)
    return None if found is None else int(found)
