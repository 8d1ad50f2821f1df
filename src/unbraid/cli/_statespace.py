"""``unbraid statespace``: identify a nonlinear state-space model from a record."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from ..dynamics._records import as_list
from ..errors import InvalidOptionError
from ..statespace import StateSpace, fit_linear, identify
from . import _dynamics as dynamics
from . import _options as opt
from ._dynamics import Signals, TrainTestRecords
from ._output import format_error, print_files, print_json, print_result, print_table
from ._paths import HTML, check_output_files, make_folder
from ._sections import define_command, reject_options
from ._state_models import make_state_document, rename_signals, summarise_states
from ._summaries import describe_poor_fit

MODEL_FILES = (".json", ".npz")
CURVES, LINEAR_PART, SIMULATION = "curves.png", "linear.png", "simulation.png"


def parse_count(text: str) -> int | str:
    """A whole number, or "auto"."""
    if text.lower() == "auto":
        return "auto"
    if not text.isdecimal():
        raise InvalidOptionError(f"{text!r} is no number: write a whole number, or auto")
    return int(text)


COUNT_OR_AUTO = opt.ParsedText("N|auto", parse_count)


@define_command(
    "unbraid statespace record.csv --states 2 -r 1 --basis poly:3 -o states.json",
    "unbraid statespace record.csv --states 2 --branches 0 --sampling-time 0.002 -o linear.json",
    "unbraid statespace tank.csv --u pump_V --y level_cm --time t --states 1 -r 1 --starts 2 "
    "--report tank.html",
)
@click.argument("data", metavar="DATA")
@dynamics.signal_options
@dynamics.record_option(
    "--initial",
    type=opt.COUNT_TYPE,
    help="Measured outputs that give the initial state of a test.  [default: 50]",
)
@opt.fit_option("--states", type=COUNT_OR_AUTO, default="auto", help="Number of states.")
@opt.fit_option(
    "-r", "--branches", type=COUNT_OR_AUTO, default="auto", help="Number of curves; 0: linear."
)
@opt.fit_option(
    "--basis", type=opt.BASIS_TYPE, default="auto", help=f"auto (splines), {opt.BASIS_EXAMPLES}."
)
@opt.fit_option("--feedthrough/--no-feedthrough", default=True, help="Whether u(t) acts on y(t).")
@opt.fit_option("--starts", type=opt.COUNT_TYPE, default=8, help="Random starts of the search.")
@opt.fit_option("--seed", type=opt.INDEX_TYPE, default=0, help="Seed of the search.")
@opt.fit_option("-j", "--jobs", type=int, default=1, help="Processes; -1 for one per core.")
@opt.output_option(
    "-o", "--out", metavar="FILE.json", help="The model.  [default: NAME.unbraid.json after DATA]"
)
@opt.output_option("--plots", metavar="FOLDER", help="Also draw curves, linear part, simulation.")
@opt.report_option
@opt.json_option
def command(options: SimpleNamespace) -> None:
    """Fit a linear model plus curves of states and inputs to DATA, and simulate it.

    DATA is a .csv, .npz or .mat file with columns or arrays u (or u1, u2, ...) and y, or those
    named with --u and --y. Errors are those of free-run simulations, in percent of the output. With
    auto, the numbers of states and branches are chosen on held-out parts of the training record.
    """
    started = time.perf_counter()
    _check_options(options)
    out = f"{Path(options.data).stem}.unbraid.json" if options.out is None else options.out
    files = check_output_files(model=(out, MODEL_FILES), report=(options.report, HTML))
    folder = None if options.plots is None else make_folder(options.plots)
    records = dynamics.read_records(options.data, options)
    linear, model = _fit_models(records, options)
    rows = _score_models(records, linear, model, options)
    files |= _write_files(model, files, folder, records, options)
    if options.as_json:
        result = {"data": options.data, "models": rows, "model": make_state_document(model)}
        result |= {"notices": records.notices, "warnings": options.warnings}
        result |= {"seconds": time.perf_counter() - started}
        print_json({**result, "written": files})
    else:
        _print_models(options.data, records, model, rows, files["model"])
        print_files(files)


def _check_options(options: SimpleNamespace) -> None:
    """Reject options that contradict each other or would have no effect."""
    if options.states == 0:
        raise InvalidOptionError("--states 0 is no dynamic model: write 1 or more, or auto")
    if options.jobs == 0:
        raise InvalidOptionError(
            "-j 0 has no meaning: write how many processes, or -1 for one per core"
        )
    if options.test:
        reject_options(options, ("test_share",), "and --test are two records to test on: keep one")
    if options.branches == 0:
        unused = ("basis", "starts", "seed", "jobs")
        reject_options(options, unused, "is for curves, of which a linear model has none")


def _fit_models(
    records: TrainTestRecords, options: SimpleNamespace
) -> tuple[StateSpace, StateSpace]:
    """The linear model, and the one with curves, of the same number of states."""
    common = {"feedthrough": options.feedthrough, "sampling_time": records.sampling_time}
    names = records.names, records.outputs
    if options.branches == 0:
        linear = rename_signals(fit_linear(*records.train, options.states, **common), *names)
        return linear, linear
    model = identify(
        *records.train,
        options.states,
        options.branches,
        None if options.basis == "auto" else options.basis,
        n_starts=options.starts,
        random_state=options.seed,
        n_jobs=options.jobs,
        **common,
    )
    linear = model
    if model.function is not None:
        linear = fit_linear(*records.train, model.n_states, **common)
    return rename_signals(linear, *names), rename_signals(model, *names)


def _score_models(
    records: TrainTestRecords, linear: StateSpace, model: StateSpace, options: SimpleNamespace
) -> list[dict[str, Any]]:
    def error(candidate: StateSpace, record: Signals | None) -> float | None:
        """Mean simulation error of the outputs in %."""
        if record is None:
            return None
        score = candidate.score(*record, initial=_choose_initial(record, options))
        return float(np.mean(score.percent))

    listed = [("linear", linear)]
    listed += [("with curves", model)] if model is not linear else []
    return [
        {
            "what": what,
            "n_states": candidate.n_states,
            "n_branches": candidate.n_branches,
            "degrees_of_freedom": candidate.degrees_of_freedom,
            "train_error": error(candidate, records.train),
            "test_error": error(candidate, records.test),
        }
        for what, candidate in listed
    ]


def _choose_initial(record: Signals, options: SimpleNamespace) -> int:
    shortest = min(map(len, as_list("y", record[1])))
    return dynamics.choose_initial(shortest, options.initial)


def _write_files(
    model: StateSpace,
    files: dict[str, Path],
    folder: Path | None,
    records: TrainTestRecords,
    options: SimpleNamespace,
) -> dict[str, Path]:
    """Write the model, the report and the figures; the figures by name."""
    data = records.test or records.train
    initial = _choose_initial(data, options)
    model.save(files["model"])
    if "report" in files:
        from ..reports import report

        report(model, files["report"], data=data)
    if folder is None:
        return {}
    model.plot(*data, initial=initial, path=folder / SIMULATION)
    model.plot_linear(folder / LINEAR_PART)
    if model.function is not None:
        model.plot_branches(folder / CURVES)
    return {"plots": folder}


def _print_models(
    path: str,
    records: TrainTestRecords,
    model: StateSpace,
    rows: list[dict[str, Any]],
    file: Path,
) -> None:
    """Print the table of errors and a summary; ``file`` has the model."""
    print_result(f"{path}: {records.header}\n")
    names = ("n_states", "n_branches", "degrees_of_freedom")
    cells = [
        [
            row["what"],
            *(str(row[name]) for name in names),
            format_error(row["train_error"]),
            format_error(row["test_error"]),
        ]
        for row in rows
    ]
    heads = ["model", "states", "r", "degrees of freedom", "train %", "test %"]
    print_table(heads, cells)
    judged = "train_error" if records.test is None else "test_error"
    for line in describe_poor_fit(rows[-1][judged]):
        print_result(line)
    print_result(f"\n{summarise_states(model, file)}\n")
