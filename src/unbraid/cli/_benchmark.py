"""``unbraid benchmark``: public records, beside published results."""

from collections.abc import Iterator
from itertools import groupby
from types import SimpleNamespace
from typing import Any

import click

from .._util.atomic import write_files
from ..public_benchmarks import BENCHMARKS, PUBLISHED, BenchmarkRow, make_page, run_rows
from ..public_benchmarks._page import format_cell, make_table
from ..public_benchmarks._run import ALL
from ._options import COUNT_TYPE, json_option
from ._output import print_files, print_json, print_message, print_result, print_table
from ._paths import check_output_files
from ._sections import define_command, option

MARKDOWN = (".md",)
NAME_TYPE = click.Choice((*BENCHMARKS, ALL))


@define_command(
    "unbraid benchmark cascaded-tanks --data records/",
    "unbraid benchmark silverbox --configuration linear --json",
    "unbraid benchmark all --seeds 5 --write results.md",
)
@click.argument("names", metavar="[NAME]...", nargs=-1, type=NAME_TYPE)
@option(
    "--data",
    metavar="PATH",
    help="Folder of the records, or the file of one.  [default: UNBRAID_DATA, then a download]",
)
@option("--seeds", type=COUNT_TYPE, default=1, help="Fits per configuration.")
@option("--configuration", metavar="NAME", multiple=True, help="Run this one; may be repeated.")
@option("--quick", is_flag=True, help="The smallest configurations only.")
@option("--write", metavar="PAGE.md", section="Output", help="Also write the results as a page.")
@json_option
def command(options: SimpleNamespace) -> None:
    """Fit models to public records and compare their simulation errors with published ones.

    NAME is silverbox, wiener-hammerstein, cascaded-tanks, emps, ced, bouc-wen, parwh, f16 or all
    (the default). Records are files of the benchmarks or .npz files in a folder; without them, the
    package nonlinear_benchmarks downloads most. Splits and scores are the official ones.
    """
    files = check_output_files(page=(options.write, MARKDOWN))
    found = _show_rows(options) if not options.as_json else list(_run(options))
    if options.as_json:
        print_json(_make_document(found))
    if files:
        write_files((files["page"], make_page(found).encode()))
        if not options.as_json:
            print_files(files)


def _run(options: SimpleNamespace) -> Iterator[BenchmarkRow]:
    """The rows; each is announced when it is finished."""
    rows = run_rows(
        options.names or ALL,
        options.data,
        seeds=options.seeds,
        configurations=options.configuration,
        quick=options.quick,
    )
    for row in rows:
        print_message(_announce(row))
        for text in row.warnings:
            print_message(f"warning: {row.benchmark}, {row.configuration}: {text}")
        yield row


def _announce(row: BenchmarkRow) -> str:
    if not row.configuration:
        return row.failure
    errors = "; ".join(f"{test} {format_cell(row, test)}" for test in row.errors)
    return f"{row.benchmark}, {row.configuration}: {row.failure or errors}"


def _show_rows(options: SimpleNamespace) -> list[BenchmarkRow]:
    """Print a table whenever all rows of a benchmark are finished."""
    found: list[BenchmarkRow] = []
    for name, group in groupby(_run(options), key=lambda row: row.benchmark):
        rows = list(group)
        found += rows
        table = make_table(name, rows)
        if not table.n_ours:
            continue
        benchmark = BENCHMARKS[name]
        print_result(f"{benchmark.title}: error in free-run simulation, in {benchmark.unit}")
        print_table(
            table.heads,
            [
                [f"{cell} *" if (k, j) in table.best else cell for j, cell in enumerate(cells)]
                for k, cells in enumerate(table.cells)
            ],
            marked=range(table.n_ours),
        )
        print_result("*: best published black box; in parentheses: ours over it\n")
    return found


def _make_document(rows: list[BenchmarkRow]) -> dict[str, Any]:
    names = dict.fromkeys(row.benchmark for row in rows)
    return {
        "benchmarks": [
            {
                "name": name,
                "title": BENCHMARKS[name].title,
                "unit": BENCHMARKS[name].unit,
                "rows": [row.to_dict() for row in rows if row.benchmark == name],
                "published": [vars(result) for result in PUBLISHED[name]],
            }
            for name in names
        ]
    }
