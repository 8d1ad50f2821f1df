"""Tables of text as programs write them: names and numbers, whatever stands between them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from .._typing import Array
from ..errors import InvalidFile

DELIMITERS = ";\t,"  # in this order: a comma may be that of a number where there are others
MISSING = frozenset(("", "na", "n/a", "#n/a", "nan", "null", "none", "-", "?"))
INDEX = ("", "Unnamed: 0")  # what a first column of row numbers is called
Lines = list[tuple[int, str]]  # with the number of each in the file
FEW, LETTERS = 12, 60  # names in a message, and letters of each


@dataclass(frozen=True, eq=False)
class TextTable(Mapping[str, Array]):
    """Columns by name. A column is made of numbers when it is asked for: others may be anything."""

    path: Path
    header: list[str]
    lines: list[int]  # where the rows are in the file
    rows: list[list[str]] | Array
    delimiter: str

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where the columns of every name are; that of row numbers is left out."""
        places: dict[str, list[int]] = {}
        first = 1 if self.header[0] in INDEX else 0
        for place, name in enumerate(self.header[first:], start=first):
            if name:
                places.setdefault(name, []).append(place)
        return places

    @property
    def names(self) -> list[str]:
        """Of all columns that have one."""
        first = 1 if self.header[0] in INDEX else 0
        return [name for name in self.header[first:] if name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, name: str) -> Array:
        """The numbers of a column, or an error that says in which line there is none."""
        places = self._places[name]
        if len(places) > 1:
            raise InvalidFile(f"{self.path} has more than one column {name!r}: rename one")
        column = self._column(places[0], name)
        absent = np.flatnonzero(np.isnan(column))
        if len(absent):
            raise InvalidFile(
                f"{self.path}: {len(absent)} of {len(column)} rows have no number under {name!r}, "
                f"the first in line {self.lines[absent[0]]}: fill them in, or delete these rows"
            )
        return column

    def _column(self, place: int, name: str) -> Array:
        if isinstance(self.rows, np.ndarray):
            return self.rows[:, place]
        column = np.empty(len(self.rows))
        for k, row in enumerate(self.rows):
            number = _number(row[place], self.delimiter)
            if number is None:
                cell, line = few([repr(row[place])]), self.lines[k]
                raise InvalidFile(
                    f"{self.path}, line {line}: {cell} under {name!r} is not a number"
                )
            column[k] = number
        return column

    def is_text(self, name: str) -> bool:
        """Is there not one number in the column?"""
        if isinstance(self.rows, np.ndarray):
            return False
        place = self._places[name][0]
        numbers = (_number(row[place], self.delimiter) for row in self.rows)
        return all(number is None or np.isnan(number) for number in numbers)


def read_table(path: Path, content: bytes, headless: bool = False) -> TextTable:
    """The table in a file; one that is nothing but numbers only where that will do."""
    text = _decoded(path, content)
    lines = [(k, line) for k, line in enumerate(text.splitlines(), start=1) if line.strip()]
    remarks = 0
    while remarks < len(lines) and lines[remarks][1].lstrip().startswith("#"):
        remarks += 1
    body = lines[remarks:]
    if not body:
        raise InvalidFile(f"{path} is empty")
    delimiter = _delimiter([line for _, line in body[:2]])
    try:
        header = _cells(body[0][1], delimiter)
    except csv.Error as error:
        raise InvalidFile(f"{path} does not begin as a table of text: {error}") from None
    if not _is_data(header, delimiter):
        return _table(path, header, body[1:], delimiter)
    above = _cells(lines[remarks - 1][1].lstrip("# "), delimiter) if remarks else []
    if len(above) == len(header) and not _is_data(above, delimiter):  # as numpy.savetxt writes it
        return _table(path, above, body, delimiter)
    if headless and all(_number(cell, delimiter) is not None for cell in header):
        return _table(path, [f"p{k + 1}" for k in range(len(header))], body, delimiter)
    raise InvalidFile(
        f"{path} needs a first row with the names of its columns, as p1,p2,f1,J11,J12; it has "
        f"numbers there"
    )


