"""``unbraid reproduce``: the paper's tables, computed anew."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from ..cases import toy_samples
from ..cases.table1 import PUBLISHED, table1
from ..errors import ConvergenceWarning
from .options import SEED, json_option
from .output import say, say_json, say_table, size
from .progress import counting
from .sections import command as new_command
from .sections import option

EXAMPLES = """
unbraid reproduce table1 --quick
"""
METHODS = ("varpro", *PUBLISHED)
QUICK: dict[str, dict[str, Any]] = {
    "varpro": {},
    "implicit": {"n_starts": 1},
    "explicit": {"n_starts": 1, "smoothness": 1e4},  # sqrt(lambda) = 100, which suits every r
}


@new_command(EXAMPLES)
@click.argument("what", metavar="[TABLE]", default="table1", type=click.Choice(["table1"]))
@option(
    "Options",
    "--draws",
    type=click.IntRange(min=1),
    default=1,
    help="Draws of the operating points.",
)
@option("Options", "--seed", type=SEED, default=0, help="Of the first draw.")
@option("Options", "--quick", is_flag=True, help="One start, and one lambda.")
@json_option
def command(options: SimpleNamespace) -> None:
    """Compute a table of the paper, beside its published numbers.

    table1: the toy problem, a polynomial of two inputs and two outputs that is three cubics, from
    100 points, with 1 to 4 branches. Errors are relative rms in percent; the paper has one draw.
    Ten draws take some minutes.
    """
    cells: dict[tuple[str, int], list[tuple[Any, float]]] = {}
    total = options.draws * len(METHODS) * 4
    with counting("Table 1", total) as move, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in range(options.seed, options.seed + options.draws):
            samples = toy_samples(100, random_state=seed)
            for name in METHODS:
                began = time.perf_counter()
                for cell in table1(samples, name, random_state=0, **_how(name, options.quick)):
                    now = time.perf_counter()
                    found = cells.setdefault((name, cell.n_branches), [])
                    found.append((cell.function.fitted_error, now - began))
                    began = now
                    move(sum(map(len, cells.values())))
    rows = [_row(name, r, found) for (name, r), found in cells.items()]
    if options.as_json:
        say_json({"table": "table1", "draws": options.draws, "seed": options.seed, "rows": rows})
    else:
        _say(rows, options.draws)


def _how(name: str, quick: bool) -> dict[str, Any]:
    return QUICK[name] if quick else {}


def _row(name: str, r: int, found: Sequence[tuple[Any, float]]) -> dict[str, Any]:
    """Least, median and most of the mean error over the draws, and the published one."""
    errors = np.array([error for error, _ in found])
    means = errors.mean(axis=1)
    published = PUBLISHED.get(name, {}).get(r)
    return {
        "method": name,
        "n_branches": r,
        "errors": np.median(errors, axis=0),
        "least": float(means.min()),
        "median": float(np.median(means)),
        "most": float(means.max()),
        "published": published,
        "seconds": float(np.median([seconds for _, seconds in found])),
    }


def _say(rows: Sequence[dict[str, Any]], draws: int) -> None:
    say("Table 1: the toy problem, 100 points, cubic branches; relative rms error of f in %\n")
    if draws == 1:
        heads = ["e1", "e2", "paper e1", "paper e2"]
        errors = [(*row["errors"], *(row["published"] or (None, None))) for row in rows]
    else:
        heads = ["least", "median", "most", "paper"]
        errors = [
            (row["least"], row["median"], row["most"], _mean(row["published"])) for row in rows
        ]
    table = [
        [row["method"], str(row["n_branches"]), *map(size, numbers), f"{row['seconds']:.2f}"]
        for row, numbers in zip(rows, errors, strict=True)
    ]
    say_table(["method", "r", *heads, "seconds"], table)
    if draws > 1:
        say(f"\nmean of e1 and e2: least, median and most of {draws} draws of the points")


def _mean(published: tuple[float, float] | None) -> float | None:
    return None if published is None else sum(published) / 2
