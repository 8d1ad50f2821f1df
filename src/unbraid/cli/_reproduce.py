"""``unbraid reproduce``: the paper's tables and figures, computed anew."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from .._util.validation import counted
from ..model._plotting import figure_of
from ..reproduce import WHAT, Order, Reproduction, reproduce
from ..reproduce._cells import Cell, Summary, Table
from ..reproduce._published import SLIPS
from ._options import SEED, json_option
from ._output import note, say, say_json, say_table, size
from ._paths import folder
from ._progress import counting
from ._sections import command as new_command
from ._sections import option, refuse

EXAMPLES = """
unbraid reproduce table1 --quick
unbraid reproduce table2 --quick --draws 1 --json
"""
WIDTH = 100
VERDICTS = {True: "holds", False: "does not hold", None: ""}


@new_command(EXAMPLES)
@click.argument("what", metavar="[TABLE]", default="all", type=click.Choice(WHAT))
@option("Options", "--quick", is_flag=True, help="All of it in under a minute: less of everything.")
@option(
    "Options",
    "--draws",
    type=click.IntRange(min=1),
    help="Draws of points, functions or networks; 5 by default (2 or 1 with --quick).",
)
@option("Options", "--seed", type=SEED, default=0, help="Of the first draw.")
@option(
    "Options",
    "--record",
    metavar="PATH",
    help="The Silverbox record, SNLS80mV.mat or .csv; else a simulated twin.",
)
@option("Output", "--out", metavar="FOLDER", default="unbraid-reproduce", help="For the figures.")
@option("Output", "--check", is_flag=True, help="Exit with 1 where a comparable cell fails.")
@json_option
def command(options: SimpleNamespace) -> int:
    """Compute the paper anew, beside its published numbers: tables 1 to 3, NARX models, figures.

    TABLE is all (the default), table1, table2, table3, silverbox or figures. Every cell is computed
    by the paper's methods and by varpro over random draws, and says whether it compares with the
    published number and whether that holds: varpro no worse, the paper's methods as good as
    published. Figures go to a folder as PNG and SVG. UNBRAID_DATA may name the folder of
    silverbox.npz.
    """
    draws_figures = options.what in ("all", "figures")
    if not draws_figures:
        refuse(options, ["out"], "is for figures: use it with all or figures")
    if options.what in ("table1", "table2", "table3"):
        refuse(options, ["record"], "is for silverbox, figures and all")
    if options.what == "figures":
        refuse(options, ["check"], "needs a table: figures have no verdict")
    out = None
    if draws_figures:
        figure_of(1, 1)  # asks for matplotlib before the work
        out = folder(options.out)
    order = Order(options.what, options.draws, options.seed, options.quick, options.record, out)
    if order.seconds > 60:
        minutes = counted(round(order.seconds / 60), "minute")
        note(f"this takes about {minutes} on a core of its own; --quick less than one")
    with counting("Reproducing", order.n_steps) as move:
        found = reproduce(order, move)
    if options.as_json:
        say_json(_document(order, found))
    else:
        _say(order, found, out)
    return 1 if options.check and not found.summary.holds else 0


def _say(order: Order, found: Reproduction, out: Path | None) -> None:
    for table in found.tables:
        _say_cells(table, order.effort(table.name).draws)
        _say_counts(table)
        _say_lines([*_unlike(table), *table.remarks, *(f"the paper: {s}" for s in table.slips)])
    if found.pictures:
        say(f"Figures, as PNG and SVG in {out}")
        say_table(["file", "figure"], [[f"{p.name}.png", p.label] for p in found.pictures])
        _say_lines([f"the paper: {slip}" for slip in SLIPS["figures"]])
    if found.tables:
        _say_summary(found.summary)


def _say_cells(table: Table, draws: int) -> None:
    over = f"{draws} draws" if draws > 1 else "one draw"
    say(f"{table.title}; error in %, {over}")
    several = max(len(cell.median) for cell in table.cells) > 1
    outputs = ["e1", "e2", "paper e1", "e2"] if several else []
    heads = ["method", "r", *outputs, "least", "median", "most", "paper", "lies", "s", "verdict"]
    say_table(heads, [_row(cell, several) for cell in table.cells])


def _row(cell: Cell, several: bool) -> list[str]:
    printed = cell.published or ("",) * len(cell.median)
    outputs = [*map(size, cell.median), *map(_printed, printed)] if several else []
    return [
        cell.method,
        _branches(cell),
        *outputs,
        *map(size, cell.spread),
        _printed(cell.published_mean),
        cell.place,
        f"{cell.seconds:.2f}",
        "not comparable" if cell.unlike else VERDICTS[cell.holds],
    ]


def _printed(number: Any) -> str:
    return f"{number:.4g}" if isinstance(number, float) else ""


def _unlike(table: Table) -> list[str]:
    """Why cells are not comparable, one line a reason."""
    cells: dict[str, dict[str, list[str]]] = {}
    for cell in table.cells:
        if cell.unlike:
            cells.setdefault(cell.unlike, {}).setdefault(cell.method, []).append(_branches(cell))
    return [
        f"not comparable, {why}: " + "; ".join(_named(*each) for each in methods.items())
        for why, methods in cells.items()
    ]


def _named(method: str, branches: list[str]) -> str:
    return f"{method} r = {', '.join(branches)}" if any(branches) else method


def _branches(cell: Cell) -> str:
    return "" if cell.n_branches is None else str(cell.n_branches)


def _say_lines(lines: list[str]) -> None:
    for line in lines:
        say(textwrap.fill(line, WIDTH, initial_indent="  - ", subsequent_indent="    "))
    say()


def _say_counts(table: Table) -> None:
    if not table.counts:
        return
    say()
    rows = [
        [c.what, f"{c.published:g}", f"{c.by_its_rule:.4g}", f"{c.right:.4g}"] for c in table.counts
    ]
    say_table(["numbers", "paper", "by its rule", "right"], rows)


def _say_summary(s: Summary) -> None:
    say(f"{s.cells} cells, {s.comparable} of them comparable: {s.holding} hold")
    if s.counts:
        say(f"{s.counts} counts of numbers: {s.counts_holding} are as printed by the paper's rules")
    for name in s.failing:
        say(f"  does not hold: {name}")
    best = "the best of the paper's methods"
    say(f"on the same draw varpro is no worse than {best} in {s.level} of {s.duels} cases")
    for name in s.lost:
        say(f"  worse: {name}")


def _document(order: Order, found: Reproduction) -> dict[str, Any]:
    return {
        "what": order.what,
        "quick": order.quick,
        "seed": order.seed,
        "tables": [_table(table, order.effort(table.name).draws) for table in found.tables],
        "figures": [asdict(picture) for picture in found.pictures],
        "slips": list(SLIPS["figures"]) if found.pictures else [],
        "summary": {**asdict(found.summary), "holds": found.summary.holds},
    }


def _table(table: Table, draws: int) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "draws": draws,
        "cells": [_cell(cell) for cell in table.cells],
        "counts": [{**asdict(count), "holds": count.holds} for count in table.counts],
        "duels": [{**asdict(duel), "level": duel.level} for duel in table.duels],
        "remarks": table.remarks,
        "slips": table.slips,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    least, median, most = cell.spread
    return {
        **asdict(cell),
        "least": least,
        "median": median,
        "most": most,
        "published_mean": cell.published_mean,
        "published_lies": cell.place or None,
        "comparable": cell.comparable,
        "holds": cell.holds,
    }
