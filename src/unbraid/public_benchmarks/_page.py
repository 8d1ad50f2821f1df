"""Results beside published ones: tables and a Markdown page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .._util.validation import count_noun
from ._published import BLACK_BOX, PUBLISHED, PublishedResult, best_published
from ._rows import BenchmarkRow
from ._specifications import BENCHMARKS

PAGE_INTRODUCTION = """\
# Public benchmarks

Models of this library on public records of nonlinear systems, beside published results.
`unbraid benchmark all --write PAGE` writes this page. [Identify a state-space model](statespace.md)
and [Decouple a NARX model](narx.md) explain the models, `unbraid.public_benchmarks` has the data.

All errors are root mean square errors of free-run simulations of the official test records. Nothing
is chosen with test data. A cell has the median over {seeds}, and the largest error where it
differs. The factor in parentheses is the median over the error of the best published black box,
which is set in bold. Seconds are CPU time of one fit. `default` is `unbraid.identify(u, y)`
without options. Published results are not run again; their initial windows are not always the same.
"""


@dataclass(frozen=True)
class ResultTable:
    """A table of text: our rows first, then the published ones.

    ``best`` has the cells, as row and column, with the best published black box of a test.
    """

    heads: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]]
    n_ours: int


def make_table(name: str, rows: Sequence[BenchmarkRow], times: str = "x") -> ResultTable:
    """Rows of one benchmark beside the published results; ``times`` follows a factor."""
    published = PUBLISHED[name]
    tests = list_tests(name, rows)
    cells = [_format_row(row, tests, times) for row in rows if row.configuration]
    n_ours, best = len(cells), set()
    for result in published:
        best |= {
            (len(cells), 2 + k)
            for k, test in enumerate(tests)
            if result is best_published(name, test)
        }
        cells.append(_format_published(result, tests))
    heads = ("model", "degrees of freedom", *tests, "seconds", "source")
    return ResultTable(heads, tuple(cells), frozenset(best), n_ours)


def list_tests(name: str, rows: Iterable[BenchmarkRow]) -> tuple[str, ...]:
    """The tests of the rows and of the published results, in order."""
    found = [test for row in rows for test in row.errors]
    found += [test for result in PUBLISHED[name] for test in result.errors]
    return tuple(dict.fromkeys(found))


def format_cell(row: BenchmarkRow, test: str, times: str = "x") -> str:
    """Median, worst and ratio to the best published black box."""
    if test not in row.errors:
        return ""
    median, worst = (f"{error:.4g}" for error in (row.median(test), row.worst(test)))
    text = median if worst == median else f"{median}, worst {worst}"
    ratio = row.ratio(test)
    return text if ratio is None else f"{text} ({ratio:.3g}{times})"


def _format_row(row: BenchmarkRow, tests: Sequence[str], times: str) -> tuple[str, ...]:
    freedom = "" if row.degrees_of_freedom is None else str(row.degrees_of_freedom)
    seconds = "" if row.seconds is None else f"{row.seconds:.3g}"
    reason = f"failed: {row.failure}" if row.failure else ""
    errors = (format_cell(row, test, times) for test in tests)
    return (f"unbraid, {row.configuration}", freedom, *errors, seconds, reason)


def _format_published(result: PublishedResult, tests: Sequence[str]) -> tuple[str, ...]:
    kind = "" if result.kind in (BLACK_BOX, result.model) else f" ({result.kind})"
    errors = (f"{result.errors[test]:.4g}" if test in result.errors else "" for test in tests)
    return (result.model + kind, "", *errors, "", result.source or "not recorded")


def make_page(rows: Sequence[BenchmarkRow]) -> str:
    """The Markdown page of results, with a section per benchmark.

    >>> row = BenchmarkRow("emps", "linear", {"test": (5.28,)}, 7, 0.5)
    >>> [line for line in make_page([row]).splitlines() if "unbraid, linear" in line]
    ['| unbraid, linear | 7 | 5.28 (2×) | 0.5 |  |']
    """
    most = max((row.n_seeds for row in rows), default=1)
    seeds = count_noun(most, "seed") if most > 1 else "the seeds, here one"
    sections = [PAGE_INTRODUCTION.format(seeds=seeds)]
    for name in BENCHMARKS:
        sections.append(_make_section(name, [row for row in rows if row.benchmark == name]))
    return "\n".join(sections)


def _make_section(name: str, rows: Sequence[BenchmarkRow]) -> str:
    benchmark, table = BENCHMARKS[name], make_table(name, rows, "×")
    lines = [f"## {benchmark.title}", "", f"{benchmark.summary} Errors in {benchmark.unit}.", ""]
    if not table.n_ours:
        reason = "The record was not at hand." if rows else "This benchmark was not run."
        lines += [reason, ""]
    if table.cells:
        lines += [_join(table.heads), "|" + "---|" * len(table.heads)]
        lines += [_make_line(table, k) for k in range(len(table.cells))]
        lines.append("")
    return "\n".join(lines)


def _make_line(table: ResultTable, k: int) -> str:
    cells = [
        f"**{cell}**" if (k, column) in table.best else cell
        for column, cell in enumerate(table.cells[k])
    ]
    return _join(cell.replace("|", "\\|") for cell in cells)


def _join(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
