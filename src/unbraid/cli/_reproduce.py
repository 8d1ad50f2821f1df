"""``unbraid reproduce``: recompute the tables and figures of the paper."""

import textwrap
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from .._util.validation import count_noun
from ..model._plotting import figure_of
from ..reproduce import WHAT, Order, Reproduction, reproduce
from ..reproduce._published import ERRATA
from ..reproduce._results import PaperTable, Summary, TableCell
from ._options import COUNT_TYPE, INDEX_TYPE, json_option, output_option
from ._output import format_error, print_json, print_message, print_result, print_table
from ._paths import make_folder
from ._progress import show_bar
from ._sections import define_command, option, reject_options

TEXT_COLUMNS = 100  # width of wrapped remarks
ANNOUNCED_SECONDS = 60  # longer runs are announced
VERDICTS = {True: "holds", False: "does not hold", None: ""}


@define_command(
    "unbraid reproduce table1 --quick", "unbraid reproduce table2 --quick --draws 1 --json"
)
@click.argument("what", metavar="[TABLE]", default="all", type=click.Choice(WHAT))
@option("--quick", is_flag=True, help="A smaller version, in less than a minute.")
@option(
    "--draws",
    type=COUNT_TYPE,
    help="Draws of the points, functions or networks.  [default: 5; 1 or 2 with --quick]",
)
@option("--seed", type=INDEX_TYPE, default=0, help="Seed of the first draw.")
@option(
    "--record",
    metavar="PATH",
    help="Silverbox record, SNLS80mV.mat or .csv.  [default: a simulated twin]",
)
@output_option(
    "--out", metavar="FOLDER", default="unbraid-reproduce", help="Folder of the figures."
)
@output_option("--check", is_flag=True, help="Exit with 1 where a comparable cell fails.")
@json_option
def command(options: SimpleNamespace) -> int:
    """Recompute tables 1 to 3, the NARX models and the figures of the paper.

    TABLE is all (the default), table1, table2, table3, silverbox or figures. Every cell is computed
    by the paper's methods and by varpro over random draws. Its verdict says whether it can be
    compared with the published number, and whether it holds: varpro is no worse, the paper's
    methods are as good as published. Figures are written as PNG and SVG. UNBRAID_DATA may name the
    folder of silverbox.npz.
    """
    draws_figures = options.what in ("all", "figures")
    if not draws_figures:
        reject_options(options, ["out"], "is for figures: use it with all or figures")
    if options.what in ("table1", "table2", "table3"):
        reject_options(options, ["record"], "is for silverbox, figures and all")
    if options.what == "figures":
        reject_options(options, ["check"], "needs a table: figures have no verdict")
    out = None
    if draws_figures:
        figure_of(1, 1)  # raises an error before the work if matplotlib is missing
        out = make_folder(options.out)
    order = Order(options.what, options.draws, options.seed, options.quick, options.record, out)
    if order.seconds > ANNOUNCED_SECONDS:
        minutes = count_noun(round(order.seconds / 60), "minute")
        print_message(f"this takes about {minutes} on one core; --quick takes less than one")
    with show_bar("Reproducing", order.n_steps) as move:
        found = reproduce(order, move)
    if options.as_json:
        print_json(_make_document(order, found))
    else:
        _print_reproduction(order, found, out)
    return 1 if options.check and not found.summary.holds else 0


def _print_reproduction(order: Order, found: Reproduction, out: Path | None) -> None:
    for table in found.tables:
        _print_cells(table, len(order.seeds(table.name)))
        _print_counts(table)
        errata = [f"the paper: {erratum}" for erratum in table.errata]
        _print_remarks([*_explain_incomparable(table), *table.remarks, *errata])
    if found.pictures:
        print_result(f"Figures, as PNG and SVG in {out}")
        print_table(["file", "figure"], [[f"{p.name}.png", p.label] for p in found.pictures])
        _print_remarks([f"the paper: {erratum}" for erratum in ERRATA["figures"]])
    if found.tables:
        _print_summary(found.summary)


