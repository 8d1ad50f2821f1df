"""The table of a scan: printed, as a JSON document and as a .csv file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._util.atomic import write_files
from ._output import format_error, print_result, print_table, to_json_value

if TYPE_CHECKING:
    from ..scans import Scan


def make_scan_document(scan: Scan) -> dict[str, Any]:
    """The entries of a scan in a JSON document."""
    return {
        "problem": scan.problem,
        "kind": scan.kind,
        "coupled_parameters": scan.coupled_parameters,
        "reference_errors": scan.reference_errors,
        "rows": scan.table(),
        "pareto": [row.index for row in scan.pareto()],
    }


def write_scan_table(scan: Scan, path: Path) -> None:
    """Write the table as a .csv file."""
    rows = [to_json_value(row) for row in scan.table()]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write_files((path, text.getvalue().encode()))


def print_scan_table(scan: Scan) -> None:
    """Print every row of a scan, with a star if it is on the Pareto front."""
    front = {row.index for row in scan.pareto()}
    held_out = "test %" if scan.is_dynamic else "held out %"
    heads = ["", "row", "model", "parameters", "ratio", "fitted %", held_out, "seconds", ""]
    rows = [
        [
            "*" if row.index in front else " ",
            str(row.index),
            row.label,
            "" if row.n_parameters is None else str(row.n_parameters),
            "" if row.compression is None else f"{row.compression:.1f}",
            format_error(row.fitted_error),
            format_error(row.held_out_error),
            f"{row.seconds:.2f}",
            row.failure,
        ]
        for row in scan
    ]
    used = [k for k in range(len(heads)) if any(row[k] for row in rows)]
    marked = [k for k, row in enumerate(scan) if row.index in front]
    print_table([heads[k] for k in used], [[row[k] for k in used] for row in rows], marked)
    if scan.reference_errors[0] is not None:
        errors = zip(("fitted", "test"), scan.reference_errors, strict=True)
        text = ", ".join(f"{format_error(e)} % {name}" for name, e in errors if e is not None)
        count = scan.coupled_parameters
        size = "" if count is None else f"{count} parameters, "
        print_result(f"{scan.reference_name}: {size}{text}")
