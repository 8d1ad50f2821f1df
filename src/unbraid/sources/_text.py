"""Tables of text: names and numbers with any of the usual delimiters."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidFileError

DELIMITERS = ";\t,"  # in this order: with one of the others, a comma may be a decimal comma
COMMA_DELIMITERS = ";\t"  # of tables whose numbers may have decimal commas
MISSING_CELLS = frozenset(("", "na", "n/a", "#n/a", "nan", "null", "none", "-", "?"))
INDEX_NAMES = ("", "Unnamed: 0")  # names of a first column of row numbers
MAX_LISTED_NAMES, MAX_NAME_LENGTH = 12, 60  # names in a message, and characters of each
Lines = list[tuple[int, str]]  # each with its number in the file


@dataclass(frozen=True, eq=False)
class TextTable(Mapping[str, Array]):
    """Columns of a table by name, each of which is checked when it is accessed.

    Columns that are not accessed may contain anything.
    """

    path: Path
    header: list[str]
    lines: list[int]  # the line numbers of the rows in the file
    numbers: Array  # (rows, columns), NaN where a cell holds no number
    text_cells: dict[int, tuple[int, str]] | None  # line and text of the first text of each column
    texts: list[list[str]] | None = None  # all cells (rows, columns) of a table with text
    units: list[str] | None = None  # cells of a row of units under the names

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The positions of the columns of every name, without the column of row numbers."""
        places: dict[str, list[int]] = {}
        first = 1 if self.header[0] in INDEX_NAMES else 0
        for place, name in enumerate(self.header[first:], start=first):
            if name:
                places.setdefault(name, []).append(place)
        return places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> Array:
        """The numbers of a column, or an error that names the line without one."""
        place, *others = self._places[name]
        if others:
            raise InvalidFileError(f"{self.path} has more than one column {name!r}: rename one")
        if self.text_cells and place in self.text_cells:
            line, cell = self.text_cells[place]
            raise InvalidFileError(
                f"{self.path}, line {line}: {abbreviate([repr(cell)])} under {name!r} is not a "
                f"number"
            )
        column = self.numbers[:, place]
        absent = np.flatnonzero(np.isnan(column))
        if len(absent):
            raise InvalidFileError(
                f"{self.path}: {len(absent)} of {len(column)} rows have no number under {name!r}, "
                f"the first in line {self.lines[absent[0]]}: fill them in, or delete these rows"
            )
        return column

    def is_text(self, name: str) -> bool:
        """Return whether the column of a table with text holds no number at all.

        In a table of numbers, NaN counts as a number.
        """
        column = self.numbers[:, self._places[name][0]]
        return self.text_cells is not None and bool(np.isnan(column).all())

    def read_text(self, name: str) -> list[str] | None:
        """The cells of a column as text; None if the table holds numbers alone."""
        if self.texts is None:
            return None
        place = self._places[name][0]
        return [row[place].strip() for row in self.texts]


def read_table(path: Path, content: bytes, headless: bool = False) -> TextTable:
    """Read the table in a file; ``headless`` accepts one without column names."""
    text = _decode(path, content)
    lines = [(k, line) for k, line in enumerate(text.splitlines(), start=1) if line.strip()]
    body = list(dropwhile(lambda line: line[1].lstrip().startswith("#"), lines))
    remarks = len(lines) - len(body)
    if not body:
        raise InvalidFileError(f"{path} is empty")
    delimiter = _find_delimiter([line for _, line in body[:2]])
    try:
        header = _split(body[0][1], delimiter)
    except csv.Error as error:
        raise InvalidFileError(f"{path} does not begin as a table of text: {error}") from None
    if not _holds_data(header, delimiter):
        return _read_rows(path, header, body[1:], delimiter)
    above = _split(lines[remarks - 1][1].lstrip("# "), delimiter) if remarks else []
    if len(above) == len(header) and not _holds_data(above, delimiter):  # as numpy.savetxt writes
        return _read_rows(path, above, body, delimiter)
    if headless and all(_read_number(cell, delimiter) is not None for cell in header):
        return _read_rows(path, [f"p{k + 1}" for k in range(len(header))], body, delimiter)
    raise InvalidFileError(
        f"{path} needs a first row with the names of its columns, as p1,p2,f1,J11,J12; it has "
        f"numbers there"
    )


def abbreviate(names: Iterable[str]) -> str:
    """Names for a message; long names and long lists are shortened.

    >>> abbreviate(["a", "b"]), abbreviate(str(k) for k in range(99))
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 87 more')
    """
    names = list(names)
    listed = [n if len(n) <= MAX_NAME_LENGTH else f"{n[:MAX_NAME_LENGTH]}..." for n in names]
    more = len(names) - MAX_LISTED_NAMES
    end = f" and {more} more" if more > 0 else ""
    return (", ".join(listed[:MAX_LISTED_NAMES]) or "nothing") + end


