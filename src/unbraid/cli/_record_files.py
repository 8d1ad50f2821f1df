"""Read records of dynamic systems from files, with names, times and notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import count_noun
from ..dynamics._time_axis import MAX_RATE_DIFFERENCE, TimeAxis, read_time_axis
from ..errors import InvalidFileError
from ..sources._csv import find_numbered
from ..sources._text import TextTable
from ._tables import Columns, list_contents, make_missing_error, read_columns, stack_columns

MIN_RECORD_SAMPLES = 10  # shorter parts between two gaps are left out


@dataclass(frozen=True)
class RecordColumns:
    """Which columns of a file are what; None where a column is not named."""

    u: Sequence[str] | None = None
    y: Sequence[str] | None = None
    time: str | None = None
    record: str | None = None
    sampling_time: float | None = None


@dataclass(frozen=True, eq=False)
class RecordFile:
    """The records of a file, one array per record, and what is known of them."""

    path: str
    inputs: list[Array]  # (T, n_u) each
    outputs: list[Array] | None  # (T, n_y) each; None: no outputs were measured
    names: tuple[str, ...]
    output_names: tuple[str, ...]
    sampling_time: float | None  # seconds
    times: list[Array | None]  # (T,) seconds each; None without a column of times
    stamps: list[list[Any] | None]  # the cells of that column, as in the file
    labels: list[str]  # of the records
    notices: list[str]  # gaps, restarts, parts that are left out

    @property
    def u(self) -> Any:
        """Inputs as model functions take them: an array, or a list for several records."""
        return join_records(self.inputs)

    @property
    def y(self) -> Any:
        """Outputs in the same way; only for files with outputs."""
        assert self.outputs is not None
        return join_records(self.outputs)

    @property
    def n_samples(self) -> int:
        return sum(map(len, self.inputs))


def join_records(signals: list[Array]) -> Any:
    """One record as an array, several as a list; a single channel is (T,)."""
    flat = [x[:, 0] if x.shape[1] == 1 else x for x in signals]
    return flat[0] if len(flat) == 1 else flat


def read_record_file(
    path: str | Path,
    chosen: RecordColumns,
    *,
    needs_outputs: bool = True,
    least: int = MIN_RECORD_SAMPLES,
) -> RecordFile:
    """Read the records of a .csv, .npz or .mat file.

    A file holds several records if its time goes back, has gaps, or if a column names the record of
    every row. Without ``needs_outputs``, the outputs may all be missing. Of several records those
    with fewer than ``least`` samples are left out.
    """
    columns = read_columns(path)
    u_names, y_names = _choose_signals(path, columns, chosen, needs_outputs)
    _check_distinct([*u_names, *y_names, *filter(None, (chosen.time, chosen.record))], chosen)
    outputs, output_names = None, tuple(y_names)
    if y_names:
        outputs, output_names = _read_signal(path, columns, y_names)
    n_rows = None if outputs is None else len(outputs)
    inputs, names = _read_signal(path, columns, u_names, n_rows)
    parts, sampling_time, notices = _find_parts(path, columns, chosen, len(inputs))
    parts, left_out = _leave_out_short(path, parts, least)
    return RecordFile(
        str(path),
        [inputs[part.rows] for part in parts],
        None if outputs is None else [outputs[part.rows] for part in parts],
        names,
        output_names,
        sampling_time,
        [part.times for part in parts],
        [part.stamps for part in parts],
        [part.label for part in parts],
        [*notices, *left_out],
    )


def _choose_signals(
    path: str | Path, columns: Columns, chosen: RecordColumns, needs_outputs: bool
) -> tuple[list[str], list[str]]:
    """Columns of inputs and outputs: given, or u1, u2, ... and y1, y2, ..."""
    found = []
    for letter, names in (("u", chosen.u), ("y", chosen.y)):
        listed = list(names or find_numbered(columns, letter))
        if letter == "y" and not needs_outputs and not any(name in columns for name in listed):
            listed = []
        for name in listed:
            if name not in columns:
                raise make_missing_error(path, columns, name, f"--{letter} names the columns.")
        if not listed and (letter == "u" or needs_outputs):
            raise InvalidFileError(
                f"{path} has no column {letter} or {letter}1, {letter}2, ... (it has "
                f"{list_contents(columns)}): name them with --{letter} NAME[,NAME]"
            )
        found.append(listed)
    return found[0], found[1]


def _check_distinct(names: list[str], chosen: RecordColumns) -> None:
    for name in names:
        if names.count(name) > 1:
            others = ["--time"] * (chosen.time is not None)
            others += ["--record"] * (chosen.record is not None)
            roles = " or of ".join(["--u", "--y", *others])
            raise InvalidFileError(f"{name} is named twice: a column is one signal of {roles}")


def _read_signal(
    path: str | Path, columns: Columns, names: list[str], n_rows: int | None = None
) -> tuple[Array, tuple[str, ...]]:
    """A signal (T, channels) and a name per channel; those of an array are numbered."""
    signal, labels = stack_columns(path, columns, names, n_rows)
    if n_rows is None and len(signal) < signal.shape[1]:
        signal = signal.T
    if len(labels) != signal.shape[1]:
        labels = [f"{names[0]}{k + 1}" for k in range(signal.shape[1])]
    return signal, tuple(labels)


@dataclass(frozen=True, eq=False)
class _RecordRows:
    """The rows of one record, and their times."""

    label: str
    rows: slice
    times: Array | None = None
    stamps: list[Any] | None = None

    def __len__(self) -> int:
        return int(self.rows.stop - self.rows.start)


def _find_parts(
    path: str | Path, columns: Columns, chosen: RecordColumns, n_rows: int
) -> tuple[list[_RecordRows], float | None, list[str]]:
    """Split the rows of a file by label and by time.

    Returns the parts, the sampling time, and what is to be said about them.
    """
    named = _split_by_label(path, columns, chosen.record, n_rows)
    if chosen.time is None:
        return named, chosen.sampling_time, []
    column = _read_stamps(path, columns, chosen.time, n_rows)
    axes = _read_axes(f"{path}: {chosen.time}", column, named)
    parts: list[_RecordRows] = []
    notices: list[str] = []
    for whole, axis in zip(named, axes, strict=True):
        where = f"{path}: " if chosen.record is None else f"{path}: record {whole.label}: "
        notices += [f"{where}{notice}" for notice in axis.notices]
        for part in axis.segments:
            rows = slice(whole.rows.start + part.start, whole.rows.start + part.stop)
            label = str(len(parts) + 1) if chosen.record is None else whole.label
            parts.append(_RecordRows(label, rows, axis.times[part], list(column[rows])))
    return parts, axes[0].sampling_time, notices


def _leave_out_short(
    path: str | Path, parts: list[_RecordRows], least: int
) -> tuple[list[_RecordRows], list[str]]:
    """Of several parts those that are long enough; a notice about the others."""
    kept = [part for part in parts if len(part) >= least]
    if not kept or len(kept) == len(parts):
        return parts, []  # where all are too short, the model says how many samples it needs
    left_out = count_noun(len(parts) - len(kept), "record")
    return kept, [f"{path}: {left_out} of fewer than {least} samples left out"]


def _split_by_label(
    path: str | Path, columns: Columns, name: str | None, n_rows: int
) -> list[_RecordRows]:
    """The rows of each record that a column names, or all rows."""
    if name is None:
        return [_RecordRows("1", slice(0, n_rows))]
    column = np.array(_read_stamps(path, columns, name, n_rows))
    cuts = np.flatnonzero(column[1:] != column[:-1]) + 1
    edges = [0, *cuts.tolist(), n_rows]
    values = column[edges[:-1]].tolist()
    labels = [f"{value:g}" if isinstance(value, float) else value for value in values]
    repeated = [label for label in labels if labels.count(label) > 1]
    if repeated:
        raise InvalidFileError(
            f"{path}: the rows of record {repeated[0]!r} of --record {name} are not together: sort "
            f"the rows by record and time"
        )
    pairs = zip(labels, pairwise(edges), strict=True)
    return [_RecordRows(label, slice(*edge)) for label, edge in pairs]


def _read_stamps(path: str | Path, columns: Columns, name: str, n_rows: int) -> Any:
    """A column of numbers (T,), or of text."""
    if isinstance(columns, TextTable) and name in columns and columns.is_text(name):
        return columns.read_text(name)
    return stack_columns(path, columns, [name], n_rows)[0][:, 0]


def _read_axes(name: str, column: Any, named: list[_RecordRows]) -> list[TimeAxis]:
    """The time axis of each record; their sampling times must agree."""
    names = [f"{name} of record {part.label}" if len(named) > 1 else name for part in named]
    axes = [
        read_time_axis(column[part.rows], name=what)
        for what, part in zip(names, named, strict=True)
    ]
    for what, axis in zip(names, axes, strict=True):
        check_rate(what, axis.sampling_time, names[0], axes[0].sampling_time)
    return axes


def check_rate(what: str, found: float, other: str, expected: float) -> None:
    """Refuse a sampling time that differs from another one."""
    if abs(found - expected) > MAX_RATE_DIFFERENCE * expected:
        raise InvalidFileError(
            f"{what} has a sampling time of {found:.4g} s, {other} of {expected:.4g} s: resample "
            f"one of them"
        )
