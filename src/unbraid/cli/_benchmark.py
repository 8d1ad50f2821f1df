"""``unbraid benchmark``: public records, beside published results."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import click

from .._util.atomic import write_files
from ..public_benchmarks import BENCHMARKS, PUBLISHED, BenchmarkRow, make_page
from ..public_benchmarks._page import format_cell, make_table
from ..public_benchmarks._run import ALL, plan_runs
from ._options import COUNT_TYPE, json_option
from ._output import print_files, print_json, print_message, print_result, print_table
from ._paths import check_output_files
from ._sections import define_command, option

MARKDOWN = (".md",)
NAME_TYPE = click.Choice((*BENCHMARKS, ALL))


@define_command(
    "unbraid benchmark emps --data emps.npz --quick",
    "unbraid benchmark emps --data . --configuration linear --json",
    "unbraid benchmark all --data . --configuration linear --write results.md",
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
    """Fit public records and compare the simulation errors with published ones.

    NAME is silverbox, wiener-hammerstein, cascaded-tanks, emps, ced, bouc-wen, parwh, f16 or all
    (the default). Records are files of the benchmarks or .npz files in a folder; without them, the
    package nonlinear_benchmarks downloads most. Splits and scores are the official ones.
    """
    files = check_output_files(page=(options.write, MARKDOWN))
    runs = plan_runs(
        options.names or ALL,
        options.data,
        seeds=options.seeds,
        configurations=options.configuration,
        quick=options.quick,
    )
    found: list[BenchmarkRow] = []
    for name, coming in runs:
        rows = list(_announce_each(coming))
        found += rows
        if not options.as_json:
            _print_rows(name, rows)
        if files:  # after every benchmark: a run of hours may be stopped
            write_files((files["page"], make_page(found).encode()))
    if options.as_json:
        print_json(_make_document(found))
    else:
        print_files(files)


def _announce_each(rows: Iterator[BenchmarkRow]) -> Iterator[BenchmarkRow]:
    """The rows; each is announced when it is finished."""
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


def _print_rows(name: str, rows: list[BenchmarkRow]) -> None:
    """Print our rows and the published ones; nothing where none was run."""
    table = make_table(name, rows)
    if not table.n_ours:
        return
    benchmark = BENCHMARKS[name]
    print_result(f"{benchmark.title}: error in free-run simulation, in {benchmark.unit}")
    cells = [
        [f"{cell} *" if (k, j) in table.best else cell for j, cell in enumerate(row)]
        for k, row in enumerate(table.cells)
    ]
    print_table(table.heads, cells, marked=range(table.n_ours))
    print_result("*: best published black box; in parentheses: ours over it\n")


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