def _decode(path: Path, content: bytes) -> str:
    utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidFileError(
            f"{path} is not a text file in UTF-8: save it as such ('CSV UTF-8' in a spreadsheet), "
            f"or convert it, iconv -f LATIN1 -t UTF-8 {path.name}"
        ) from None
    if "\0" in text:
        raise InvalidFileError(f"{path} is not a text file: save the table as .csv")
    return text


def _find_delimiter(first: Sequence[str]) -> str:
    """The first delimiter that splits the first two lines into equally many cells."""
    for delimiter in DELIMITERS:
        counts = {_count_cells(line, delimiter) for line in first}
        if len(counts) == 1 and counts != {1}:
            return delimiter
    for delimiter in DELIMITERS:
        if delimiter in re.sub('"[^"]*"', "", first[0]):
            return delimiter
    return " " if len({_count_cells(line, " ") for line in first}) == 1 else ","


def _count_cells(line: str, delimiter: str) -> int:
    try:
        return len(_split(line, delimiter))
    except csv.Error:  # a cell beyond the limit of the csv module
        return 1


def _make_reader(lines: Iterable[str], delimiter: str) -> Any:
    stripped = (line.strip(" ") for line in lines)
    return csv.reader(stripped, delimiter=delimiter, skipinitialspace=True)


def _split(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in next(_make_reader([line], delimiter))]


def _holds_data(cells: list[str], delimiter: str) -> bool:
    """Return whether cells hold numbers other than the default names 0, 1, 2, ..."""
    named = cells[1:] if cells[0] in INDEX_NAMES else cells
    if len(named) > 1 and named == [str(k) for k in range(len(named))]:
        return False
    filled = [cell for cell in cells if cell.lower() not in MISSING_CELLS]
    return any(_read_number(cell, delimiter) is not None for cell in filled)


def _read_number(cell: str, delimiter: str) -> float | None:
    """The number in a cell; NaN if it is empty, None if it holds something else."""
    try:
        has_comma = delimiter in COMMA_DELIMITERS and "." not in cell
        return float(cell.replace(",", ".") if has_comma else cell)
    except ValueError:
        return np.nan if cell.strip().lower() in MISSING_CELLS else None


def _read_rows(path: Path, header: list[str], body: Lines, delimiter: str) -> TextTable:
    if not body:
        raise InvalidFileError(f"{path} has names of columns and no numbers below them")
    units = _find_units(body[:2], delimiter)
    if units is not None:
        body = body[1:]
    numbers = _read_numbers(header, body, delimiter)
    if numbers is not None:
        return TextTable(path, header, [k for k, _ in body], numbers, None, None, units)
    lines, rows, texts = [], [], []
    text_cells: dict[int, tuple[int, str]] = {}
    reader = _make_reader((line for _, line in body), delimiter)
    try:
        for row in reader:
            line = body[reader.line_num - 1][0]
            if not any(map(str.strip, row)):
                continue
            if len(row) != len(header):
                raise InvalidFileError(
                    f"{path}, line {line}: {len(row)} cells under {len(header)} names"
                )
            cells = [_read_number(cell, delimiter) for cell in row]
            for place in (k for k, number in enumerate(cells) if number is None):
                text_cells.setdefault(place, (line, row[place].strip()))
            rows.append([np.nan if number is None else number for number in cells])
            lines.append(line)
            texts.append(row)
    except csv.Error as error:
        raise InvalidFileError(
            f"{path} is no table of text: {error}; is a quote not closed?"
        ) from None
    table = np.array(rows).reshape(-1, len(header))
    return TextTable(path, header, lines, table, text_cells, texts, units)


def _find_units(first: Lines, delimiter: str) -> list[str] | None:
    """The cells of a row of units: text under the names, above numbers and dates."""
    if len(first) < 2:
        return None
    try:
        cells, below = (_split(line, delimiter) for _, line in first)
    except csv.Error:
        return None
    filled = [k for k, cell in enumerate(cells) if cell.lower() not in MISSING_CELLS]
    numbers = any(_read_number(cells[k], delimiter) is not None for k in filled)
    if len(cells) != len(below) or not filled or numbers:
        return None
    return cells if all(_is_value(below[k], delimiter) for k in filled) else None


def _is_value(cell: str, delimiter: str) -> bool:
    """Whether a cell holds a number, or a date in ISO 8601."""
    if _read_number(cell, delimiter) is not None:
        return cell.lower() not in MISSING_CELLS
    try:
        datetime.fromisoformat(cell)
    except ValueError:
        return False
    return True


def _read_numbers(header: list[str], body: Lines, delimiter: str) -> Array | None:
    """All numbers at once, which is fast; None where a cell holds something else."""
    texts = [line for _, line in body]
    if delimiter in COMMA_DELIMITERS and not any("." in line for line in texts):
        texts = [line.replace(",", ".") for line in texts]
    separator = None if delimiter == " " else delimiter
    try:
        numbers = np.loadtxt(texts, delimiter=separator, comments=None, ndmin=2, encoding=None)
    except ValueError:
        return None
    return numbers if numbers.shape == (len(body), len(header)) else None
