"""``unbraid identify``: the best dynamic model of a record."""

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from ..dynamics._records import as_list
from ..errors import InvalidOptionError
from ..identification import CandidateTable, identify
from ..narx import NARX
from ..statespace import StateSpace
from . import _dynamics as dynamics
from . import _options as opt
from ._dynamics import TrainTestRecords
from ._output import format_error, print_files, print_json, print_result, print_table
from ._paths import HTML, JSON, check_output_files
from ._sections import define_command, reject_options
from ._state_models import make_state_document, summarise_states
from ._summaries import describe_poor_fit, make_document, summarise_function


@define_command(
    "unbraid identify record.csv --max-seconds 20",
    "unbraid identify tank.csv --u pump_V --y level_cm --time t --max-seconds 20 -o tank.json",
)
@click.argument("data", metavar="DATA")
@dynamics.signal_options
@opt.fit_option(
    "--max-seconds",
    type=click.FloatRange(min=1),
    default=150.0,
    help="Time limit: then the best model so far is kept.",
)
@opt.fit_option("--seed", type=opt.INDEX_TYPE, default=0, help="Seed of the search.")
@opt.fit_option("-j", "--jobs", type=int, default=1, help="Processes; -1 for one per core.")
@opt.output_option(
    "-o", "--out", metavar="FILE.json", help="The model.  [default: NAME.unbraid.json after DATA]"
)
@opt.report_option
@opt.json_option
def command(options: SimpleNamespace) -> None:
    """Compare dynamic models of DATA and keep the smallest good one.

    DATA is a .csv, .npz or .mat file with columns or arrays u (or u1, u2, ...) and y, or those
    named with --u and --y. Linear, NARX and state-space models are compared by free-run simulation
    of held-out samples. The test record is not used for the choice.
    """
    started = time.perf_counter()
    if options.jobs == 0:
        raise InvalidOptionError(
            "-j 0 has no meaning: write how many processes, or -1 for one per core"
        )
    if options.test:
        reject_options(options, ("test_share",), "and --test are two records to test on: keep one")
    out = f"{Path(options.data).stem}.unbraid.json" if options.out is None else options.out
    files = check_output_files(model=(out, JSON), report=(options.report, HTML))
    records = dynamics.read_records(options.data, options)
    model, table = _identify(records, options)
    rows = _list_rows(table, records)
    model.save(files["model"])
    if "report" in files:
        from ..reports import report

        report(model, files["report"], data=records.test or records.train)
    if options.as_json:
        result = {"data": options.data, "models": rows, "model": _make_document(model)}
        result |= {"complete": table.is_complete, "notices": [*records.notices, *table.notices]}
        result |= {"warnings": options.warnings, "seconds": time.perf_counter() - started}
        print_json({**result, "written": files})
    else:
        _print_candidates(options.data, records, table, rows)
        print_result(f"\n{_summarise(model, files['model'])}\n")
        print_files(files)


def _identify(
    records: TrainTestRecords, options: SimpleNamespace
) -> tuple[NARX | StateSpace, CandidateTable]:
    model = identify(
        *records.train,
        max_seconds=options.max_seconds,
        sampling_time=records.sampling_time,
        input_names=records.names,
        output_names=records.outputs,
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    assert model.candidates is not None
    return model, model.candidates


def _list_rows(table: CandidateTable, records: TrainTestRecords) -> list[dict[str, Any]]:
    """What is printed of every candidate, with its error on the test record."""
    return [
        {
            "model": row.label,
            "chosen": row.is_chosen,
            "n_branches": row.n_branches,
            "parameters": row.degrees_of_freedom,
            "held_out_error": row.error,
            "test_error": _measure_test_error(row.model, records),
            "seconds": row.seconds,
        }
        for row in table
    ]


def _measure_test_error(model: Any, records: TrainTestRecords) -> float | None:
    """Mean simulation error of the outputs in %; None without a test record."""
    if records.test is None:
        return None
    shortest = min(map(len, as_list("y", records.test[1])))
    initial = dynamics.choose_initial(shortest, None)
    if isinstance(model, NARX):
        known = model.data.channels if model.data is not None else (1, 1)
        initial = max(initial, model.lags(*known).longest)
    unnamed = replace(model, input_names=None, output_names=None)
    return float(np.mean(unnamed.score(*records.test, initial=initial).percent))


def _make_document(model: NARX | StateSpace) -> dict[str, Any]:
    if isinstance(model, StateSpace):
        return make_state_document(model)
    return make_document(model.function, *model.signal_names)


def _summarise(model: NARX | StateSpace, file: Path) -> str:
    if isinstance(model, StateSpace):
        return summarise_states(model, file)
    return summarise_function(model.function, *model.signal_names, file)


def _print_candidates(
    path: str, records: TrainTestRecords, table: CandidateTable, rows: list[dict[str, Any]]
) -> None:
    """Print the table of candidates and what was noticed."""
    print_result(f"{path}: {records.header}\n")
    cells = [
        [
            "*" if row["chosen"] else "",
            row["model"],
            "coupled" if row["n_branches"] is None else str(row["n_branches"]),
            str(row["parameters"]),
            *(_format(row[name]) for name in ("held_out_error", "test_error")),
        ]
        for row in rows
    ]
    print_table(["", "model", "r", "parameters", "held out %", "test %"], cells)
    print_result(table.caption)
    chosen = next(row for row in rows if row["chosen"])
    judged = "held_out_error" if records.test is None else "test_error"
    for line in describe_poor_fit(chosen[judged]):
        print_result(line)


def _format(error: float | None) -> str:
    return "diverges" if error is not None and np.isinf(error) else format_error(error)
