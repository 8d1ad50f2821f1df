"""``unbraid simulate``: simulate a dynamic model on a record."""

from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from .._typing import Array
from ..errors import DivergenceError, InvalidFileError, InvalidOptionError
from ..model._function import DecoupledFunction
from ..narx import NARX
from ..narx._lags import name_channels
from ..statespace import StateSpace
from . import _options as opt
from ._dynamics import choose_initial, record_option
from ._output import print_json, print_message
from ._output_tables import (
    Cells,
    OutputError,
    join_cells,
    make_table_document,
    measure_errors,
    name_columns,
    publish_table,
)
from ._paths import check_output_files
from ._record_files import RecordColumns, RecordFile, check_rate, read_record_file
from ._sections import define_command, option, reject_options
from ._stored import load_stored

NUMBERS_TYPE = opt.list_type("X,X", opt.parse_float)
Model = NARX | StateSpace


@define_command(
    "unbraid simulate tank.unbraid.json tank.csv --time t -o simulated.csv",
    "unbraid simulate states.json record.csv --x0 0,0.5",
    "unbraid simulate record.unbraid.json record.csv --initial-outputs 0 --json",
)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@record_option("--u", type=opt.NAMES_TYPE, help="Inputs; by default the names of the model.")
@record_option("--y", type=opt.NAMES_TYPE, help="Measured outputs; by default those of the model.")
@record_option("--time", metavar="NAME", help="Column of times: seconds, or ISO dates.")
@record_option("--record", metavar="NAME", help="Column that names the record of a row.")
@option(
    "--initial",
    type=opt.INDEX_TYPE,
    section="The start",
    help="First measured outputs to start from.  [default: longest lag; 50 for states]",
)
@option(
    "--initial-outputs",
    type=NUMBERS_TYPE,
    section="The start",
    help="Past outputs of a NARX model, one value per output, where none are measured.",
)
@option(
    "--x0",
    type=NUMBERS_TYPE,
    section="The start",
    help="Initial state.  [default: from the measured outputs, else the steady state]",
)
@option("--row", type=opt.INDEX_TYPE, section="Scans", help="Row of a scan, for its model.")
@opt.output_option("-o", "--out", metavar="FILE.csv", help="The table.  [default: printed]")
@opt.json_option
def command(options: SimpleNamespace) -> None:
    """Simulate MODEL, a NARX or state-space model, with the inputs of DATA.

    DATA is a .csv, .npz or .mat file; columns are found by the names of the signals. The table has
    the time (or the sample), the inputs, the measured outputs where DATA has them, and the
    simulated ones. Errors are those after the initial samples. With --time, gaps and times that go
    back split DATA into several records, each of which is simulated by itself.
    """
    file = check_output_files(table=(options.out, (".csv",))).get("table")
    model = _load_model(options)
    record = _read_record(model, options)
    firsts = [_choose_start(model, record, k, options) for k in range(len(record.inputs))]
    simulated = [_simulate(model, record, k, first, options) for k, first in enumerate(firsts)]
    outputs = _name_outputs(model, record, simulated[0].shape[1])
    errors = _measure_errors(record, outputs, simulated, [len(first) for first in firsts])
    cells = _make_cells(record, outputs, simulated, model.sampling_time, options)
    if options.as_json:
        document = {"model": options.model, "data": options.data, "n_samples": record.n_samples}
        document |= {"n_records": len(record.inputs), "sampling_time": record.sampling_time}
        document |= {"notices": record.notices, "warnings": options.warnings}
        print_json({**document, **make_table_document(cells, errors, file)})
    else:
        publish_table(cells, errors, file)


def _load_model(options: SimpleNamespace) -> Model:
    model = load_stored(options.model, options.row).model
    if isinstance(model, DecoupledFunction):
        raise InvalidOptionError(
            f"{options.model} holds a static function, without a past: use `unbraid predict "
            f"{options.model} {options.data}`"
        )
    if not isinstance(model, (NARX, StateSpace)):
        raise InvalidFileError(f"{options.model} holds no model that can be simulated")
    if isinstance(model, NARX):
        reject_options(options, ("x0",), "is for state-space models; a NARX model has no states")
    else:
        reason = "is for NARX models; --x0 sets the initial state of a state-space model"
        reject_options(options, ("initial_outputs",), reason)
    if options.x0:
        reject_options(options, ("initial",), "and --x0 both set the initial state: keep one")
    return model


def _read_record(model: Model, options: SimpleNamespace) -> RecordFile:
    """The inputs, and the outputs where the file has them; notices are printed."""
    chosen = RecordColumns(
        options.u or model.input_names,
        options.y or model.output_names,
        options.time,
        options.record,
    )
    needs_outputs = options.y is not None
    record = read_record_file(options.data, chosen, needs_outputs=needs_outputs)
    for flag, found, known in (
        ("--u", record.names, model.input_names),
        ("--y", record.output_names, model.output_names),
    ):
        if known is not None and found and len(found) != len(known):
            raise InvalidOptionError(
                f"{flag} names {len(found)} columns ({', '.join(found)}), the model has "
                f"{len(known)} ({', '.join(known)})"
            )
    for notice in record.notices:
        print_message(notice)
    if record.sampling_time is not None and model.sampling_time is not None:
        check_rate(options.data, record.sampling_time, options.model, model.sampling_time)
    return record


