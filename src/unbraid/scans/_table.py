"""What a scan found: a row a cell, the Pareto front, the best."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._util.validation import counted, is_real
from ..errors import InvalidOption, MissingExtra
from ._plots import plot_scan
from ._row import Row, make_row, telling

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..narx._records import Records

AS_GOOD = 1.1  # times the least error
BETTER = 0.99  # times an error: what is larger is no progress
EXACT = 1e-6  # %: below it nothing tells two models apart
GOOD = 1e-3  # %: nothing below it is worth more numbers


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
        reference = self.reference_errors[1] or self.reference_errors[0]
        return plot_scan(self.rows, self.pareto(), reference, self.kind, path)

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
