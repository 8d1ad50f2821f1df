"""What ``predict`` and ``simulate`` write: a table, and errors per output."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._typing import Array
from .._util.atomic import write_files
from ..errors import InvalidFileError
from ..metrics import relative_error
from ._output import format_error, print_files, print_message, print_result, print_table

Cells = Mapping[str, Sequence[Any]]  # the columns of a table by name


class OutputError(NamedTuple):
    """Error of one output: rmse, in percent of its spread, and fit in percent."""

    output: str
    rmse: float
    percent: float
    fit: float


def measure_errors(names: Sequence[str], measured: Array, computed: Array) -> list[OutputError]:
    """The error of each output (N, n), at the rows at which all values are finite.

    >>> measure_errors(["y"], np.array([[0.0], [2.0]]), np.array([[0.0], [1.0]]))[0].fit.round(1)
    np.float64(29.3)
    """
    rows = np.isfinite(computed).all(axis=1)
    if not rows.any():
        return []
    measured, computed = measured[rows], computed[rows]
    rmse = np.sqrt(np.mean((measured - computed) ** 2, axis=0))
    percent = relative_error(measured, computed)
    return [
        OutputError(*entry) for entry in zip(names, rmse, percent, 100.0 - percent, strict=True)
    ]


def format_csv(cells: Cells) -> str:
    """A table as text: one line of names, numbers in full precision.

    >>> format_csv({"speed, max": [0.1, 2.0], "inside": [1, 0]})
    '"speed, max",inside\\n0.1,1\\n2.0,0\\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(cells)
    writer.writerows(zip(*cells.values(), strict=True))
    return buffer.getvalue()


def join_cells(path: str, *tables: Cells) -> dict[str, Sequence[Any]]:
    """The columns of several tables side by side; no name may occur twice."""
    cells: dict[str, Sequence[Any]] = {}
    for table in tables:
        for name, column in table.items():
            if name in cells:
                raise InvalidFileError(
                    f"{path}: the table would have two columns {name!r}: rename that of {path}"
                )
            cells[name] = column
    return cells


def name_columns(names: Sequence[str], table: Array, suffix: str = "") -> Cells:
    """The columns of an array (N, n) by name."""
    return {f"{name}{suffix}": x for name, x in zip(names, table.T.tolist(), strict=True)}


def publish_table(cells: Cells, errors: Sequence[OutputError], file: Path | None) -> None:
    """Write a table to a file and print the errors, or print the table.

    With the table on standard output, the errors are messages.
    """
    if file is None:
        for error in errors:
            print_message(
                f"{error.output}: rmse {error.rmse:.4g}, error {format_error(error.percent)} %, "
                f"fit {error.fit:.4g} %"
            )
        print_result(format_csv(cells).removesuffix("\n"))
        return
    write_files((file, format_csv(cells).encode()))
    if errors:
        rows = [
            [e.output, f"{e.rmse:.4g}", format_error(e.percent), f"{e.fit:.4g}"] for e in errors
        ]
        print_table(["output", "rmse", "error %", "fit %"], rows)
        print_result()
    print_files({"table": file})


def make_table_document(
    cells: Cells, errors: Sequence[OutputError], file: Path | None
) -> dict[str, Any]:
    """The errors and the table as entries of a JSON document.

    A file has the table instead if one is named.
    """
    entries: dict[str, Any] = {"errors": [error._asdict() for error in errors]}
    if file is not None:
        write_files((file, format_csv(cells).encode()))
        return {**entries, "written": {"table": file}}
    return {**entries, "table": dict(cells), "written": {}}
