"""``unbraid report``: write a model or a scan as an HTML page."""

from types import SimpleNamespace
from typing import Any

import click

from .._util.tables import list_names
from ..errors import InvalidFileError, InvalidOptionError
from ..model._function import DecoupledFunction
from ..narx import NARX
from ..sources import read_samples
from ..statespace import StateSpace
from ._options import NAMES_TYPE, name_options
from ._output import open_page, print_message, print_result
from ._paths import HTML, check_writable
from ._record_files import RecordColumns, read_record_file
from ._sections import define_command, option, reject_options
from ._stored import StoredModel, load_stored
from ._tables import DataTable, has_jacobians, read_data_table


@define_command(
    'unbraid report net.unbraid.json -o net.html --title "The network"',
    "unbraid report net.scan.db -o scan.html --names left,right",
    "unbraid report record.unbraid.json -o record.html --data record.csv",
)
@click.argument("file", metavar="FILE")
@option("-o", "--out", metavar="FILE.html", default="report.html", help="The page, one file.")
@option("--title", help="Title of the page.")
@option(
    "--data",
    metavar="FILE",
    help="Data for the errors (.csv, .npz, .mat); for a dynamic model a record to simulate.",
)
@option("--u", "--features", "inputs", type=NAMES_TYPE, help="Columns that are inputs.")
@option("--y", "--target", "outputs", type=NAMES_TYPE, help="Columns that are outputs.")
@option("--time", metavar="NAME", help="Column of the times of a record.")
@option("--record", metavar="NAME", help="Column that names the record of a row.")
@option("--open", "show", is_flag=True, help="Open the page in a browser.")
@name_options
def command(options: SimpleNamespace) -> None:
    """Write a report of FILE, a model or the store of a scan, as one HTML page."""
    out = check_writable(options.out, HTML)
    stored = load_stored(options.file)
    data = _read_data(stored, options)
    from ..reports import report

    linear = isinstance(stored.model, StateSpace) and stored.model.function is None
    if stored.scan is None and stored.function is None and not linear:
        raise InvalidFileError(
            f"{options.file} holds a coupled model, which has no branches to show"
        )
    path = report(
        stored.model if stored.scan is None else stored.scan,
        out,
        title=options.title,
        names=options.names,
        outputs=options.output_names,
        data=data,
    )
    print_result(str(path))
    if options.show:
        open_page(path)


def _read_data(stored: StoredModel, options: SimpleNamespace) -> Any:
    """A record (u, y) for a dynamic model; for others samples, or points and values."""
    if options.data is None:
        for columns, name in ((options.inputs, "features"), (options.outputs, "target")):
            if columns:
                raise InvalidOptionError(f"--{name} names columns of --data FILE, which is missing")
        return None
    if isinstance(stored.model, (NARX, StateSpace)):
        return _read_record(stored.model, options)
    reject_options(options, ("time", "record"), "is for records of dynamic models")
    if not (options.inputs or options.outputs) and has_jacobians(options.data):
        return read_samples(options.data)
    table = read_data_table(options.data, options.outputs, options.inputs)
    X = table.X if options.inputs else _match_inputs(table, stored.function)
    return X, table.Y


def _read_record(model: NARX | StateSpace, options: SimpleNamespace) -> tuple[Any, Any]:
    """The columns with the names of the model, or those that the options name."""
    u, y = options.inputs or model.input_names, options.outputs or model.output_names
    file = read_record_file(options.data, RecordColumns(u, y, options.time, options.record))
    for notice in file.notices:
        print_message(notice)
    return file.u, file.y


def _match_inputs(table: DataTable, d: DecoupledFunction | None) -> Any:
    """The inputs in the order of the function, if the file has any of their names."""
    known = None if d is None else d.input_names
    if known is None or not set(known) & set(table.names):
        return table.X
    missing = [name for name in known if name not in table.names]
    if missing:
        raise InvalidFileError(
            f"the file of --data has no column {list_names(missing)}, an input of the model; name "
            f"its columns with --features"
        )
    return table.X[:, [table.names.index(name) for name in known]]
