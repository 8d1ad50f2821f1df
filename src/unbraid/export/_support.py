"""What all exports share: packages that may be missing, files that may not be written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import InvalidFile, InvalidOption, MissingExtra
from ..function import DecoupledFunction


def load_extra(package: str) -> Any:
    """An optional package, or MissingExtra with the extra of the same name."""
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtra(
            f"this export needs {package}: pip install 'unbraid[{package}]'"
        ) from None


def write_file(path: str | Path | None, content: bytes) -> None:
    """Write where a path is given."""
    if path is None:
        return
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error


def check_identifier(name: str, language: str, pattern: str, taken: str) -> str:
    """A name that a language takes for a function, or InvalidOption."""
    if not re.fullmatch(pattern, name, re.ASCII) or name in taken.split():
        raise InvalidOption(
            f"{name!r} cannot name a function in {language}: use letters, digits and "
            f"underscores, a letter first, and no word that {language} or the file itself uses"
        )
    return name


def input_names(names: Sequence[str] | None, d: DecoupledFunction) -> list[str]:
    """Names of the inputs: those given, the function's own, or p1, p2, ..."""
    n_inputs = d.n_inputs
    names = d.input_names if names is None else names
    if names is None:
        return [f"p{l + 1}" for l in range(n_inputs)]
    if isinstance(names, str) or len(names) != n_inputs or len(set(names)) != n_inputs:
        raise InvalidOption(f"names is {names!r}: pass {n_inputs} different names, one an input")
    return list(names)
