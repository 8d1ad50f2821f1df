"""``unbraid narx``: identify a dynamic system from a record and decouple it."""

import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from ..narx import NARX
from . import _dynamics as dynamics
from . import _options as opt
from ._dynamics import Signals, TrainTestRecords
from ._output import format_error, print_files, print_json, print_result, print_table
from ._paths import HTML, JSON, check_output_files
from ._sections import define_command, reject_options
from ._summaries import describe_poor_fit, make_document, summarise_function


@define_command(
    "unbraid narx record.csv --max-branches 2",
    "unbraid narx record.csv --input-lags 0,1 --output-lags 1:2 -r 1 --no-refine -o spring.json",
    "unbraid narx record.csv --u u --y y --test-share 0.5 --initial 20 -r 2 --json",
)
@click.argument("data", metavar="DATA")
@dynamics.record_options
@dynamics.coupled_option(
    "--degree", type=opt.COUNT_TYPE, default=3, help="Degree of the polynomial."
)
@opt.branches_option
@opt.fit_option(
    "--max-branches", type=opt.COUNT_TYPE, default=4, help="With -r auto: most branches."
)
@opt.fit_option(
    "--basis", type=opt.BASIS_TYPE, default="auto", help=f"auto (--degree), {opt.BASIS_EXAMPLES}."
)
@opt.fit_option("--refine/--no-refine", default=True, help="Minimise the simulation error.")
@opt.fit_option("--seed", type=opt.INDEX_TYPE, default=0, help="Seed of the search.")
@opt.output_option(
    "-o", "--out", metavar="FILE.json", help="The model.  [default: NAME.unbraid.json after DATA]"
)
@opt.report_option
@opt.json_option
def command(options: SimpleNamespace) -> None:
    """Fit a polynomial NARX model to DATA, decouple it, refine it, and simulate both.

    DATA is a .csv, .npz or .mat file with columns or arrays u (or u1, u2, ...) and y. Errors are
    those of free-run simulations, in percent of the output. With -r auto the smallest model is kept
    whose simulation of the training record is about as good as the best.
    """
    started = time.perf_counter()
    if options.branches != "auto":
        reject_options(options, ("max_branches",), "needs -r auto, which chooses the number")
    if options.test:
        reject_options(options, ("test_share",), "and --test are two records to test on: keep one")
    out = f"{Path(options.data).stem}.unbraid.json" if options.out is None else options.out
    files = check_output_files(model=(out, JSON), report=(options.report, HTML))
    records = dynamics.read_records(options.data, options)
    coupled, decoupled = _fit_models(records, options)
    rows = _score_models(records, coupled, decoupled, options)
    _write_files(decoupled, files, records)
    if options.as_json:
        document = make_document(decoupled.function, *decoupled.signal_names)
        result = {"data": options.data, "models": rows, "model": document}
        result |= {"notices": records.notices, "warnings": options.warnings}
        result |= {"seconds": time.perf_counter() - started}
        print_json({**result, "written": files})
    else:
        _print_models(options.data, records, decoupled, rows, files["model"])
        print_files(files)


def _fit_models(records: TrainTestRecords, options: SimpleNamespace) -> tuple[NARX, NARX]:
    """The coupled model, and the decoupled one."""
    coupled = dynamics.identify_model(records, options.degree, options)
    if options.branches == "auto":
        return coupled, _choose_model(coupled, records, options)
    decoupled = coupled.decouple(options.branches, basis=options.basis, random_state=options.seed)
    if options.refine:
        decoupled = decoupled.refine(*records.train, initial=options.initial)
    return coupled, decoupled


def _choose_model(coupled: NARX, records: TrainTestRecords, options: SimpleNamespace) -> NARX:
    """Return the smallest model whose simulation is about as good as the best.

    The training record is simulated.
    """
    from ..scans import scan

    result = scan(
        coupled,
        n_branches=range(1, options.max_branches + 1),
        basis=options.basis,
        refine=options.refine,
        random_state=options.seed,
        data=records.train,
        initial=options.initial,
    )
    row = result.best_row()
    for text in row.warnings:
        warnings.warn(text, stacklevel=2)
    model: NARX = row.model
    return model


def _score_models(
    records: TrainTestRecords, coupled: NARX, decoupled: NARX, options: SimpleNamespace
) -> list[dict[str, Any]]:
    def error(model: NARX, record: Signals | None) -> float | None:
        """Mean simulation error of the outputs in %."""
        if record is None:
            return None
        return float(np.mean(model.score(*record, initial=options.initial).percent))

    return [
        {
            "what": what,
            "n_branches": model.function.n_branches if model is decoupled else None,
            "n_parameters": model.n_parameters,
            "train_error": error(model, records.train),
            "test_error": error(model, records.test),
        }
        for what, model in (("coupled", coupled), ("decoupled", decoupled))
    ]


def _write_files(model: NARX, files: dict[str, Path], records: TrainTestRecords) -> None:
    model.save(files["model"])
    if "report" in files:
        from ..reports import report

        report(model, files["report"], data=records.test or records.train)


def _print_models(
    path: str,
    records: TrainTestRecords,
    decoupled: NARX,
    rows: list[dict[str, Any]],
    file: Path,
) -> None:
    """Print the table of errors and a summary; ``file`` has the model."""
    print_result(f"{path}: {records.header}\n")
    cells = [
        [
            row["what"],
            str(row["n_branches"] or ""),
            str(row["n_parameters"]),
            format_error(row["train_error"]),
            format_error(row["test_error"]),
        ]
        for row in rows
    ]
    print_table(["model", "r", "parameters", "train %", "test %"], cells)
    for line in describe_poor_fit(rows[1]["train_error" if records.test is None else "test_error"]):
        print_result(line)
    summary = summarise_function(decoupled.function, *decoupled.signal_names, file)
    print_result(f"\n{summary}\n")
