"""Tables as lines of text, the same on the screen and on the page."""

from __future__ import annotations

from typing import Any

from benchmarks.problems import PROBLEMS

Row = dict[str, Any]
HEAD = (
    f"{'r':>3} {'method':<22} {'fitted %':>9} {'held out %':>10} {'error/ours':>11} "
    f"{'seconds':>9} {'time/ours':>10} {'peak MB':>8} {'numbers':>8}"
)


def times(ratio: float | None) -> str:
    """A ratio in at most three figures."""
    if ratio is None:
        return ""
    if ratio >= 9.95e4:
        return f"{ratio:.0e}x"
    return f"{ratio:.0f}x" if ratio >= 9.95 else f"{ratio:.2f}x"


def number(value: float) -> str:
    """A percentage: plain where it is of ordinary size."""
    return f"{value:.3g}" if 1e-3 <= value < 1e4 else f"{value:.1e}"


def line(row: Row) -> str:
    r = row["n_branches"] or ""
    start = f"{r:>3} {row['method']:<22}"
    if row["failed"]:
        return f"{start} {row['failed']}"
    note = f"  {row['note']}" if "iterations" in row["note"] else ""
    return (
        f"{start} {number(row['fitted']):>9} {number(row['held_out']):>10} "
        f"{times(row.get('times_error')):>11} {row['seconds']:9.2f} "
        f"{times(row.get('times_seconds')):>10} {row['peak']:8.0f} {row['parameters']:8d}{note}"
    )


def comparison_table(problem: str, rows: list[Row]) -> list[str]:
    """One block a number of branches."""
    lines = [PROBLEMS[problem].title, HEAD]
    for r in PROBLEMS[problem].branches:
        block = [line(row) for row in rows if row["n_branches"] == r]
        lines += [*block, ""] if block else []
    return lines


def check_table(ratios: dict[str, float]) -> list[str]:
    return [f"{name:<62} {times(ratio):>10}" for name, ratio in ratios.items()]
