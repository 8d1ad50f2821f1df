"""The table of a scan: for a person, and for other programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._util.atomic import write_whole
from ._output import plain, say, say_table, size

if TYPE_CHECKING:
    from ..scans import Scan


def scan_document(scan: Scan) -> dict[str, Any]:
    """A scan for other programs."""
    return {
        "problem": scan.problem,
        "kind": scan.kind,
        "coupled_parameters": scan.coupled_parameters,
        "reference_errors": scan.reference_errors,
        "rows": scan.table(),
        "pareto": [row.index for row in scan.pareto()],
    }


def write_scan_table(scan: Scan, path: Path) -> None:
    """The table as a .csv file."""
    rows = [plain(row) for row in scan.table()]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write_whole((path, text.getvalue().encode()))


def say_scan_table(scan: Scan) -> None:
    """Every row of a scan, a star where it is on the Pareto front."""
    front = {row.index for row in scan.pareto()}
    judged = "test %" if scan.kind == "narx" else "held out %"
    heads = ["", "row", "model", "numbers", "ratio", "fitted %", judged, "seconds", ""]
    rows = [
        [
            "*" if row.index in front else " ",
            str(row.index),
            row.label,
            "" if row.n_parameters is None else str(row.n_parameters),
            "" if row.compression is None else f"{row.compression:.1f}",
            size(row.fitted_error),
            size(row.held_out_error),
            f"{row.seconds:.2f}",
            row.failure,
        ]
        for row in scan
    ]
    marked = [k for k, row in enumerate(scan) if row.index in front]
    say_table(*_without_empty(heads, rows), marked)
    if scan.reference_errors[0] is not None:
        errors = zip(("fitted", "test"), scan.reference_errors, strict=True)
        said = ", ".join(f"{size(e)} % {word}" for word, e in errors if e is not None)
        say(f"the coupled model: {scan.coupled_parameters} numbers, {said}")


def _without_empty(heads: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Only the columns that say something."""
    kept = [k for k in range(len(heads)) if any(row[k] for row in rows)]
    return [heads[k] for k in kept], [[row[k] for k in kept] for row in rows]