def few(names: Sequence[str]) -> str:
    """Names for a message: not all where there are many, and not all of a long one.

    >>> few(["a", "b"]), few([str(k) for k in range(99)])
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 87 more')
    """
    cut = [n if len(n) <= LETTERS else f"{n[:LETTERS]}..." for n in names[:FEW]]
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return (", ".join(cut) or "nothing") + more


def _decoded(path: Path, content: bytes) -> str:
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidFile(
            f"{path} is not a text file in UTF-8: save it as such ('CSV UTF-8' in a spreadsheet), "
            f"or convert it, iconv -f LATIN1 -t UTF-8 {path.name}"
        ) from None
    if "\0" in text:
        raise InvalidFile(f"{path} is not a text file: save the table as .csv")
    return text


def _delimiter(first: Sequence[str]) -> str:
    """What stands between cells: the first that cuts a line or two into as many parts."""
    for delimiter in DELIMITERS:
        counts = {_count(line, delimiter) for line in first}
        if len(counts) == 1 and counts != {1}:
            return delimiter
    for delimiter in DELIMITERS:
        if delimiter in re.sub('"[^"]*"', "", first[0]):
            return delimiter
    counts = {_count(line, " ") for line in first}
    return " " if len(counts) == 1 else ","


def _count(line: str, delimiter: str) -> int:
    try:
        return len(_cells(line, delimiter))
    except csv.Error:  # one cell that is absurdly long
        return 1


def _cells(line: str, delimiter: str) -> list[str]:
    return _clean(next(csv.reader([line.strip(" ")], delimiter=delimiter, skipinitialspace=True)))


def _clean(row: list[str]) -> list[str]:
    return [cell.strip() for cell in row]


def _is_data(cells: list[str], delimiter: str) -> bool:
    """Are there numbers? The names 0, 1, 2, ... that a nameless table gets are none."""
    named = cells[1:] if cells[0] in INDEX else cells
    if len(named) > 1 and named == [str(k) for k in range(len(named))]:
        return False
    filled = [cell for cell in cells if cell.lower() not in MISSING]
    return any(_number(cell, delimiter) is not None for cell in filled)


def _number(cell: str, delimiter: str) -> float | None:
    """The number in a cell, NaN where it is empty, None where it is something else."""
    if delimiter == ";" and "." not in cell:
        cell = cell.replace(",", ".")
    try:
        return float(cell)
    except ValueError:
        return np.nan if cell.lower() in MISSING else None


def _table(path: Path, header: list[str], body: Lines, delimiter: str) -> TextTable:
    if not body:
        raise InvalidFile(f"{path} has names of columns and no numbers below them")
    plain = _plain(header, body, delimiter)
    if plain is not None:
        return TextTable(path, header, [k for k, _ in body], plain, delimiter)
    lines, rows = [], []
    reader = csv.reader(
        (line.strip(" ") for _, line in body), delimiter=delimiter, skipinitialspace=True
    )
    for row in _read(path, reader):
        line = body[reader.line_num - 1][0]
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise InvalidFile(f"{path}, line {line}: {len(row)} cells under {len(header)} names")
        lines.append(line)
        rows.append(_clean(row))
    return TextTable(path, header, lines, rows, delimiter)


def _read(path: Path, reader: Iterator[list[str]]) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise InvalidFile(f"{path} is no table of text: {error}; is a quote not closed?") from None


def _plain(header: list[str], body: Lines, delimiter: str) -> Array | None:
    """All numbers at once, which is quick; None where something else is among them."""
    texts = [line for _, line in body]
    if delimiter == ";" and not any("." in line for line in texts):
        texts = [line.replace(",", ".") for line in texts]
    between = None if delimiter == " " else delimiter
    try:
        numbers = np.loadtxt(texts, delimiter=between, comments=None, ndmin=2, encoding=None)
    except ValueError:
        return None
    return numbers if numbers.shape == (len(body), len(header)) else None
