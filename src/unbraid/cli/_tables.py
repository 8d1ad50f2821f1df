"""Columns of numbers in files, by their names: data without Jacobians, records, points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.archives import Unreadable, array_in
from .._util.validation import finite_array
from ..errors import InvalidFile, InvalidOption, UnbraidError
from ..sources._csv import POINTS, VALUES, csv_roles, jacobian_columns
from ..sources._files import NAMES, file_content, listing, mat_arrays, npz_arrays
from ..sources._text import TextTable, read_table
from ._output import note

Columns = Mapping[str, Array]  # (N,) each, or (N, k) in files of arrays
FEW = 10  # points that are fewer than inputs, and this few, must be the inputs


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of inputs (N, m) and outputs (N, n), with the names of their columns."""

    X: Array
    Y: Array
    names: list[str]
    outputs: list[str]


def columns_of(path: str | Path, headless: bool = False) -> Columns:
    """All columns of a .csv, or all arrays of an .npz or .mat, that hold numbers."""
    path = Path(path)
    if path.suffix.lower() not in (".csv", ".npz", ".mat"):
        raise InvalidFile(f"{path} is no table: it ends in none of .csv, .npz, .mat")
    if path.suffix.lower() == ".csv":
        return read_table(path, file_content(path), headless)
    return {
        name: _squeezed(array.astype(float))
        for name, array in _arrays(path).items()
        if array.dtype.kind in "fiub" and 1 <= array.ndim <= 2
    }


def _arrays(path: Path) -> dict[str, Any]:
    read = mat_arrays if path.suffix.lower() == ".mat" else npz_arrays
    return {name: np.asarray(array) for name, array in read(path, file_content(path)).items()}


def _holdings(columns: Columns) -> str:
    """What there is in a file: the names of columns, or arrays with their shapes."""
    return ", ".join(columns) if isinstance(columns, TextTable) else listing(columns)


def _squeezed(array: Array) -> Array:
    return array.ravel() if 1 in array.shape else array


def lacks_jacobians(path: str | Path) -> bool:
    """Does a file of samples hold nothing that goes by the name of a Jacobian?"""
    path = Path(path)
    if path.suffix.lower() == ".csv":
        return not jacobian_columns(read_table(path, file_content(path)).names)
    known = {name.lower() for name in NAMES["jacobians"]}
    return not any(name.lower() in known for name in _arrays(path))


def sample_names(path: Path, points: Any, values: Any) -> tuple[Any, Any]:
    """Names of the inputs and outputs of samples, where columns have names."""
    if path.suffix.lower() != ".csv":
        return None, None
    asked = {"points": points, "values": values, "jacobians": None}
    roles = csv_roles(path, read_table(path, file_content(path)).names, asked)
    return roles.points, roles.values


def table_of(
    path: str | Path, target: Sequence[str] | None, features: Sequence[str] | None
) -> Table:
    """Inputs and outputs among the columns: those named, or those with a common name."""
    columns = columns_of(path)
    if target is None:
        target = _common(columns, "values", VALUES)
        if not target:
            raise InvalidFile(
                f"{path} does not say which of its columns are outputs (it has "
                f"{_holdings(columns)}): name them with --target NAME[,NAME]"
            )
        features = features or _common(columns, "points", POINTS)
    if not features and jacobian_columns(list(columns)):
        features = _common(columns, "points", POINTS)
    elif not features:
        features = _others(path, columns, target)
    both = sorted(set(features) & set(target))
    if both:
        raise InvalidOption(f"{both[0]!r} cannot be both an input and an output")
    if not features:
        raise InvalidFile(f"{path} has no columns left to be inputs")
    Y, outputs = gathered(path, columns, target)
    X, names = gathered(path, columns, features, len(Y))
    return Table(X, Y, names, outputs)


def _others(path: str | Path, columns: Columns, target: Sequence[str]) -> list[str]:
    """All columns but the targets; those of words are left out."""
    others = [name for name in columns if name not in target]
    words = [name for name in others if isinstance(columns, TextTable) and columns.is_text(name)]
    if words:
        note(f"{path}: left out {', '.join(words)}, which holds no numbers")
    return [name for name in others if name not in words]


def _common(columns: Columns, role: str, letters: tuple[str, ...]) -> list[str]:
    """Columns of a role by their usual names: y1, y2, ..., or an array ``values``."""
    known = [name for name in NAMES[role] if name in columns]
    return _numbered(columns, letters) or known[:1]


def _numbered(columns: Columns, letters: tuple[str, ...]) -> list[str]:
    """Columns called by the first of the letters that there is, by their numbers."""
    for letter in letters:
        numbers = {}
        for name in columns:
            match = re.fullmatch(rf"{letter}_?(\d*)", name, re.IGNORECASE)
            if match:
                numbers[name] = int(match[1] or 0)
        if numbers:
            return sorted(numbers, key=lambda name: numbers[name])
    return []


