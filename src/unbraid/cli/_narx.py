"""``unbraid narx``: from a record of a dynamic system to a few curves."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from ..narx import NARX
from ._dynamics import MODEL, Records, Signals, identified, records_of, reference_options
from ._options import SEED, WHAT, Text, basis, branches_option, json_option, report_option
from ._output import say, say_json, say_table, size, warnings_collected
from ._paths import writable
from ._progress import waiting
from ._sections import command as new_command
from ._sections import option, refuse
from ._stored import Stored
from ._summaries import described, document, poor

EXAMPLES = """
unbraid narx record.csv --max-branches 2
unbraid narx record.csv --input-lags 0,1 --output-lags 1:2 -r 1 --no-refine -o spring.json
unbraid narx record.csv --u u --y y --test-share 0.5 --initial 20 -r 2 --json
"""


@new_command(EXAMPLES)
@click.argument("data", metavar="DATA")
@reference_options
@option(MODEL, "--degree", type=click.IntRange(min=1), default=3, help="Of the polynomial.")
@branches_option
@option(
    WHAT,
    "--max-branches",
    type=click.IntRange(min=1),
    default=4,
    help="With -r auto: most branches to try.",
)
@option(
    WHAT,
    "--basis",
    type=Text("NAME:SIZE", basis),
    default="auto",
    help="auto (polynomials of that degree), poly:5, spline:8, ...",
)
@option(
    WHAT,
    "--refine/--no-refine",
    default=True,
    help="Tune on the simulation error.",
)
@option(WHAT, "--seed", type=SEED, default=0, help="Of the search.")
@option(
    "Output",
    "-o",
    "--out",
    metavar="FILE.json",
    help="The model; by default DATA's name with .unbraid.json, here.",
)
@report_option
@json_option
def command(options: SimpleNamespace) -> None:
    """Fit a polynomial NARX model to DATA, decouple it, refine it, and simulate both.

    DATA is a .csv, .npz or .mat file with columns or arrays u (or u1, u2, ...) and y. Errors are of
    free runs, on the model's own past outputs, in percent of the output. With -r auto the smallest
    model is kept that is about as good as the best in a free run of the training record.
    """
    began = time.perf_counter()
    if options.branches != "auto":
        refuse(options, ("max_branches",), "needs -r auto, which chooses the number")
    if options.test:
        refuse(options, ("test_share",), "and --test are two records to test on: keep one")
    plain = f"{Path(options.data).stem}.unbraid.json"
    out = writable(plain if options.out is None else options.out, ".json")
    files = {"model": out}
    if options.report:
        files["report"] = writable(options.report, ".html", ".htm")
    records = records_of(options.data, options)
    with warnings_collected() as said:
        reference, small = _models(records, options)
    rows = _rows(records, reference, small, options)
    _write(small, files, records)
    if options.as_json:
        found = {
            "data": options.data,
            "models": rows,
            "model": document(small.function, *_words(small)),
        }
        say_json(
            {**found, "seconds": time.perf_counter() - began, "warnings": said, "written": files}
        )
    else:
        _say(options, records, small, rows, files)


def _models(records: Records, options: SimpleNamespace) -> tuple[NARX, NARX]:
    """The coupled model, and the decoupled one."""
    reference = identified(records, options.degree, options)
    if options.branches == "auto":
        return reference, _chosen(reference, records, options)
    with waiting("Decoupling") as callback:
        small = reference.decouple(
            options.branches, basis=options.basis, random_state=options.seed, callback=callback
        )
    if options.refine:
        with waiting("Refining"):
            small = small.refine(*records.train, initial=options.initial)
    return reference, small


def _chosen(reference: NARX, records: Records, options: SimpleNamespace) -> NARX:
    """The smallest model that is about as good as the best in free runs of the training record."""
    from ..scans import scan

    found = scan(
        reference,
        n_branches=range(1, options.max_branches + 1),
        basis=options.basis,
        refine=options.refine,
        random_state=options.seed,
        data=records.train,
        initial=options.initial,
    )
    row = found.best_row()
    for text in row.warnings:
        warnings.warn(text, stacklevel=2)
    model: NARX = row.model
    return model


def _rows(
    records: Records, reference: NARX, small: NARX, options: SimpleNamespace
) -> list[dict[str, Any]]:
    return [
        {
            "what": what,
            "n_branches": small.function.n_branches if model is small else None,
            "n_parameters": model.n_parameters,
            "train_error": _error(model, records.train, options),
            "test_error": _error(model, records.test, options),
        }
        for what, model in (("coupled", reference), ("decoupled", small))
    ]


def _error(model: NARX, data: Signals | None, options: SimpleNamespace) -> float | None:
    """Of a free run in %, mean of the outputs."""
    if data is None:
        return None
    return float(np.mean(model.score(*data, initial=options.initial).percent))


def _words(small: NARX) -> tuple[Any, Any]:
    found = Stored(small)
    return found.names, found.outputs


def _write(small: NARX, files: dict[str, Path], records: Records) -> None:
    small.save(files["model"])
    if "report" in files:
        from ..reports import report

        report(small, files["report"], data=records.test or records.train)


def _say(
    options: SimpleNamespace,
    records: Records,
    small: NARX,
    rows: list[dict[str, Any]],
    files: dict[str, Path],
) -> None:
    train, test = records.train, records.test
    tested = "no test record" if test is None else f"{len(test[0])} samples to test on"
    say(f"{options.data}: {len(train[0])} samples to fit, {tested}; errors of free runs\n")
    cells = [
        [
            row["what"],
            str(row["n_branches"] or ""),
            str(row["n_parameters"]),
            size(row["train_error"]),
            size(row["test_error"]),
        ]
        for row in rows
    ]
    say_table(["model", "r", "numbers", "train %", "test %"], cells)
    for line in poor(rows[1]["train_error"] if test is None else rows[1]["test_error"]):
        say(line)
    words = described(small.function, *_words(small))
    if words is not None:
        say(f"\n{words}")
    say()
    for what, path in files.items():
        say(f"{what + ':':8}{path}")
