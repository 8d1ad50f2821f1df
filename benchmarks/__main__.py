"""``make bench``: every method and peer on the same problems, growth, and the page about it."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from benchmarks import check, growth, iterations, machine, page
from benchmarks.cell import ROOT
from benchmarks.compare import comparison, exceptions
from benchmarks.peers import METHODS, jax_decoupling

PAGE = ROOT / "docs" / "benchmarks.md"
ASIDE = ROOT / ".bench"  # where a part of the tables goes


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one draw, few sizes: 3 minutes")
    parser.add_argument("--again", action="store_true", help="redo what .bench has kept")
    parser.add_argument("--only", nargs="*", choices=list(METHODS), help="these beside varpro")
    return parser.parse_args()


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """All parts; each prints itself as it is done."""
    quick, again = chosen.quick, chosen.again
    if said := jax_decoupling.install():
        print(f"left out: decoupling ({said})")
    table = comparison(quick, again, chosen.only)
    return {
        "machine": machine.described(),
        "comparison": table,
        "exceptions": exceptions(table),
        "iterations": iterations.tables(quick),
        "growth": growth.curves(quick, again),
        "check": {} if quick else check.measured(),
    }


def main() -> None:
    chosen, began = options(), time.perf_counter()
    document = run(chosen)
    whole = not chosen.quick and not chosen.only
    target, record = (PAGE, check.COMMITTED) if whole else (ASIDE / PAGE.name, ASIDE / "table.json")
    write(target, page.written(document))
    write(record, json.dumps(document, indent=1) + "\n")
    print(f"{(time.perf_counter() - began) / 60:.0f} minutes; written: {target}, {record}")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    main()