def gathered(
    path: str | Path, columns: Columns, names: Sequence[str], n_rows: int | None = None
) -> tuple[Array, list[str]]:
    """The named columns side by side, (N, k), and a name for each of the k."""
    if not names:
        raise InvalidFile(f"{path} has no column of numbers; it has {_holdings(columns)}")
    parts, labels = [], []
    for name in names:
        if name not in columns:
            raise InvalidFile(f"{path} has no column {name!r}; it has {_holdings(columns)}")
        part = _upright(columns[name], n_rows)
        parts.append(part)
        labels += [name] if part.shape[1] == 1 else [f"{name}{k + 1}" for k in range(part.shape[1])]
    lengths = {len(part) for part in parts} | ({n_rows} if n_rows is not None else set())
    if len(lengths) > 1:
        raise InvalidFile(f"{path}: columns of {sorted(lengths)} rows do not belong together")
    try:
        return finite_array(", ".join(names), np.concatenate(parts, axis=1)), labels
    except UnbraidError as error:
        raise InvalidFile(f"{path}: {error}") from error


def _upright(array: Array, n_rows: int | None) -> Array:
    """(N, k), turned over where that fits the number of rows better."""
    table = array[:, None] if array.ndim == 1 else array
    turned = n_rows is not None and len(table) != n_rows and table.shape[1] == n_rows
    return table.T if turned else table


def record_of(
    path: str | Path, u: Sequence[str] | None, y: Sequence[str] | None
) -> tuple[Array, Array]:
    """Inputs (T, n_u) and outputs (T, n_y) of a record."""
    columns = columns_of(path)
    chosen = {}
    for letter, asked in (("u", u), ("y", y)):
        chosen[letter] = list(asked or _numbered(columns, (letter,)))
        if not chosen[letter]:
            raise InvalidFile(
                f"{path} has no column {letter} or {letter}1, {letter}2, ... (it has "
                f"{_holdings(columns)}): name them with --{letter} NAME[,NAME]"
            )
    every = [*chosen["u"], *chosen["y"]]
    for name in every:
        if every.count(name) > 1:
            raise InvalidFile(f"{name} is asked for twice: a column is one signal of --u or of --y")
    outputs, _ = gathered(path, columns, chosen["y"])
    if len(outputs) < outputs.shape[1]:
        outputs = outputs.T
    inputs, _ = gathered(path, columns, chosen["u"], len(outputs))
    return inputs, outputs


def flat(u: Array, y: Array) -> tuple[Array, Array]:
    """Signals, those of one channel as (T,)."""
    return (u[:, 0] if u.shape[1] == 1 else u), (y[:, 0] if y.shape[1] == 1 else y)


def points_of(path: str | Path, n_inputs: int | None = None) -> tuple[Array, list[str] | None]:
    """Operating points (N, m), and the names of their columns where the file has them."""
    path = Path(path)
    if path.suffix.lower() == ".csv":
        columns = columns_of(path, headless=True)
        table, names = gathered(path, columns, _others(path, columns, ()))
        plain = names == [f"p{k + 1}" for k in range(len(names))]
        return (_rows_of_points(path, table, n_inputs), None) if plain else (table, names)
    if path.suffix.lower() == ".npy":
        return _rows_of_points(path, _npy(path), n_inputs), None
    if path.suffix.lower() not in (".npz", ".mat"):
        raise InvalidFile(f"{path} is no file of points: it ends in none of .csv, .npy, .npz, .mat")
    columns = columns_of(path)
    known = [name for name in NAMES["points"] if name in columns] or list(columns)
    if not known or (len(columns) > 1 and known[0] not in NAMES["points"]):
        raise InvalidFile(
            f"{path} must hold one array of points, or one called points; it holds "
            f"{_holdings(columns)}"
        )
    return _rows_of_points(path, gathered(path, columns, known[:1])[0], n_inputs), None


def _rows_of_points(path: Path, table: Array, n_inputs: int | None) -> Array:
    """Points as rows, turned over where only that fits the model."""
    rows, columns = table.shape
    if n_inputs is not None:
        return table.T if columns != n_inputs == rows else table
    if rows < columns and rows < FEW:
        raise InvalidFile(
            f"{path} looks transposed: {rows} x {columns} is {rows} points of {columns} inputs; "
            f"save one point a row, or say --inputs-count {rows}"
        )
    return table


def _npy(path: Path) -> Array:
    try:
        array = array_in(file_content(path))
    except Unreadable as error:
        raise InvalidFile(f"{path} is not an .npy file of numbers: {error}") from None
    return finite_array(str(path), array[:, None] if array.ndim == 1 else array, ndim=2)
