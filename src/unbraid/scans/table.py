"""What a scan found: a row a cell, the Pareto front, the best."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._checks import counted, is_real
from ..errors import InvalidOption, MissingExtra
from ..function import function_from_dict
from ..narx.model import narx_from_dict
from .plots import plot_scan

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..narx.records import Records

AS_GOOD = 1.1  # times the least error
BETTER = 0.99  # times an error: what is larger is no progress
EXACT = 1e-6  # %: below it nothing tells two models apart
GOOD = 1e-3  # %: nothing below it is worth more numbers


@dataclass(frozen=True, eq=False)
class Row:
    """One cell of a scan: its settings, and what came out.

    ``index`` is its number, the same in a scan and in what is read from its store. Errors are in
    %: ``fitted_error`` and ``held_out_error`` are means of the outputs,
    ``fitted_errors`` and ``held_out_errors`` one an output. Of NARX models they are those of free
    runs, on the training and on the test records. ``failure`` says why there is no model.
    """

    index: int
    settings: Mapping[str, Any]
    n_branches: int
    fitted_error: float | None
    held_out_error: float | None
    n_parameters: int | None
    degrees_of_freedom: int | None
    compression: float | None
    seconds: float
    fitted_errors: tuple[float, ...] | None = field(repr=False)
    held_out_errors: tuple[float, ...] | None = field(repr=False)
    warnings: tuple[str, ...] = field(repr=False)
    failure: str
    document: Mapping[str, Any] | None = field(repr=False)
    records: Records | None = field(default=None, repr=False)
    telling: tuple[str, ...] = field(default=(), repr=False)

    @property
    def error(self) -> float | None:
        """On what was not fitted, where there is such; None without a model."""
        return self.fitted_error if self.held_out_error is None else self.held_out_error

    @cached_property
    def model(self) -> Any:
        """The DecoupledFunction or NARX model; None where the cell failed."""
        if self.document is None:
            return None
        where = Path(f"row {self.index}")
        if "narx" in self.document:
            return replace(narx_from_dict(self.document, where), data=self.records)
        return function_from_dict(self.document, where)

    @property
    def label(self) -> str:
        """What tells this row from the others."""
        names = {"random_state": "seed", "n_branches": "r"}
        parts = [str(self.settings.get("method", "")), f"r = {self.n_branches}"]
        for name in self.telling:
            if name in self.settings and name not in ("method", "n_branches"):
                value = self.settings[name]
                plain = name == "basis" and isinstance(value, str) and value != "auto"
                parts.append(str(value) if plain else f"{names.get(name, name)} {value}")
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, eq=False)
class Scan:
    """A table of models; ``print`` it, ``plot`` it, take the ``best``.

    Attributes
    ----------
    rows : tuple of Row
        In the order of the grid.
    kind : {"function", "narx"}
    problem : str
        What was scanned, in words.
    coupled_parameters : int or None
        Numbers of the model that was decoupled, where that is known.
    reference_errors : (float or None, float or None)
        Of a NARX model before it was decoupled, on the training and the test records.
    store : Path or None
    """

    rows: tuple[Row, ...]
    kind: str
    problem: str
    coupled_parameters: int | None = None
    reference_errors: tuple[float | None, float | None] = (None, None)
    store: Path | None = None

    def best_row(self, tolerance: float | None = None) -> Row:
        """The row of the model that ``best`` returns."""
        usable = [row for row in self.rows if math.isfinite(self._judged(row))]
        if not usable:
            reasons = {row.failure for row in self.rows if row.failure}
            raise InvalidOption("no cell of this scan has a model: " + "; ".join(sorted(reasons)))
        least = min(usable, key=lambda row: (self._judged(row), row.n_parameters))
        if tolerance is None:
            limit = max(AS_GOOD * self._judged(least), GOOD)
        else:
            limit = _checked(tolerance)
        close = [row for row in usable if self._judged(row) <= limit]
        if not close:
            raise InvalidOption(
                f"no model has an error of at most {limit:g} %: the least is "
                f"{self._judged(least):.3g} % ({least.label}); allow a larger error, or scan more "
                f"branches"
            )
        smallest = min(row.n_parameters or 0 for row in close)
        close = [row for row in close if row.n_parameters == smallest]
        enough = max(self._judged(min(close, key=self._judged)) / BETTER, EXACT)
        return next(row for row in close if self._judged(row) <= enough)

    def best(self, tolerance: float | None = None) -> Any:
        """The smallest model whose error is at most ``tolerance`` %.

        Without a tolerance, the smallest that is about as good as the best (a tenth more, or
        exact). Functions are judged by the held-out error, NARX models by the simulation error on
        the training records: their test records are for you.
        """
        return self.best_row(tolerance).model

    def pareto(self) -> tuple[Row, ...]:
        """Rows that no other beats in both parameters and error, fewest parameters first."""
        usable = [row for row in self.rows if math.isfinite(self._judged(row))]
        front: list[Row] = []
        for row in sorted(usable, key=lambda row: (row.n_parameters, self._judged(row))):
            if not front or max(self._judged(row), EXACT) < BETTER * self._judged(front[-1]):
                front.append(row)
        return tuple(front)

    def _judged(self, row: Row) -> float:
        """The error that choices are made on; infinite without a model."""
        error = row.fitted_error if self.kind == "narx" else row.error
        return math.inf if error is None or math.isnan(error) else error

    def table(self) -> list[dict[str, Any]]:
        """Plain columns, one dict a row; the settings first."""
        names = list(dict.fromkeys(name for row in self.rows for name in row.settings))
        return [
            {name: row.settings.get(name) for name in names}
            | {"n_branches": row.n_branches}
            | {column: getattr(row, column) for column in COLUMNS}
            | {"warnings": "; ".join(row.warnings), "failure": row.failure}
            for row in self.rows
        ]

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("to_pandas needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.table())

    def plot(self, path: str | Path | None = None) -> Figure:
        """Error against branches and against parameters, the Pareto front as a line.

        Needs the extra ``plot``.
        """
        return plot_scan(self, path)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, number: int) -> Row:
        """The row of this number (its ``index``), which is not its place once a grid has grown."""
        for row in self.rows:
            if row.index == number:
                return row
        known = [row.index for row in self.rows]
        raise IndexError(f"there is no row {number}; the rows are {min(known)} to {max(known)}")

    def __repr__(self) -> str:
        failed = sum(bool(row.failure) for row in self.rows)
        rows = counted(len(self), "row") + (f", {failed} failed" if failed else "")
        return f"Scan({rows}: {self.problem})"

    def __str__(self) -> str:
        front = {row.index for row in self.pareto()}
        width = max([len(row.label) for row in self.rows] + [len("model")])
        held = "test %" if self.kind == "narx" else "held out %"
        head = f"{'':6}{'model':{width}} {'numbers':>8} {'ratio':>6} {'fitted %':>10} {held:>10}"
        lines = [f"{self.problem}", f"{head} {'seconds':>8}"]
        for row in self.rows:
            mark = "*" if row.index in front else " "
            lines.append(f"{mark} {row.index:3d} {row.label:{width}} {_cells(row)}")
        fitted, tested = self.reference_errors
        if fitted is not None:
            end = "" if tested is None else f", test {tested:.4g} %"
            lines.append(f"reference: training {fitted:.4g} %{end}")
        return "\n".join(lines)


COLUMNS = (
    "fitted_error",
    "held_out_error",
    "n_parameters",
    "degrees_of_freedom",
    "compression",
    "seconds",
)


def _cells(row: Row) -> str:
    if row.failure:
        return f"failed: {row.failure}"
    ratio = "" if row.compression is None else f"{row.compression:.1f}"
    errors = " ".join(
        f"{'':>10}" if e is None else f"{e:10.3g}" for e in (row.fitted_error, row.held_out_error)
    )
    return f"{row.n_parameters:8d} {ratio:>6} {errors} {row.seconds:8.2f}"


def _checked(tolerance: Any) -> float:
    if not is_real(tolerance) or not tolerance > 0:
        raise InvalidOption(f"tolerance must be a positive number of %, got {tolerance!r}")
    return float(tolerance) if tolerance <= sys.float_info.max else math.inf


def make_scan(
    problem: Mapping[str, Any],
    outcomes: Mapping[int, Mapping[str, Any]],
    records: Records | None,
    store: Path | None,
) -> Scan:
    """The table of outcomes by number, each as it is kept in a store."""
    told = telling([outcome["settings"] for outcome in outcomes.values()])
    rows = tuple(make_row(number, outcome, told, records) for number, outcome in outcomes.items())
    fitted, held = problem["reference_errors"]
    return Scan(
        rows,
        str(problem["kind"]),
        str(problem["words"]),
        problem["coupled_parameters"],
        (fitted, held),
        store,
    )


def telling(settings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Names of the settings that are not the same everywhere."""
    names = dict.fromkeys(name for one in settings for name in one)
    values = {name: {str(one.get(name)) for one in settings} for name in names}
    return tuple(name for name in names if len(values[name]) > 1)


def make_row(
    index: int,
    outcome: Mapping[str, Any],
    told: tuple[str, ...],
    records: Records | None = None,
) -> Row:
    """A row of an outcome; ``told`` are the settings that its label names."""
    asked = outcome["settings"].get("n_branches", 0)
    count = outcome["n_branches"]
    return Row(
        index,
        dict(outcome["settings"]),
        (asked if isinstance(asked, int) else 0) if count is None else int(count),
        outcome["fitted_error"],
        outcome["held_out_error"],
        outcome["n_parameters"],
        outcome["degrees_of_freedom"],
        outcome["compression"],
        float(outcome["seconds"]),
        _tuple(outcome["fitted_errors"]),
        _tuple(outcome["held_out_errors"]),
        tuple(outcome["warnings"]),
        str(outcome["failure"]),
        outcome["model"],
        records,
        told,
    )


def _tuple(errors: Sequence[float] | None) -> tuple[float, ...] | None:
    return None if errors is None else tuple(errors)