def _print_cells(table: PaperTable, draws: int) -> None:
    print_result(f"{table.title}; error in %, {count_noun(draws, 'draw')}")
    several = max(len(cell.median) for cell in table.cells) > 1
    outputs = ["e1", "e2", "paper e1", "e2"] if several else []
    heads = ["method", "r", *outputs, "min", "median", "max", "paper", "position", "s", "verdict"]
    print_table(heads, [_make_row(cell, several) for cell in table.cells])


def _make_row(cell: TableCell, several: bool) -> list[str]:
    published = cell.published or ("",) * len(cell.median)
    outputs = [*map(format_error, cell.median), *map(_format_published, published)]
    return [
        cell.method,
        _format_branches(cell),
        *(outputs if several else []),
        *map(format_error, cell.spread),
        _format_published(cell.published_mean),
        cell.published_position,
        f"{cell.seconds:.2f}",
        "not comparable" if cell.not_comparable else VERDICTS[cell.holds],
    ]


def _format_published(number: Any) -> str:
    return f"{number:.4g}" if isinstance(number, float) else ""


def _format_branches(cell: TableCell) -> str:
    return "" if cell.n_branches is None else str(cell.n_branches)


def _explain_incomparable(table: PaperTable) -> list[str]:
    """Why cells are not comparable, one line per reason."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for cell in table.cells:
        if cell.not_comparable:
            methods = reasons.setdefault(cell.not_comparable, {})
            methods.setdefault(cell.method, []).append(_format_branches(cell))
    return [
        f"not comparable, {reason}: "
        + "; ".join(
            f"{method} r = {', '.join(branches)}" if any(branches) else method
            for method, branches in methods.items()
        )
        for reason, methods in reasons.items()
    ]


def _print_remarks(remarks: list[str]) -> None:
    for text in remarks:
        lines = textwrap.fill(text, TEXT_COLUMNS, initial_indent="  - ", subsequent_indent="    ")
        print_result(lines)
    print_result()


def _print_counts(table: PaperTable) -> None:
    if not table.counts:
        return
    print_result()
    rows = [
        [c.quantity, f"{c.published:g}", f"{c.by_paper_rule:.4g}", f"{c.correct:.4g}"]
        for c in table.counts
    ]
    print_table(["parameters", "paper", "by its rule", "right"], rows)


def _print_summary(s: Summary) -> None:
    print_result(f"{s.cells} cells, {s.comparable} of them comparable: {s.holding} hold")
    if s.counts:
        print_result(
            f"{s.counts} parameter counts: {s.counts_holding} agree with the paper's rules"
        )
    for name in s.failing:
        print_result(f"  does not hold: {name}")
    cases = f"{s.no_worse} of {s.comparisons} cases"
    print_result(
        f"on the same draw varpro is no worse than the best of the paper's methods in {cases}"
    )
    for name in s.worse:
        print_result(f"  worse: {name}")


def _make_document(order: Order, found: Reproduction) -> dict[str, Any]:
    return {
        "what": order.what,
        "quick": order.quick,
        "seed": order.seed,
        "tables": [_make_table(table, len(order.seeds(table.name))) for table in found.tables],
        "figures": [asdict(picture) for picture in found.pictures],
        "errata": list(ERRATA["figures"]) if found.pictures else [],
        "summary": {**asdict(found.summary), "holds": found.summary.holds},
    }


def _make_table(table: PaperTable, draws: int) -> dict[str, Any]:
    return {
        **asdict(table),
        "draws": draws,
        "cells": [_make_cell(cell) for cell in table.cells],
        "counts": [{**asdict(count), "holds": count.holds} for count in table.counts],
        "comparisons": [{**asdict(c), "no_worse": c.no_worse} for c in table.comparisons],
    }


def _make_cell(cell: TableCell) -> dict[str, Any]:
    least, median, most = cell.spread
    return {
        **asdict(cell),
        "least": least,
        "median": median,
        "most": most,
        "published_mean": cell.published_mean,
        "published_lies": cell.published_position or None,
        "comparable": cell.comparable,
        "holds": cell.holds,
    }
