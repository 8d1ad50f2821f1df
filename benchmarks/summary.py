"""``python -m benchmarks.summary``: the short table of docs/results.md, from the committed run."""

from __future__ import annotations

import json
from typing import Any

from benchmarks import check, tables

COLUMNS = (("toy", 3), ("reduction", 3), ("network", 6))
HEADS = ("toy problem, r = 3", "polynomial of 5 inputs, r = 3", "network, r = 6")
NAMES = {
    "varpro": "**unbraid**, default",
    "implicit": "unbraid, the paper's implicit method",
    "explicit": "unbraid, the paper's explicit method",
    "as written": "the paper's implicit method as written, dense",
    "torch": "the same form trained in PyTorch (Adam)",
    "ppr": "R's `ppr`",
    "skpp": "PyPI `projection-pursuit`",
    "decoupling": "PyPI `decoupling` (JAX)",
    "tensorly": "TensorLy's CP, then polynomials",
}


def cell(rows: list[dict[str, Any]], method: str, problem: str, r: int) -> str:
    """Held-out error and seconds, or why there are none."""
    for row in rows:
        if (row["method"], row["problem"], row["n_branches"]) == (method, problem, r):
            if row["failed"]:
                return str(row["failed"])
            return f"{tables.number(row['held_out'])} %, {row['seconds']:.2g} s"
    return ""


def table(document: dict[str, Any]) -> str:
    """Markdown: one line a method."""
    rows = document["comparison"]
    lines = [f"| | {' | '.join(HEADS)} |", "|---|---|---|---|"]
    for method, name in NAMES.items():
        cells = [cell(rows, method, *column) for column in COLUMNS]
        if any(cells):
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(json.loads(check.COMMITTED.read_text())))
