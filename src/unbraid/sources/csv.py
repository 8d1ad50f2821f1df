"""Samples in a table of text: one row a point, the first row the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFile
from ..tensor import Array

POINTS, VALUES = ("p", "x", "u"), ("f", "y")
PAIRS = (
    r"j[_(\[]?(\d)(\d)[)\]]?",
    r"j[_(\[]?(\d+)[_,](\d+)[)\]]?",
    r"d[fy]_?(\d*)[/_]d[pxu]_?(\d*)",
)


def csv_arrays(path: Path, content: bytes, asked: Mapping[str, Any]) -> list[Array]:
    """Points (N, m), values (N, n) and Jacobians (N, n, m) in a table."""
    names, table = csv_table(path, content)
    inputs = _family(path, names, "points", asked, POINTS)
    outputs = _family(path, names, "values", asked, VALUES)
    slopes = _slopes(path, names, asked, list(inputs.values()), list(outputs.values()))
    columns = [names.index(name) for name in (*inputs, *outputs, *slopes)]
    m, n = len(inputs), len(outputs)
    points, values, flat = np.split(table[:, columns], [m, m + n], axis=1)
    return [points, values, flat.reshape(len(table), n, m)]


def csv_table(path: Path, content: bytes) -> tuple[list[str], Array]:
    """The names of the columns and the numbers below them."""
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InvalidFile(f"{path} is not a text file in UTF-8") from None
    rows = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not rows:
        raise InvalidFile(f"{path} is empty")
    separator = max(",;\t", key=rows[0][1].count)
    cells = [(k, [c.strip().strip('"') for c in line.split(separator)]) for k, line in rows]
    names = cells[0][1]
    if any(_number(name) is not None for name in names):
        raise InvalidFile(
            f"{path} needs a first row with the names of its columns, as p1,p2,f1,J11,J12; it has "
            f"numbers there"
        )
    if len(cells) == 1:
        raise InvalidFile(f"{path} has names of columns and no numbers below them")
    return names, np.array([_numbers(path, number, row, names) for number, row in cells[1:]])


def _numbers(path: Path, line: int, row: list[str], names: list[str]) -> list[float]:
    if len(row) != len(names):
        raise InvalidFile(f"{path}, line {line}: {len(row)} cells under {len(names)} names")
    numbers = [_number(cell) for cell in row]
    for name, cell, number in zip(names, row, numbers, strict=True):
        if number is None:
            raise InvalidFile(f"{path}, line {line}: {cell!r} under {name!r} is not a number")
    return [number for number in numbers if number is not None]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _family(
    path: Path, names: list[str], role: str, asked: Mapping[str, Any], letters: tuple[str, ...]
) -> dict[str, int]:
    """Columns of one role, in order, with the number that each one's name ends in."""
    if asked[role] is not None:
        return {name: k for k, name in enumerate(_asked(path, names, asked[role]), start=1)}
    for letter in letters:
        found = [(name, re.fullmatch(rf"{letter}_?(\d*)", name, re.IGNORECASE)) for name in names]
        numbered = {name: int(match[1] or 1) for name, match in found if match}
        if numbered:
            return dict(sorted(numbered.items(), key=lambda item: item[1]))
    raise InvalidFile(
        f"{path} has no columns of {role} ({', '.join(f'{letter}1' for letter in letters)}, ...); "
        f"it has {', '.join(names)}: name them with read_samples(path, {role}=[...])"
    )


def _asked(path: Path, names: list[str], wanted: Any) -> list[str]:
    listed = [wanted] if isinstance(wanted, str) else list(wanted)
    missing = [name for name in listed if name not in names]
    if missing:
        raise InvalidFile(
            f"{path} has no column {', '.join(map(repr, missing))}; it has {', '.join(names)}"
        )
    return listed


def _slopes(
    path: Path, names: list[str], asked: Mapping[str, Any], inputs: list[int], outputs: list[int]
) -> list[str]:
    """Columns of the Jacobian, one output after another."""
    count = len(inputs) * len(outputs)
    if asked["jacobians"] is not None:
        listed = _asked(path, names, asked["jacobians"])
        if len(listed) != count:
            raise InvalidFile(
                f"{path}: jacobians names {len(listed)} columns but {len(outputs)} outputs and "
                f"{len(inputs)} inputs need {count}"
            )
        return listed
    found = _pairs(names)
    if not found:
        raise InvalidFile(
            f"{path} has no columns of Jacobians (J11, J1_2 or df1/dp2); it has "
            f"{', '.join(names)}: to decouple data without Jacobians use unbraid.DecoupledRegressor"
        )
    wanted = [(o, l) for o in outputs for l in inputs]
    missing = [f"J{o}_{l}" for o, l in wanted if (o, l) not in found]
    if missing:
        raise InvalidFile(f"{path} lacks columns of Jacobians: {', '.join(missing)}")
    return [found[pair] for pair in wanted]


def _pairs(names: list[str]) -> dict[tuple[int, int], str]:
    """Output and input of the columns that are named as derivatives."""
    pairs = {}
    for name in names:
        for pattern in PAIRS:
            match = re.fullmatch(pattern, name.replace(" ", ""), re.IGNORECASE)
            if match:
                pairs[int(match[1] or 1), int(match[2] or 1)] = name
    return pairs
