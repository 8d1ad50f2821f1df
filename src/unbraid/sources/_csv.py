"""Samples in a table of text: one row a point, the first row the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidFile
from ._text import few, read_table

Pair = tuple[int, int]  # output and input
POINTS, VALUES = ("p", "x", "u"), ("f", "y")
MISSING = 8  # columns that a message names
PAIRS = (
    r"j[_(\[]?(\d)(\d)[)\]]?",
    r"j[_(\[]?(\d{1,9})[_,](\d{1,9})[)\]]?",
    r"d[fy]_?(\d{0,9})[/_]d[pxu]_?(\d{0,9})",
)


@dataclass(frozen=True)
class Roles:
    """Which columns of a table are what; Jacobians one output after another."""

    points: list[str]
    values: list[str]
    jacobians: list[str]


def csv_arrays(path: Path, content: bytes, asked: Mapping[str, Any]) -> list[Array]:
    """Points (N, m), values (N, n) and Jacobians (N, n, m) in a table."""
    table = read_table(path, content)
    roles = csv_roles(path, table.names, asked)
    points, values, flat = (
        np.column_stack([table[name] for name in listed])
        for listed in (roles.points, roles.values, roles.jacobians)
    )
    return [points, values, flat.reshape(len(flat), values.shape[1], points.shape[1])]


def csv_roles(path: Path, names: list[str], asked: Mapping[str, Any]) -> Roles:
    """The columns asked for, or those that go by a common name."""
    inputs = _family(path, names, "points", asked, POINTS)
    outputs = _family(path, names, "values", asked, VALUES)
    slopes = _slopes(path, names, asked, inputs, outputs)
    return Roles(list(inputs), list(outputs), slopes)


def _family(
    path: Path, names: list[str], role: str, asked: Mapping[str, Any], letters: tuple[str, ...]
) -> dict[str, int]:
    """Columns of one role, in order, with the number that each one's name ends in."""
    if asked[role] is not None:
        listed = _asked(path, names, asked[role])
        numbers = [_numbered(listed, letter) for letter in letters]
        whole = [found for found in numbers if len(found) == len(listed)]
        if not whole and asked["jacobians"] is None:
            _check_no_family(path, names, listed, letters)
        return whole[0] if whole else {name: k for k, name in enumerate(listed, start=1)}
    for letter in letters:
        numbered = _numbered(names, letter)
        if numbered:
            return dict(sorted(numbered.items(), key=lambda item: item[1]))
    raise InvalidFile(
        f"{path} has no columns of {role} ({', '.join(f'{letter}1' for letter in letters)}, ...); "
        f"it has {few(names)}: name them with read_samples(path, {role}=[...])"
    )


def _check_no_family(
    path: Path, names: list[str], listed: list[str], letters: tuple[str, ...]
) -> None:
    """Where some columns have numbers, the Jacobians are theirs."""
    others = [name for letter in letters for name in _numbered(names, letter)]
    if others:
        raise InvalidFile(
            f"{path}: are its Jacobians those of {few(listed)}, or of {few(others)}? "
            f"Name them with read_samples(path, jacobians=[...])"
        )


def _numbered(names: Sequence[str], letter: str) -> dict[str, int]:
    """Those that are a letter and a number."""
    named = re.compile(rf"{letter}_?(\d{{0,9}})", re.IGNORECASE).fullmatch
    found = [(name, named(name)) for name in names if name[:1].lower() == letter]
    return {name: int(match[1] or 1) for name, match in found if match}


def _asked(path: Path, names: list[str], wanted: Any) -> list[str]:
    listed = [wanted] if isinstance(wanted, str) else list(wanted)
    missing = [name for name in listed if name not in names]
    if missing:
        raise InvalidFile(
            f"{path} has no column {few(list(map(repr, missing)))}; it has {few(names)}"
        )
    return listed


def _slopes(
    path: Path,
    names: list[str],
    asked: Mapping[str, Any],
    inputs: dict[str, int],
    outputs: dict[str, int],
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
    found = jacobian_columns(names)
    if not found:
        raise InvalidFile(
            f"{path} has no columns of Jacobians (J11, J1_2 or df1/dp2); it has "
            f"{few(names)}: to decouple data without Jacobians use unbraid.DecoupledRegressor"
        )
    pairs = product(outputs.values(), inputs.values())
    missing = list(islice((f"J{o}_{l}" for o, l in pairs if (o, l) not in found), MISSING + 1))
    if missing:
        end = ", ..." if len(missing) > MISSING else ""
        raise InvalidFile(f"{path} lacks columns of Jacobians: {', '.join(missing[:MISSING])}{end}")
    wanted = list(product(outputs.values(), inputs.values()))
    _check_left(path, found, wanted, [*inputs, *outputs])
    return [found[pair] for pair in wanted]


def _check_left(
    path: Path, found: Mapping[Pair, str], wanted: list[Pair], columns: list[str]
) -> None:
    """Refuse to leave out what may matter: derivatives of these outputs, or of who knows what."""
    outputs, taken = {output for output, _ in wanted}, set(wanted)
    known = all(re.fullmatch(r"[a-z]_?\d*", name, re.IGNORECASE) for name in columns)
    left = [
        name
        for pair, name in found.items()
        if pair not in taken and (pair[0] in outputs or not known)
    ]
    if left:
        raise InvalidFile(
            f"{path}: are {', '.join(left[:4])} derivatives of {few(columns)}? Give columns "
            f"names with numbers (p1, f1, J11), or say which are which with read_samples(path, "
            f"points=[...], values=[...], jacobians=[...])"
        )


def jacobian_columns(names: Sequence[str]) -> dict[Pair, str]:
    """Output and input of the columns that are named as derivatives."""
    pairs = {}
    for name in names:
        if name[:1] not in "jJdD":
            continue
        for pattern in PAIRS:
            match = re.fullmatch(pattern, name.replace(" ", ""), re.IGNORECASE)
            if match:
                pairs[int(match[1] or 1), int(match[2] or 1)] = name
    return pairs
