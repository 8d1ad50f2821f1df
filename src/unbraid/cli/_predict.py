"""``unbraid predict``: evaluate a static model on a table of points."""

from collections.abc import Sequence
from types import SimpleNamespace

import click
import numpy as np

from .._typing import Array
from .._util.validation import count_noun
from ..errors import InvalidFileError, InvalidOptionError
from ..model._function import DecoupledFunction
from ..narx import NARX
from ..sources._csv import POINT_LETTERS, VALUE_LETTERS, find_numbered
from ..statespace import StateSpace
from . import _options as opt
from ._output import print_json, print_message
from ._output_tables import (
    join_cells,
    make_table_document,
    measure_errors,
    name_columns,
    publish_table,
)
from ._paths import check_output_files
from ._sections import define_command, option
from ._stored import load_stored
from ._tables import Columns, list_contents, make_missing_error, read_columns, stack_columns

INSIDE = "inside"  # column of 1 and 0: whether a point is in the range of the data


@define_command(
    "unbraid predict net.unbraid.json points.csv",
    "unbraid predict net.unbraid.json points.csv -o predicted.csv",
    "unbraid predict net.unbraid.json data.csv --features speed,load --target force --json",
)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@option(
    "--features",
    type=opt.NAMES_TYPE,
    section="The points",
    help="Columns that are inputs, in the order of the model; by default those of its names.",
)
@option(
    "--target",
    type=opt.NAMES_TYPE,
    section="The points",
    help="Columns of measured outputs, for the error.",
)
@option("--row", type=opt.INDEX_TYPE, section="The points", help="Row of a scan, for its model.")
@opt.output_option("-o", "--out", metavar="FILE.csv", help="The table.  [default: printed]")
@opt.json_option
def command(options: SimpleNamespace) -> None:
    """Evaluate MODEL, a decoupled function, at the points of DATA.

    DATA is a .csv, .npz or .mat file, one point per row; columns are found by the names of the
    inputs. The table has the inputs, the predicted outputs, the measured ones where DATA has them,
    and the column inside: 0 where a point is outside of the range of the data of the model.
    """
    file = check_output_files(table=(options.out, (".csv",))).get("table")
    d = _load_function(options)
    columns = read_columns(options.data, headless=True)
    points, names = _read_points(d, columns, options)
    measured, outputs = _read_outputs(d, columns, options, len(points))
    values, inside = d(points, return_inside=True)
    outside = int(np.sum(~inside))
    if outside:
        print_message(
            f"{count_noun(outside, 'point')} of {len(points)} outside of the range of the data: "
            f"the model extrapolates there"
        )
    errors = [] if measured is None else measure_errors(outputs, measured, values)
    cells = join_cells(
        options.data,
        name_columns(names, points),
        {} if measured is None else name_columns(outputs, measured),
        name_columns(outputs, values, "_predicted"),
        {INSIDE: inside.astype(int).tolist()},
    )
    if options.as_json:
        document = {"model": options.model, "data": options.data, "n_points": len(points)}
        document |= {"n_outside": outside, "warnings": options.warnings}
        print_json({**document, **make_table_document(cells, errors, file)})
    else:
        publish_table(cells, errors, file)


def _load_function(options: SimpleNamespace) -> DecoupledFunction:
    model = load_stored(options.model, options.row).model
    if isinstance(model, (NARX, StateSpace)):
        raise InvalidOptionError(
            f"{options.model} holds a dynamic model, whose outputs depend on the past: use "
            f"`unbraid simulate {options.model} {options.data}`"
        )
    if not isinstance(model, DecoupledFunction):
        raise InvalidFileError(f"{options.model} holds no model that can be evaluated")
    return model


def _read_points(
    d: DecoupledFunction, columns: Columns, options: SimpleNamespace
) -> tuple[Array, list[str]]:
    """The inputs (N, m) in the order of the model, and the names of their columns."""
    names = options.features or d.input_names
    if names is None:
        names = list(find_numbered(columns, POINT_LETTERS))
        names = names if len(names) == d.n_inputs else list(columns)
    for name in names:
        if name not in columns:
            remedy = "Rename it, or name the inputs in the order of the model with --features."
            raise make_missing_error(options.data, columns, name, remedy)
    points, labels = stack_columns(options.data, columns, names)
    if points.shape[1] != d.n_inputs:
        raise InvalidFileError(
            f"{options.data}: {', '.join(labels)} are {count_noun(len(labels), 'column')}, the "
            f"model has {count_noun(d.n_inputs, 'input')}: name them with --features (the file has "
            f"{list_contents(columns)})"
        )
    return points, labels


def _read_outputs(
    d: DecoupledFunction, columns: Columns, options: SimpleNamespace, n_points: int
) -> tuple[Array | None, Sequence[str]]:
    """Measured outputs (N, n), if the file has them, and the names of the outputs."""
    names = options.target or d.output_names or list(find_numbered(columns, VALUE_LETTERS))
    if options.target is None and not (names and all(name in columns for name in names)):
        return None, d.output_names or _number_outputs(d.n_outputs)
    measured, labels = stack_columns(options.data, columns, names, n_points)
    if measured.shape[1] == d.n_outputs:
        return measured, labels
    if options.target is None:
        return None, _number_outputs(d.n_outputs)
    raise InvalidOptionError(
        f"--target names {count_noun(len(labels), 'output')}, the model has {d.n_outputs}"
    )


def _number_outputs(count: int) -> list[str]:
    return ["f"] if count == 1 else [f"f{k + 1}" for k in range(count)]
