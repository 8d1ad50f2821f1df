"""``unbraid scan``: many ways to decouple, compared; what is finished is kept on disk."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from .._util.validation import counted
from ..errors import InvalidFile, InvalidOption, UnbraidError
from ..model._function import DecoupledFunction
from ..sources import parameter_count
from ._dynamics import MODEL, RECORD, identified, records_of, reference_options
from ._models import problem_of
from ._options import (
    SEED,
    SHARE,
    WHAT,
    Text,
    bases,
    branch_counts,
    json_option,
    methods,
    naming,
    reals,
    report_option,
    where,
    whole_numbers,
)
from ._output import note, say, say_json, size
from ._paths import writable
from ._scan_table import say_scan_table, scan_document, write_scan_table
from ._sections import command as new_command
from ._sections import option, refuse
from ._summaries import check_names

if TYPE_CHECKING:
    from ..scans import Row, Scan

EXAMPLES = """
unbraid scan net.onnx --box -1:1 -r 1:3 --degree 5
unbraid scan model:f --box -1:1,-2:2 -r 1,2 --method varpro,implicit --basis poly:3,spline:8 -j 2
unbraid scan samples.npz -r 2 --degree 2:4 --seeds 0:1 --report samples.html --csv samples-scan.csv
unbraid scan record.csv --narx -r 1:2 --store record.db
"""
OF_MODELS = ("points", "box", "n_points", "inputs_count", "target", "features", "held_out", "seed")
OF_RECORDS = (
    "u",
    "y",
    "test",
    "test_share",
    "initial",
    "input_lags",
    "output_lags",
    "ridge",
    "narx_degree",
)
LIST = Text("LIST", whole_numbers)


@new_command(EXAMPLES)
@click.argument("model", metavar="MODEL|DATA")
@where
@option(
    WHAT,
    "-r",
    "--branches",
    type=Text("LIST|auto", branch_counts),
    default="1:6",
    help="Numbers of branches: 1:6, or 1,2,4; auto finds one.",
)
@option(
    WHAT,
    "--method",
    type=Text("LIST", methods),
    default="varpro",
    help="varpro, implicit, explicit, cpd.",
)
@option(
    WHAT,
    "--basis",
    type=Text("LIST", bases),
    default="auto",
    help="auto, poly:5, spline:12, linear:8, fourier:3, rbf:8.",
)
@option(WHAT, "--degree", type=LIST, help="Polynomials of these degrees, instead of --basis.")
@option(WHAT, "--seeds", type=LIST, default="0", help="Seeds of the search.")
@option(
    WHAT, "--smoothness", type=Text("LIST", reals), help="Of the explicit method: values of lambda."
)
@option(WHAT, "--held-out", type=SHARE, default=0.2, help="Share of the points kept for the error.")
@option(
    WHAT,
    "--starts",
    type=click.IntRange(min=1),
    help="Random starts of each search.  [default: varpro 1 to 24 as needed, cpd 20, others 10]",
)
@option(
    WHAT,
    "--tolerance",
    type=click.FloatRange(0, min_open=True),
    help="The best is the smallest model with at most this error in %.  [default: about as good "
    "as any]",
)
@option(
    "How it runs",
    "--store",
    metavar="FILE.db",
    help="Where finished cells are kept; by default MODEL's name with .scan.db, here.",
)
@option("How it runs", "-j", "--jobs", type=int, default=1, help="Processes; -1 for one a core.")
@option("How it runs", "--seed", type=SEED, default=0, help="Of the points drawn in the box.")
@option(
    RECORD,
    "--narx",
    "dynamic",
    is_flag=True,
    help="DATA is a record: fit a NARX model and judge free runs.",
)
@reference_options
@option(MODEL, "--narx-degree", type=click.IntRange(min=1), default=3, help="Of the polynomial.")
@naming
@option("Output", "-o", "--out", metavar="FILE.json", help="Also write the best model.")
@report_option
@option("Output", "--csv", metavar="FILE.csv", help="Also write the table.")
@json_option
def command(options: SimpleNamespace) -> None:
    """Decouple MODEL in every combination of the lists given, and compare.

    MODEL is what `unbraid decouple` takes. The store takes every finished cell as soon as it
    arrives: after Ctrl-C or a crash the same command goes on where it was. Ranges hold both ends.
    """
    _check(options)
    files = _files(options)
    began = time.perf_counter()
    work = _dynamic(options) if options.dynamic else _static(options)
    store = writable(options.store or f"{work.stem}.scan.db")
    scan = _scanned(work, store, options)
    if not options.as_json:
        say(f"{options.model}: {scan.problem}\n")
        say_scan_table(scan)
    best, why = _best(scan, options)
    written = _write(scan, best, work, files)
    if options.as_json:
        found = {"source": options.model, "store": store, **scan_document(scan)}
        found |= {"seconds": time.perf_counter() - began, "written": written}
        say_json({**found, "best": None if best is None else best.index})
    else:
        _say_end(best, {"store": store, **written})
    if why is not None:
        lost = files.keys() - written.keys()
        raise InvalidOption(f"{why}" + (f"; {files['model']} is not written" if lost else ""))


@dataclass(frozen=True, eq=False)
class Work:
    """What is scanned, and what belongs to it."""

    stem: str
    model: Any
    keywords: dict[str, Any]
    names: Sequence[str] | None = None
    outputs: Sequence[str] | None = None
    data: Any = None


def _files(options: SimpleNamespace) -> dict[str, Path]:
    """What is to be written, checked before any work is done."""
    files = {}
    if options.out is not None:
        files["model"] = writable(options.out, ".json")
    if options.report:
        files["report"] = writable(options.report, ".html", ".htm")
    if options.csv:
        files["table"] = writable(options.csv, ".csv")
    return files


def _check(options: SimpleNamespace) -> None:
    """Options that contradict each other, or would do nothing."""
    if options.jobs == 0:
        raise InvalidOption("-j 0 has no meaning: write how many processes, or -1 for one a core")
    if options.degree is not None and options.basis != ["auto"]:
        raise InvalidOption("--degree 3 is short for --basis poly:3: keep one of the two")
    if "explicit" not in options.method:
        refuse(options, ("smoothness",), "is for the explicit method: add --method explicit")
    if options.dynamic:
        refuse(options, OF_MODELS, "is for models; with --narx the points are the record's")
    else:
        refuse(options, OF_RECORDS, "is for records: add --narx")


def _static(options: SimpleNamespace) -> Work:
    """Samples of a model, or those in a file."""
    problem = problem_of(options)
    if problem.samples is None:
        raise InvalidFile(
            f"{options.model} has no Jacobians, which a scan needs: `unbraid decouple "
            f"{options.model}` fits data alone"
        )
    samples = problem.samples
    check_names(samples.n_inputs, samples.n_outputs, problem.names, problem.outputs)
    keywords = {
        "held_out": options.held_out,
        "coupled_parameters": parameter_count(problem.model),
    }
    keywords |= {"names": problem.names, "output_names": problem.outputs}
    return Work(problem.stem, samples, keywords, problem.names, problem.outputs)


def _dynamic(options: SimpleNamespace) -> Work:
    """A NARX model fitted to a record."""
    records = records_of(options.model, options)
    reference = identified(records, options.narx_degree, options)
    keywords = {"data": records.train, "test": records.test, "initial": options.initial}
    data = records.test or records.train
    stem = Path(options.model).stem
    return Work(stem, reference, keywords, options.names, options.output_names, data)


def _scanned(work: Work, store: Path, options: SimpleNamespace) -> Scan:
    """Run the scan; after Ctrl-C say what is kept and how to go on."""
    from ..scans import scan

    extra = {} if options.starts is None else {"n_starts": options.starts}
    try:
        return scan(
            work.model,
            n_branches=options.branches,
            method=options.method,
            basis="auto" if options.degree else options.basis,
            degree=options.degree,
            random_state=options.seeds,
            grid=None if options.smoothness is None else {"smoothness": options.smoothness},
            store=store,
            n_jobs=options.jobs,
            **work.keywords,
            **extra,
        )
    except KeyboardInterrupt:
        _say_stopped(store)
        raise click.exceptions.Exit(130) from None


def _say_stopped(store: Path) -> None:
    from ..scans import load_scan

    try:
        count = len(load_scan(store).rows)
    except UnbraidError:
        count = 0
    note(f"stopped; {counted(count, 'finished cell')} in {store}: the same command goes on")


def _best(scan: Scan, options: SimpleNamespace) -> tuple[Row | None, UnbraidError | None]:
    """The row to recommend, or why there is none."""
    try:
        return scan.best_row(options.tolerance), None
    except UnbraidError as error:
        return None, error


def _write(scan: Scan, best: Row | None, work: Work, files: dict[str, Path]) -> dict[str, Path]:
    """Write all there is; without a best row there is no model to be written."""
    if "table" in files:
        write_scan_table(scan, files["table"])
    if "report" in files:
        from ..reports import report

        report(scan, files["report"], names=work.names, outputs=work.outputs, data=work.data)
    if best is None:
        return {what: path for what, path in files.items() if what != "model"}
    if "model" in files:
        model = best.model
        if isinstance(model, DecoupledFunction):
            model = model.named(work.names, work.outputs)
        model.save(files["model"])
    return files


def _say_end(best: Row | None, files: dict[str, Path]) -> None:
    say("\n* nothing smaller is better")
    if best is not None:
        say(
            f"best: row {best.index}, {best.label}: {best.n_parameters} numbers, error "
            f"{size(best.error)} %"
        )
    say()
    for what, path in files.items():
        say(f"{what + ':':8}{path}")
