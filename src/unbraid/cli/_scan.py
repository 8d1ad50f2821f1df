"""``unbraid scan``: decouple with many settings and compare the results."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from .._util.validation import count_noun
from ..errors import InvalidFileError, InvalidOptionError, UnbraidError
from ..sources import parameter_count
from . import _dynamics as dynamics
from . import _options as opt
from ._models import read_model_input
from ._output import format_error, print_files, print_json, print_message, print_result
from ._paths import HTML, JSON, check_output_files, check_writable
from ._scan_table import make_scan_document, print_scan_table, write_scan_table
from ._sections import define_command, option, reject_options
from ._tables import DataTable

if TYPE_CHECKING:
    from ..scans import Row, Scan

BRANCHES_LIST = opt.ParsedText("LIST|auto", opt.parse_branch_counts)
METHOD_LIST = opt.list_type("LIST", opt.parse_method)
BASIS_LIST = opt.list_type("LIST", opt.parse_basis)
INTEGER_LIST = opt.ParsedText("LIST", opt.parse_integers)
FLOAT_LIST = opt.list_type("LIST", opt.parse_float)
run_option = partial(option, section="The run")


@define_command(
    "unbraid scan net.onnx --box -1:1 -r 1:3 --degree 5",
    "unbraid scan model:f --box -1:1,-2:2 -r 1,2 --method varpro,implicit "
    "--basis poly:3,spline:8 -j 2",
    "unbraid scan samples.npz -r 2 --degree 2:4 --seeds 0:1 --report samples.html "
    "--csv samples-scan.csv",
    "unbraid scan record.csv --narx -r 1:2 --store record.db",
    "unbraid scan record.csv --states 1:2 -r 1 --basis poly:3 --starts 1 --store states.db",
)
@click.argument("model", metavar="MODEL|DATA")
@opt.sampling_options
@opt.fit_option(
    "-r",
    "--branches",
    type=BRANCHES_LIST,
    default="1:6",
    help="Numbers of branches: 1:6, or 1,2,4; auto finds one.",
)
@opt.fit_option(
    "--method", type=METHOD_LIST, default="varpro", help="varpro, implicit, explicit or cpd."
)
@opt.fit_option("--basis", type=BASIS_LIST, default="auto", help=f"auto, {opt.BASIS_EXAMPLES}.")
@opt.fit_option("--degree", type=INTEGER_LIST, help="Degrees of polynomials, instead of --basis.")
@opt.fit_option("--seeds", type=INTEGER_LIST, default="0", help="Seeds of the search.")
@opt.fit_option("--smoothness", type=FLOAT_LIST, help="For the explicit method: values of lambda.")
@opt.fit_option(
    "--held-out", type=opt.SHARE_TYPE, default=0.2, help="Share of the points kept for the error."
)
@opt.starts_option
@opt.fit_option(
    "--tolerance",
    type=opt.TOLERANCE_TYPE,
    help="Error in % that the best model may have.  [default: about the least one]",
)
@run_option(
    "--store", metavar="FILE.db", help="The finished cells.  [default: NAME.scan.db after MODEL]"
)
@run_option("-j", "--jobs", type=int, default=1, help="Processes; -1 for one per core.")
@run_option("--seed", type=opt.INDEX_TYPE, default=0, help="Seed of the points in the box.")
@dynamics.record_option(
    "--narx", "dynamic", is_flag=True, help="DATA is a record: compare decoupled NARX models."
)
@dynamics.record_option(
    "--states", type=INTEGER_LIST, help="DATA is a record: compare models with so many states."
)
@dynamics.record_options
@dynamics.coupled_option(
    "--narx-degree", type=opt.COUNT_TYPE, default=3, help="Degree of the polynomial."
)
@opt.name_options
@opt.output_option("-o", "--out", metavar="FILE.json", help="Also write the best model.")
@opt.report_option
@opt.output_option("--csv", metavar="FILE.csv", help="Also write the table.")
@opt.json_option
def command(options: SimpleNamespace) -> None:
    """Decouple MODEL with every combination of the given lists, and compare.

    MODEL is the same as for `unbraid decouple`. Every finished cell is stored at once: after Ctrl-C
    or a crash the same command continues where it stopped. Ranges include both ends.
    """
    _check_options(options)
    files = check_output_files(
        model=(options.out, JSON), report=(options.report, HTML), table=(options.csv, (".csv",))
    )
    started = time.perf_counter()
    source = _prepare_source(options)
    store = check_writable(options.store or f"{source.stem}.scan.db")
    scan = _run_scan(source, store, options)
    if not options.as_json:
        print_result(f"{options.model}: {scan.problem}\n")
        print_scan_table(scan)
    best, reason = _find_best(scan, options)
    written = _write_files(scan, best, source, files)
    if options.as_json:
        document = {"source": options.model, "store": store, **make_scan_document(scan)}
        document |= {"seconds": time.perf_counter() - started, "written": written}
        print_json({**document, "best": None if best is None else best.index})
    else:
        _print_best(best)
        print_files({"store": store, **written})
    if reason is not None:
        skipped = f"; {files['model']} is not written" if "model" in files else ""
        raise InvalidOptionError(f"{reason}{skipped}")


@dataclass(frozen=True, eq=False)
class ScanSource:
    """The model to scan, arguments of the scan, and what its report needs."""

    stem: str
    model: Any
    arguments: dict[str, Any]
    names: Sequence[str] | None = None
    outputs: Sequence[str] | None = None
    data: Any = None


def _check_options(options: SimpleNamespace) -> None:
    """Reject options that contradict each other or would have no effect."""
    if options.jobs == 0:
        raise InvalidOptionError(
            "-j 0 has no meaning: write how many processes, or -1 for one per core"
        )
    if options.degree is not None and options.basis != ["auto"]:
        raise InvalidOptionError("--degree 3 is short for --basis poly:3: keep one of the two")
    if "explicit" not in options.method:
        reject_options(
            options, ("smoothness",), "is for the explicit method: add --method explicit"
        )
    of_narx = ["input_lags", "output_lags", "ridge", "narx_degree"]
    if options.states is not None:
        if options.dynamic:
            raise InvalidOptionError("--narx and --states are two kinds of models: keep one")
        if min(options.states) < 1:
            raise InvalidOptionError("--states 0 is no dynamic model: write 1 or more")
        reject_options(options, [*of_narx, "method"], "does not apply to state-space models")
    if options.dynamic or options.states is not None:
        of_models = ["points", "box", "n_points", "inputs_count", "target", "features"]
        flag = "--narx" if options.dynamic else "--states"
        reason = f"is for models; with {flag} the record has the points"
        reject_options(options, [*of_models, "held_out", "seed"], reason)
    else:
        of_records = ["u", "y", "time", "record", "sampling_time", "test", "test_share", "initial"]
        reason = "is for records: add --narx or --states"
        reject_options(options, [*of_records, *of_narx], reason)


def _prepare_source(options: SimpleNamespace) -> ScanSource:
    if options.states is not None:
        return _prepare_states(options)
    return _prepare_dynamic(options) if options.dynamic else _prepare_static(options)


def _prepare_static(options: SimpleNamespace) -> ScanSource:
    """Samples of a model, or samples in a file."""
    source = read_model_input(options)
    samples, names, outputs = source.data, source.names, source.outputs
    if isinstance(samples, DataTable):
        raise InvalidFileError(
            f"{options.model} has no Jacobians, which a scan needs: `unbraid decouple "
            f"{options.model}` fits data alone"
        )
    arguments = {
        "held_out": options.held_out,
        "coupled_parameters": parameter_count(source.model),
        "names": names,
        "output_names": outputs,
    }
    return ScanSource(source.stem, samples, arguments, names, outputs)


def _prepare_dynamic(options: SimpleNamespace) -> ScanSource:
    """A NARX model fitted to a record."""
    records = dynamics.read_records(options.model, options)
    coupled = dynamics.identify_model(records, options.narx_degree, options)
    arguments = {"data": records.train, "test": records.test, "initial": options.initial}
    data = records.test or records.train
    stem = Path(options.model).stem
    return ScanSource(stem, coupled, arguments, options.names, options.output_names, data)


def _prepare_states(options: SimpleNamespace) -> ScanSource:
    """The linear state-space model with the most states."""
    from ..statespace import fit_linear

    records = dynamics.read_records(options.model, options)
    linear = fit_linear(*records.train, max(options.states), sampling_time=records.sampling_time)
    arguments = {"data": records.train, "test": records.test, "initial": options.initial}
    arguments |= {"n_states": options.states}
    data = records.test or records.train
    stem = Path(options.model).stem
    return ScanSource(stem, linear, arguments, options.names, options.output_names, data)


def _run_scan(source: ScanSource, store: Path, options: SimpleNamespace) -> Scan:
    """Run the scan; after Ctrl-C print how many cells are kept and how to continue."""
    from ..scans import scan

    extra = {} if options.starts is None else {"n_starts": options.starts}
    try:
        return scan(
            source.model,
            n_branches=options.branches,
            method=options.method,
            basis="auto" if options.degree else options.basis,
            degree=options.degree,
            random_state=options.seeds,
            grid=None if options.smoothness is None else {"smoothness": options.smoothness},
            store=store,
            n_jobs=options.jobs,
            **source.arguments,
            **extra,
        )
    except KeyboardInterrupt:
        cells = count_noun(_count_finished(store), "finished cell")
        print_message(f"stopped; {cells} in {store}: the same command continues")
        raise click.exceptions.Exit(130) from None


def _count_finished(store: Path) -> int:
    from ..scans import load_scan

    try:
        return len(load_scan(store).rows)
    except UnbraidError:
        return 0


def _find_best(scan: Scan, options: SimpleNamespace) -> tuple[Row | None, UnbraidError | None]:
    """The best row, or the reason why there is none."""
    try:
        return scan.best_row(options.tolerance), None
    except UnbraidError as error:
        return None, error


def _write_files(
    scan: Scan, best: Row | None, source: ScanSource, files: dict[str, Path]
) -> dict[str, Path]:
    """Write the files and return those written; without a best row there is no model."""
    if "table" in files:
        write_scan_table(scan, files["table"])
    if "report" in files:
        from ..reports import report

        report(scan, files["report"], names=source.names, outputs=source.outputs, data=source.data)
    if best is None:
        return {kind: path for kind, path in files.items() if kind != "model"}
    if "model" in files:
        best.model.save(files["model"])
    return files


def _print_best(best: Row | None) -> None:
    print_result("\n* no smaller model has a smaller error (Pareto front)")
    if best is not None:
        print_result(
            f"best: row {best.index}, {best.label}: {best.n_parameters} parameters, error "
            f"{format_error(best.error)} %"
        )
    print_result()
