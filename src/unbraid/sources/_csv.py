"""Samples in a table of text: one row per point, column names in the first row."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidFileError
from ._text import TextTable, abbreviate

Entry = tuple[int, int]  # output and input of an entry of a Jacobian
POINT_LETTERS, VALUE_LETTERS = ("p", "x", "u"), ("f", "y")
MAX_LISTED_COLUMNS = 8  # missing columns that a message lists
JACOBIAN_PATTERNS = (
    r"j[_(\[]?(\d)(\d)[)\]]?",
    r"j[_(\[]?(\d{1,9})[_,](\d{1,9})[)\]]?",
    r"d[fy]_?(\d{0,9})[/_]d[pxu]_?(\d{0,9})",
)


def read_csv_samples(table: TextTable, requested: Mapping[str, Any]) -> list[Array]:
    """Points (N, m), values (N, n) and Jacobians (N, n, m) in a table."""
    points, values, flat = (
        np.column_stack([table[name] for name in names])
        for names in find_sample_columns(table, requested)
    )
    return [points, values, flat.reshape(len(flat), values.shape[1], points.shape[1])]


def find_sample_columns(table: TextTable, requested: Mapping[str, Any]) -> list[list[str]]:
    """The columns of points, values and Jacobians: requested or found by name.

    The columns of Jacobians go by output, then by input.
    """
    header = _Header(table.path, list(table), requested)
    inputs = header.find_numbered("points", POINT_LETTERS)
    outputs = header.find_numbered("values", VALUE_LETTERS)
    return [list(inputs), list(outputs), header.find_jacobians(inputs, outputs)]


def find_numbered(names: Iterable[str], letters: Iterable[str]) -> dict[str, int]:
    """The names made of a letter and a number, sorted by the number.

    The first of ``letters`` that occurs is used.

    >>> find_numbered(["t", "x10", "x2", "u1"], "pxu")
    {'x2': 2, 'x10': 10}
    """
    for letter in letters:
        match = re.compile(rf"{letter}_?(\d{{0,18}})", re.IGNORECASE).fullmatch
        numbers = {name: int(found[1] or 1) for name in names if (found := match(name))}
        if numbers:
            return dict(sorted(numbers.items(), key=lambda item: (item[1], len(item[0]))))
    return {}


@dataclass(frozen=True)
class _Header:
    """The names of all columns of a file, and the names that the user gave by role."""

    path: Path
    names: list[str]
    requested: Mapping[str, Any]

    def find_numbered(self, role: str, letters: tuple[str, ...]) -> dict[str, int]:
        """The columns of one role, in order, with the number at the end of each name."""
        if self.requested[role] is not None:
            return self._number_requested(role, letters)
        numbered = find_numbered(self.names, letters)
        if numbered:
            return numbered
        raise InvalidFileError(
            f"{self.path} has no columns of {role} ({'1, '.join(letters)}1, ...); it has "
            f"{abbreviate(self.names)}: name them with read_samples(path, {role}=[...])"
        )

    def _number_requested(self, role: str, letters: tuple[str, ...]) -> dict[str, int]:
        listed = self._list_requested(role)
        numbered = find_numbered(listed, letters)
        if len(numbered) == len(listed):
            return {name: numbered[name] for name in listed}
        others = find_numbered(self.names, letters)
        if others and self.requested["jacobians"] is None:  # they may be those of the others
            raise InvalidFileError(
                f"{self.path}: are its Jacobians those of {abbreviate(listed)}, or of "
                f"{abbreviate(others)}? Name them with read_samples(path, jacobians=[...])"
            )
        return {name: k for k, name in enumerate(listed, start=1)}

    def _list_requested(self, role: str) -> list[str]:
        wanted = self.requested[role]
        listed = [wanted] if isinstance(wanted, str) else list(wanted)
        missing = [repr(name) for name in listed if name not in self.names]
        if missing:
            raise InvalidFileError(
                f"{self.path} has no column {abbreviate(missing)}; it has {abbreviate(self.names)}"
            )
        return listed

    def find_jacobians(self, inputs: dict[str, int], outputs: dict[str, int]) -> list[str]:
        """The columns of the Jacobian, one output after another."""
        count = len(inputs) * len(outputs)
        if self.requested["jacobians"] is not None:
            listed = self._list_requested("jacobians")
            if len(listed) != count:
                raise InvalidFileError(
                    f"{self.path}: jacobians names {len(listed)} columns but {len(outputs)} "
                    f"outputs and {len(inputs)} inputs need {count}"
                )
            return listed
        found = find_jacobian_columns(self.names)
        if not found:
            raise InvalidFileError(
                f"{self.path} has no columns of Jacobians (J11, J1_2 or df1/dp2); it has "
                f"{abbreviate(self.names)}: to decouple data without Jacobians use "
                f"unbraid.DecoupledRegressor"
            )
        entries = product(outputs.values(), inputs.values())  # lazy: there may be very many
        missing = (f"J{output}_{l}" for output, l in entries if (output, l) not in found)
        text = ", ".join(islice(missing, MAX_LISTED_COLUMNS))
        if text:
            more = ", ..." if any(missing) else ""
            raise InvalidFileError(f"{self.path} lacks columns of Jacobians: {text}{more}")
        wanted = list(product(outputs.values(), inputs.values()))
        self._check_unused(found, wanted, [*inputs, *outputs])
        return [found[entry] for entry in wanted]

    def _check_unused(
        self, found: Mapping[Entry, str], wanted: list[Entry], columns: list[str]
    ) -> None:
        """Refuse to ignore derivatives of the same outputs, or of unknown quantities."""
        outputs, used = {output for output, _ in wanted}, set(wanted)
        known = all(re.fullmatch(r"[a-z]_?\d*", name, re.IGNORECASE) for name in columns)
        unused = [
            name
            for entry, name in found.items()
            if entry not in used and (entry[0] in outputs or not known)
        ]
        if unused:
            raise InvalidFileError(
                f"{self.path}: are {', '.join(unused[:4])} derivatives of {abbreviate(columns)}? "
                f"Give columns names with numbers (p1, f1, J11), or say which are which with "
                f"read_samples(path, points=[...], values=[...], jacobians=[...])"
            )


def find_jacobian_columns(names: Iterable[str]) -> dict[Entry, str]:
    """Output and input of the columns that are named as derivatives."""
    entries = {}
    for name in names:
        if name[:1] not in "jJdD":  # quicker than the patterns
            continue
        for pattern in JACOBIAN_PATTERNS:
            match = re.fullmatch(pattern, name.replace(" ", ""), re.IGNORECASE)
            if match:
                entries[int(match[1] or 1), int(match[2] or 1)] = name
    return entries
