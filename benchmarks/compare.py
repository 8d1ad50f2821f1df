"""Every method on every problem: cells to rows, rows to ratios."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.cell import Cell, outcome
from benchmarks.peers import DATA_METHODS, METHODS, Method
from benchmarks.problems import DATA, SYNTHETIC
from benchmarks.tables import comparison_table

Row = dict[str, Any]
QUICK = ("toy", "network")
AHEAD = 1e-3  # less than this, relative to ours, is a draw


def cells(problem: str, name: str, method: Method, quick: bool) -> list[Cell]:
    """In the order of r; a quick run has one draw, r = 3, and less time."""
    if problem in DATA:
        return [Cell(name, problem, 0, 1)]
    if quick:
        return [Cell(name, problem, 3, 1, seconds=10.0)]
    draws = method.network_draws if problem == "network" else method.draws
    return [Cell(name, problem, r, draws) for r in SYNTHETIC[problem].branches]


def rows(problem: str, methods: dict[str, Method], quick: bool, again: bool) -> Iterator[Row]:
    """One outcome a method and r; what ran out of time is not tried with more branches."""
    for name, method in methods.items():
        given_up = ""
        for cell in cells(problem, name, method, quick) if problem in method.problems else ():
            print(f"... {problem}, {name}, r = {cell.n_branches}", file=sys.stderr, flush=True)
            found = skipped(cell, given_up) if given_up else outcome(cell, again)
            if not given_up and out_of_time(found, cell, method):
                given_up = f"not tried: out of time at r = {cell.n_branches}"
            yield summary(found)


def out_of_time(found: Row, cell: Cell, method: Method) -> bool:
    """Was ended, or would be with more branches."""
    if found["failed"].startswith("over time"):
        return True
    slow = [draw for draw in found["rows"] if draw["seconds"] >= cell.seconds]
    return bool(slow) and not method.stops_in_time


def skipped(cell: Cell, why: str) -> Row:
    return {"method": cell.method, "problem": cell.problem, "n_branches": cell.n_branches,
            "rows": [], "failed": why}  # fmt: skip


def summary(found: Row) -> Row:
    """Medians over the draws, the largest peak."""
    draws = found["rows"]
    short = {name: found[name] for name in ("problem", "n_branches", "method", "failed")}
    if not draws:
        return short
    medians = {name: float(np.median([d[name] for d in draws])) for name in ("fitted", "held_out")}
    return {
        **short,
        **medians,
        "by_draw": [d["held_out"] for d in draws],
        "kindest": [d["kindest"] for d in draws],
        "seconds": float(np.median([d["seconds"] for d in draws])),
        "peak": max(d["peak"] for d in draws),
        "parameters": draws[0]["parameters"],
        "note": draws[0]["note"],
    }


def with_ratios(table: list[Row], first: str = "varpro") -> list[Row]:
    """Error over ours, draw by draw, and median time over ours."""
    ours = {(row["problem"], row["n_branches"]): row for row in table if row["method"] == first}
    for row in table:
        mine = ours.get((row["problem"], row["n_branches"]), {})
        if row["failed"] or mine.get("failed", "none"):
            continue
        pairs = zip(row["by_draw"], mine["by_draw"], strict=False)
        row["times_error"] = float(np.median([theirs / own for theirs, own in pairs]))
        row["times_seconds"] = row["seconds"] / mine["seconds"]
    return table


def exceptions(table: list[Row]) -> list[Row]:
    """Where another method has less held-out error than varpro on a draw.

    A peer is judged by its luckiest start, the one that a look at the fresh points would pick.
    """
    own = {(row["method"], row["problem"], row["n_branches"]): row for row in table}
    found = []
    for row in table:
        cell = row["problem"], row["n_branches"]
        mine = own.get(("varpro", *cell), {"failed": "not there"})
        if row["method"].startswith("varpro") or row["failed"] or mine["failed"]:
            continue
        pairs = list(zip(row["kindest"], mine["by_draw"], strict=False))
        ahead = [theirs / ours for theirs, ours in pairs if theirs < (1 - AHEAD) * ours]
        going_on = own.get(("varpro, basis goes on", *cell), {}).get("by_draw", [])[: len(pairs)]
        if ahead:
            found.append(
                {
                    **{name: row[name] for name in ("problem", "n_branches", "method")},
                    "draws": len(ahead),
                    "of": len(pairs),
                    "least": min(ahead),
                    "theirs": float(np.median([theirs for theirs, _ in pairs])),
                    "ours": float(np.median([ours for _, ours in pairs])),
                    "going_on": float(np.median(going_on)) if going_on else None,
                }
            )
    return found


def comparison(quick: bool, again: bool, only: list[str] | None) -> list[Row]:
    """All synthetic problems, then data alone; printed as they come."""
    table: list[Row] = []
    for problem in QUICK if quick else (*SYNTHETIC, *DATA):
        methods = DATA_METHODS if problem in DATA else METHODS
        chosen = {name: m for name, m in methods.items() if not only or name in (*only, "varpro")}
        if not chosen:
            continue
        part = with_ratios(list(rows(problem, chosen, quick, again)), next(iter(methods)))
        print("\n".join(comparison_table(problem, part)), flush=True)
        table += part
    return table
