"""Read named columns from files: data tables, records, operating points."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.archives import UnreadableArchiveError, load_array
from .._util.documents import read_bytes
from .._util.validation import finite_array
from ..errors import InvalidFileError, InvalidOptionError, UnbraidError
from ..sources._csv import (
    POINT_LETTERS,
    VALUE_LETTERS,
    find_jacobian_columns,
    find_numbered,
    find_sample_columns,
)
from ..sources._files import ARRAY_NAMES, describe_arrays, is_data_file, read_data_file
from ..sources._text import TextTable, abbreviate
from ._output import print_message

Columns = Mapping[str, Array]  # (N,) each, or (N, k) in files of arrays
SIMILARITY = 0.6  # of names that a message suggests
TRANSPOSED_BELOW = 10  # rows: a table with fewer, and with more columns than rows, is rejected


@dataclass(frozen=True, eq=False)
class DataTable:
    """Inputs (N, m) and outputs (N, n) at N points, and their column names."""

    X: Array
    Y: Array
    names: list[str]
    outputs: list[str]


def read_columns(path: str | Path, headless: bool = False) -> Columns:
    """All columns of a .csv, or all arrays of an .npz or .mat, that hold numbers."""
    if not is_data_file(path):
        raise InvalidFileError(
            f"{path} is no table: it ends in none of .csv, .npz, .mat (nor, with points, in .npy)"
        )
    found = read_data_file(Path(path), headless)
    if isinstance(found, TextTable):
        if found.units is not None:
            units = abbreviate(found.units)
            print_message(f"{path}: the row under the names, {units}, is taken as units")
        return found
    return {
        name: array.astype(float).ravel() if 1 in array.shape else array.astype(float)
        for name, array in found.items()
        if array.dtype.kind in "fiub" and 1 <= array.ndim <= 2
    }


def list_contents(columns: Columns) -> str:
    """The names of the columns, or of the arrays with their shapes."""
    return ", ".join(columns) if isinstance(columns, TextTable) else describe_arrays(columns)


def make_missing_error(
    path: str | Path, columns: Columns, name: str, remedy: str = ""
) -> InvalidFileError:
    """The error of a missing column: what the file has, similar names, the remedy."""
    similar = difflib.get_close_matches(name, list(columns), n=2, cutoff=SIMILARITY)
    lower = [known for known in columns if known.lower() == name.lower()]
    hint = " or ".join(repr(known) for known in lower or similar)
    hint = f"; did you mean {hint}?" if hint else ""
    end = f"{'' if hint else '.'} {remedy}" if remedy else ""
    return InvalidFileError(
        f"{path} has no column {name!r}; it has {list_contents(columns)}{hint}{end}"
    )


def has_jacobians(path: str | Path) -> bool:
    """Whether a file has columns or an array with a usual name of a Jacobian."""
    found = read_data_file(Path(path))
    if isinstance(found, TextTable):
        return bool(find_jacobian_columns(found))
    usual = {name.lower() for name in ARRAY_NAMES["jacobians"]}
    return any(name.lower() in usual for name in found)


def read_sample_names(path: Path, points: Any, values: Any) -> tuple[Any, Any]:
    """Names of the inputs and outputs of samples; None where columns have no names."""
    found = read_data_file(path) if path.suffix.lower() == ".csv" else None
    if not isinstance(found, TextTable):
        return None, None
    asked = {"points": points, "values": values, "jacobians": None}
    inputs, outputs, _ = find_sample_columns(found, asked)
    return inputs, outputs


def read_data_table(
    path: str | Path, target: Sequence[str] | None, features: Sequence[str] | None
) -> DataTable:
    """Inputs and outputs of a file: the columns named, or those with a usual name."""
    columns = read_columns(path)
    if target is None:
        target = _find_usual(columns, "values", VALUE_LETTERS)
        if not target:
            raise InvalidFileError(
                f"{path} does not say which of its columns are outputs (it has "
                f"{list_contents(columns)}): name them with --target NAME[,NAME]"
            )
        features = features or _find_usual(columns, "points", POINT_LETTERS)
    if not features and find_jacobian_columns(list(columns)):
        features = _find_usual(columns, "points", POINT_LETTERS)
    elif not features:
        features = _find_others(path, columns, target)
    both = sorted(set(features) & set(target))
    if both:
        raise InvalidOptionError(f"{both[0]!r} cannot be both an input and an output")
    if not features:
        raise InvalidFileError(f"{path} has no columns left to be inputs")
    Y, outputs = stack_columns(path, columns, target)
    X, names = stack_columns(path, columns, features, len(Y))
    return DataTable(X, Y, names, outputs)


def _find_others(path: str | Path, columns: Columns, target: Sequence[str]) -> list[str]:
    """All columns but the targets; columns of text are left out."""
    others = [name for name in columns if name not in target]
    text = [name for name in others if isinstance(columns, TextTable) and columns.is_text(name)]
    if text:
        print_message(f"{path}: left out {', '.join(text)}, which holds no numbers")
    return [name for name in others if name not in text]


def _find_usual(columns: Columns, role: str, letters: tuple[str, ...]) -> list[str]:
    """Columns of a role by their usual names: y1, y2, ..., or an array ``values``."""
    known = [name for name in ARRAY_NAMES[role] if name in columns]
    return list(find_numbered(columns, letters)) or known[:1]


def stack_columns(
    path: str | Path, columns: Columns, names: Sequence[str], n_rows: int | None = None
) -> tuple[Array, list[str]]:
    """The named columns side by side, (N, k), and a name for each of the k."""
    if not names:
        raise InvalidFileError(f"{path} has no column of numbers; it has {list_contents(columns)}")
    parts, labels = [], []
    for name in names:
        if name not in columns:
            raise make_missing_error(path, columns, name)
        array = columns[name]
        part = array[:, None] if array.ndim == 1 else array
        part = part.T if n_rows is not None and len(part) != n_rows == part.shape[1] else part
        parts.append(part)
        labels += [name] if part.shape[1] == 1 else [f"{name}{k + 1}" for k in range(part.shape[1])]
    lengths = {len(part) for part in parts} | ({n_rows} if n_rows is not None else set())
    if len(lengths) > 1:
        raise InvalidFileError(f"{path}: columns of {sorted(lengths)} rows do not belong together")
    try:
        return finite_array(", ".join(names), np.concatenate(parts, axis=1)), labels
    except UnbraidError as error:
        raise InvalidFileError(f"{path}: {error}") from error


def read_points(path: str | Path, n_inputs: int | None = None) -> tuple[Array, list[str] | None]:
    """Return operating points (N, m), and their column names if there are any."""
    path = Path(path)
    if path.suffix.lower() == ".npy":
        return _orient_points(path, _read_npy(path), n_inputs), None
    columns = read_columns(path, headless=True)
    if isinstance(columns, TextTable):
        table, names = stack_columns(path, columns, _find_others(path, columns, ()))
        if names != [f"p{k + 1}" for k in range(len(names))]:
            return table, names
    else:
        known = [name for name in ARRAY_NAMES["points"] if name in columns] or list(columns)
        if not known or (len(columns) > 1 and known[0] not in ARRAY_NAMES["points"]):
            raise InvalidFileError(
                f"{path} must hold one array of points, or one called points; it holds "
                f"{list_contents(columns)}"
            )
        table, _ = stack_columns(path, columns, known[:1])
    return _orient_points(path, table, n_inputs), None


def _orient_points(path: Path, table: Array, n_inputs: int | None) -> Array:
    """Points as rows; the table is transposed if only that fits the model."""
    rows, columns = table.shape
    if n_inputs is not None:
        return table.T if columns != n_inputs == rows else table
    if rows < columns and rows < TRANSPOSED_BELOW:
        raise InvalidFileError(
            f"{path} looks transposed: {rows} x {columns} is {rows} points of {columns} inputs; "
            f"save one point per row, or say --inputs-count {rows}"
        )
    return table


def _read_npy(path: Path) -> Array:
    try:
        array = load_array(read_bytes(path))
    except UnreadableArchiveError as error:
        raise InvalidFileError(f"{path} is not an .npy file of numbers: {error}") from None
    return finite_array(str(path), array[:, None] if array.ndim == 1 else array, ndim=2)
