"""The result of a scan: one row per cell, the Pareto front, the best model."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._util.markup import make_grid_table
from .._util.validation import count_noun, is_real
from ..errors import InvalidOptionError, MissingExtraError
from ._plots import plot_scan
from ._records import records_from_dict
from ._row import Row, find_varying, make_row
from ._validation import DYNAMIC_KINDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEAR_BEST_FACTOR = 1.1  # errors up to this factor times the least are about as good
PROGRESS_FACTOR = 0.99  # an error has to fall below this factor times another to be better
INDISTINGUISHABLE_PERCENT = 1e-6  # errors below it are rounding
GOOD_ENOUGH_PERCENT = 1e-3  # a smaller error does not justify more parameters
RESULT_COLUMNS = (
    "fitted_error",
    "held_out_error",
    "n_parameters",
    "degrees_of_freedom",
    "compression",
    "seconds",
)


@dataclass(frozen=True, eq=False)
class Scan:
    """A table of models; ``print`` it, ``plot`` it, take the ``best``.

    Attributes
    ----------
    rows : tuple of Row
        In the order of the grid.
    kind : {"function", "narx", "statespace"}
    problem : str
        What was scanned, in words.
    coupled_parameters : int or None
        Parameters of the model that was decoupled, where that is known.
    reference_errors : (float or None, float or None)
        Of a dynamic model before it was decoupled, on the training and the test records.
    store : Path or None
    """

    rows: tuple[Row, ...]
    kind: str
    problem: str
    coupled_parameters: int | None = None
    reference_errors: tuple[float | None, float | None] = (None, None)
    store: Path | None = None

    @property
    def is_dynamic(self) -> bool:
        """Whether errors are those of simulations."""
        return self.kind in DYNAMIC_KINDS

    @property
    def reference_name(self) -> str:
        """What ``reference_errors`` belong to."""
        linear = self.kind == "statespace" and self.coupled_parameters is None
        return "the linear model" if linear else "the coupled model"

    def best_row(self, tolerance: float | None = None) -> Row:
        """Return the row of the model that ``best`` returns."""
        usable = self._usable_rows()
        if not usable:
            reasons = {row.failure for row in self.rows if row.failure}
            raise InvalidOptionError(
                "no cell of this scan has a model: " + "; ".join(sorted(reasons))
            )
        least = min(usable, key=lambda row: (self._judge(row), row.n_parameters))
        if tolerance is None:
            limit = max(NEAR_BEST_FACTOR * self._judge(least), GOOD_ENOUGH_PERCENT)
        else:
            limit = _check_tolerance(tolerance)
        close = [row for row in usable if self._judge(row) <= limit]
        if not close:
            raise InvalidOptionError(
                f"no model has an error of at most {limit:g} %: the least is "
                f"{self._judge(least):.3g} % ({least.label}); allow a larger error, or scan more "
                f"branches"
            )
        smallest = min(row.n_parameters or 0 for row in close)
        close = [row for row in close if row.n_parameters == smallest]
        limit = max(min(map(self._judge, close)) / PROGRESS_FACTOR, INDISTINGUISHABLE_PERCENT)
        return next(row for row in close if self._judge(row) <= limit)

    def best(self, tolerance: float | None = None) -> Any:
        """Return the smallest model whose error is at most ``tolerance`` %.

        Without a tolerance, return the smallest that is about as good as the best (up to a tenth
        more error, or exact). Functions are judged by the held-out error, dynamic models by the
        simulation error on the training records, so that their test records stay unused.
        """
        return self.best_row(tolerance).model

    def pareto(self) -> tuple[Row, ...]:
        """Return the rows that no other beats in parameters and error, smallest first."""
        front: list[Row] = []
        for row in sorted(self._usable_rows(), key=lambda r: (r.n_parameters, self._judge(r))):
            error = max(self._judge(row), INDISTINGUISHABLE_PERCENT)
            if not front or error < PROGRESS_FACTOR * self._judge(front[-1]):
                front.append(row)
        return tuple(front)

    def _judge(self, row: Row) -> float:
        """Return the error that choices are made on; infinite without a model."""
        error = row.fitted_error if self.is_dynamic else row.error
        return math.inf if error is None or math.isnan(error) else error

    def _usable_rows(self) -> list[Row]:
        return [row for row in self.rows if math.isfinite(self._judge(row))]

    def table(self) -> list[dict[str, Any]]:
        """Return one dict per row: the settings, then the results."""
        names = list(dict.fromkeys(name for row in self.rows for name in row.settings))
        return [
            {name: row.settings.get(name) for name in names}
            | {"n_branches": row.n_branches}
            | {column: getattr(row, column) for column in RESULT_COLUMNS}
            | {"warnings": "; ".join(row.warnings), "failure": row.failure}
            for row in self.rows
        ]

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("to_pandas needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.table())

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw errors against branches and parameters, with the Pareto front.

        Needs the extra ``plot``.
        """
        reference = self.reference_errors[1] or self.reference_errors[0]
        return plot_scan(self.rows, self.pareto(), reference, self.is_dynamic, path)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, number: int) -> Row:
        """Return the row with this ``index``, which is not its position in ``rows``."""
        for row in self.rows:
            if row.index == number:
                return row
        known = [row.index for row in self.rows]
        raise IndexError(f"there is no row {number}; the rows are {min(known)} to {max(known)}")

    def __repr__(self) -> str:
        failed = sum(bool(row.failure) for row in self.rows)
        rows = count_noun(len(self), "row") + (f", {failed} failed" if failed else "")
        return f"Scan({rows}: {self.problem})"

    def __str__(self) -> str:
        front = self.pareto()
        width = max([len(row.label) for row in self.rows] + [len("model")])
        held = "test %" if self.is_dynamic else "held out %"
        lines = [
            self.problem,
            f"{'':6}{'model':{width}} {'parameters':>10} {'ratio':>6} {'fitted %':>10} {held:>10} "
            f"{'seconds':>8}",
        ]
        for row in self.rows:
            mark = "*" if row in front else " "
            lines.append(f"{mark} {row.index:3d} {row.label:{width}} {_format_result(row)}")
        fitted, tested = self.reference_errors
        if fitted is not None:
            end = "" if tested is None else f", test {tested:.4g} %"
            lines.append(f"reference: training {fitted:.4g} %{end}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        front = self.pareto()
        held = "test %" if self.is_dynamic else "held out %"
        header = ["", "", "model", "parameters", "ratio", "fitted %", held, "seconds"]
        rows = [["*" if row in front else "", row.index, row.label, *_cells(row)] for row in self]
        return make_grid_table(self.problem, header, rows)


def _cells(row: Row) -> list[str]:
    """The results of a row as text, for a table."""
    if row.failure:
        return [f"failed: {row.failure}"]
    results = (row.compression, ".1f"), (row.fitted_error, ".3g"), (row.held_out_error, ".3g")
    texts = ["" if value is None else format(value, form) for value, form in results]
    return [str(row.n_parameters), *texts, f"{row.seconds:.2f}"]


def _format_result(row: Row) -> str:
    if row.failure:
        return f"failed: {row.failure}"
    parameters, ratio, fitted, held_out, seconds = _cells(row)
    return f"{parameters:>10} {ratio:>6} {fitted:>10} {held_out:>10} {seconds:>8}"


def _check_tolerance(tolerance: Any) -> float:
    if not is_real(tolerance) or not tolerance > 0:
        raise InvalidOptionError(f"tolerance must be a positive number of %, got {tolerance!r}")
    return float(tolerance) if tolerance <= sys.float_info.max else math.inf


def make_scan(
    problem: Mapping[str, Any], outcomes: Mapping[int, Mapping[str, Any]], store: Path | None
) -> Scan:
    """Return the table of a problem and of outcomes by number, as a store keeps them."""
    varying = find_varying([outcome["settings"] for outcome in outcomes.values()])
    records = records_from_dict(problem["records"]) if "records" in problem else None
    fitted, tested = problem["reference_errors"]
    return Scan(
        rows=tuple(make_row(n, outcome, varying, records) for n, outcome in outcomes.items()),
        kind=problem["kind"],
        problem=problem["words"],
        coupled_parameters=problem["coupled_parameters"],
        reference_errors=(fitted, tested),
        store=store,
    )
