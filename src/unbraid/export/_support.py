"""What all exports share: packages that may be missing, files that may not be written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .._util.atomic import write_whole
from .._util.validation import file_path, positive_integer
from ..errors import InvalidOption, MissingExtra
from ..model._description import checked_names
from ..model._function import DecoupledFunction

LARGEST_SINGLE = float(np.finfo(np.float32).max)
MOST_DIGITS = 100


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
    if path is not None:
        write_whole((file_path(path), content))


def check_function(d: Any) -> None:
    """Only decoupled functions can be exported; say where one is to be had."""
    if isinstance(d, DecoupledFunction):
        return
    inside = {"function": "NARX model", "decoupled_": "regressor"}
    hints = [f"of a {kind} pass its .{name}" for name, kind in inside.items() if hasattr(d, name)]
    hint = hints[0] if hints else "unbraid.decouple makes one, unbraid.load reads one"
    raise InvalidOption(f"{type(d).__name__} is no DecoupledFunction: {hint}")


def check_single(*arrays: Any) -> None:
    """Refuse numbers that single precision does not have."""
    for array in arrays:
        size = np.abs(np.asarray(array, dtype=float))
        if np.any(size[np.isfinite(size)] > LARGEST_SINGLE):
            raise InvalidOption(
                "this function has numbers beyond the range of single precision, 3.4e38: export it "
                "in double precision"
            )


def check_digits(digits: Any) -> int:
    """How many digits to write, within what makes sense."""
    if positive_integer("digits", digits) > MOST_DIGITS:
        raise InvalidOption(f"digits is {digits}: a number has 17, at most {MOST_DIGITS} are shown")
    return int(digits)


def check_identifier(name: Any, language: str, pattern: str, taken: str) -> str:
    """A name that a language takes for a function, or InvalidOption."""
    plain = isinstance(name, str) and re.fullmatch(pattern, name, re.ASCII)
    if not plain or name in taken.split():
        raise InvalidOption(
            f"{name!r} cannot name a function in {language}: use letters, digits and "
            f"underscores, a letter first, and no word that {language} or the file itself uses"
        )
    return str(name)


def input_names(names: Sequence[str] | None, d: DecoupledFunction) -> list[str]:
    """Names of the inputs: those given, the function's own, or p1, p2, ..."""
    names = d.input_names if names is None else names
    if names is None:
        return [f"p{l + 1}" for l in range(d.n_inputs)]
    if isinstance(names, str):
        raise InvalidOption(f"names is {names!r}: pass {d.n_inputs} different names, one an input")
    listed = checked_names("names", names, d.n_inputs, "p")
    if not all(name.strip() for name in listed):
        raise InvalidOption(f"names is {list(listed)}: a name is empty")
    return list(listed)
