"""Checks and file output that all exports share."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .._util.atomic import write_files
from .._util.validation import check_integer, check_path
from ..errors import InvalidOptionError, MissingExtraError
from ..model._function import DecoupledFunction
from ..model._names import resolve_names

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
MOST_EXPORT_DIGITS = 100
SOURCE_WIDTH = 88  # characters per line of a list of parameters in generated code


def load_extra(package: str) -> Any:
    """Import an optional package, or raise MissingExtraError.

    The extra has the name of the package.
    """
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtraError(
            f"this export needs {package}: pip install 'unbraid[{package}]'"
        ) from None


def write_file(path: str | Path | None, content: bytes) -> None:
    """Write the content if a path is given."""
    if path is not None:
        write_files((check_path(path), content))


def check_function(d: Any) -> None:
    """Refuse anything but a DecoupledFunction; the message says where to find one."""
    if isinstance(d, DecoupledFunction):
        return
    hint = "unbraid.decouple makes one, unbraid.load reads one"
    if hasattr(d, "function"):
        hint = "of a NARX model pass its .function"
    elif hasattr(d, "decoupled_"):
        hint = "of a regressor pass its .decoupled_"
    raise InvalidOptionError(f"{type(d).__name__} is no DecoupledFunction: {hint}")


def check_dtype(dtype: Any) -> None:
    """Refuse anything but the names of the two real types."""
    if not isinstance(dtype, str) or dtype not in ("float64", "float32"):
        raise InvalidOptionError(f"dtype is {dtype!r}: choose 'float64' or 'float32'")


def check_float32_range(values: Any) -> None:
    """Refuse finite parameters that overflow in single precision."""
    size = np.abs(np.asarray(values, dtype=float))
    if np.any(size[np.isfinite(size)] > LARGEST_FLOAT32):
        raise InvalidOptionError(
            "this function has parameters beyond the range of single precision, 3.4e38: export it "
            "in double precision"
        )


def check_digits(digits: Any) -> int:
    """Return the number of digits to write, or raise InvalidOptionError."""
    if check_integer("digits", digits) > MOST_EXPORT_DIGITS:
        raise InvalidOptionError(
            f"digits is {digits}: a number has 17, at most {MOST_EXPORT_DIGITS} are shown"
        )
    return int(digits)


def check_identifier(name: Any, language: str, pattern: str, reserved: str) -> str:
    """Return a valid name of a function, or raise InvalidOptionError."""
    matches = isinstance(name, str) and re.fullmatch(pattern, name, re.ASCII)
    if not matches or name in reserved.split():
        raise InvalidOptionError(
            f"{name!r} cannot name a function in {language}: use letters, digits and "
            f"underscores, a letter first, and no word that {language} or the file itself uses"
        )
    return str(name)


def choose_input_names(names: Sequence[str] | None, d: DecoupledFunction) -> list[str]:
    """Return the given names of the inputs, those of the function, or p1, p2, ..."""
    names = d.input_names if names is None else names
    if names is None:
        return [f"p{l + 1}" for l in range(d.n_inputs)]
    if isinstance(names, str):
        raise InvalidOptionError(
            f"names is {names!r}: pass {d.n_inputs} different names, one per input"
        )
    checked = resolve_names("names", names, d.n_inputs, "p")
    if not all(name.strip() for name in checked):
        raise InvalidOptionError(f"names is {list(checked)}: a name is empty")
    return list(checked)


def to_one_line(name: str) -> str:
    """A name without line breaks and other characters that are not printable."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in name).split())


def list_signals(d: DecoupledFunction, form: str, first: int) -> list[str]:
    """Lines such as ``p[0]  speed [m/s]``, one per input or output with a name.

    ``form`` is how the language writes an entry, and ``first`` the index that it begins with.
    """
    return [
        f"{form.format(letter, index)}  {to_one_line(name)}"
        for letter, names in (("p", d.input_names), ("f", d.output_names))
        for index, name in enumerate(names or (), first)
    ]


def wrap_list(items: Iterable[str], separator: str) -> str:
    """Join items with commas and break long lines with the separator."""
    return separator.join(textwrap.wrap(", ".join(items), SOURCE_WIDTH, break_on_hyphens=False))