def _choose_start(model: Model, record: RecordFile, k: int, options: SimpleNamespace) -> Array:
    """The first outputs (T0, n) of a record: measured or given; none: steady state."""
    measured = None if record.outputs is None else record.outputs[k]
    if isinstance(model, StateSpace):
        if measured is None or options.x0:
            return np.zeros((0, model.n_outputs))
        return measured[: choose_initial(len(measured), options.initial)]
    n_inputs = record.inputs[k].shape[1]
    if options.initial_outputs:
        values = np.array([options.initial_outputs])
        longest = model.lags(n_inputs, values.shape[1]).longest
        return np.repeat(values, max(longest, 1), axis=0)
    if measured is None:
        names = ", ".join(model.output_names or ("y",))
        raise InvalidFileError(
            f"{options.data} has no measured outputs ({names}) to start the NARX model from: name "
            f"them with --y, or give their past as --initial-outputs VALUE[,VALUE], say 0"
        )
    longest = model.lags(n_inputs, measured.shape[1]).longest
    return measured[: max(longest, 1) if options.initial is None else options.initial]


def _simulate(
    model: Model, record: RecordFile, k: int, first: Array, options: SimpleNamespace
) -> Array:
    """The simulated outputs (T, n) of one record."""
    u = record.inputs[k]
    try:
        if isinstance(model, NARX):
            return np.asarray(model.simulate(u, first))
        initial = first if len(first) else None
        return np.asarray(model.simulate(u, initial, x0=options.x0)).reshape(len(u), -1)
    except DivergenceError as error:
        raise _name_place(error, record, k, model.sampling_time) from None


def _measure_errors(
    record: RecordFile, outputs: list[str], simulated: list[Array], skipped: list[int]
) -> list[OutputError]:
    """The errors after the initial samples; none where no outputs were measured."""
    if record.outputs is None:
        return []
    measured, computed = (
        np.concatenate([y[n:] for y, n in zip(signals, skipped, strict=True)])
        for signals in (record.outputs, simulated)
    )
    return measure_errors(outputs, measured, computed)


def _name_place(
    error: DivergenceError, record: RecordFile, k: int, sampling_time: float | None
) -> DivergenceError:
    """The error of a divergence with its time and record."""
    where, times = f"sample {error.sample}", record.times[k]
    if times is not None:
        where += f" (time {times[error.sample]:.6g} s)"
    elif sampling_time is not None:
        where += f" (time {error.sample * sampling_time:.6g} s)"
    where += f" of record {record.labels[k]}" if len(record.inputs) > 1 else ""
    return DivergenceError(
        f"{record.path}: the simulation diverges at {where}, and nothing is written: compare the "
        f"inputs with those that the model was fitted to, or start it elsewhere (--initial, "
        f"--initial-outputs, --x0)",
        error.sample,
        k,
        error.y,
    )


def _name_outputs(model: Model, record: RecordFile, count: int) -> list[str]:
    names = record.output_names if record.outputs is not None else model.output_names
    return name_channels("y", count, names)


def _make_cells(
    record: RecordFile,
    outputs: list[str],
    simulated: list[Array],
    sampling_time: float | None,
    options: SimpleNamespace,
) -> Cells:
    """The columns of the table, all records one below the other."""
    measured = record.outputs
    return join_cells(
        record.path,
        _make_axis(record, sampling_time, options),
        name_columns(record.names, np.concatenate(record.inputs)),
        {} if measured is None else name_columns(outputs, np.concatenate(measured)),
        name_columns(outputs, np.concatenate(simulated), "_simulated"),
    )


def _make_axis(record: RecordFile, sampling_time: float | None, options: SimpleNamespace) -> Cells:
    """The records of the rows, if there are several, and their times or samples."""
    cells: dict[str, list[Any]] = {}
    lengths = [len(u) for u in record.inputs]
    if len(lengths) > 1:
        pairs = zip(record.labels, lengths, strict=True)
        cells[options.record or "record"] = [label for label, n in pairs for _ in range(n)]
    if options.time is not None:
        cells[options.time] = [_plain(t) for stamps in record.stamps for t in stamps or ()]
    elif sampling_time is not None:
        cells["time"] = [float(f"{k * sampling_time:.12g}") for n in lengths for k in range(n)]
    else:
        cells["sample"] = [k for n in lengths for k in range(n)]
    return cells


def _plain(stamp: Any) -> Any:
    """A time stamp as a float or as text."""
    return stamp if isinstance(stamp, str) else float(stamp)
