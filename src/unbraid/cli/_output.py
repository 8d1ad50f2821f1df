"""What is printed: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import click
import numpy as np

from ..errors import InvalidFile
from ..model._error_summary import listed

WIDE = 1000  # columns of a table in a pipe: no line is broken there
PLAIN = str.maketrans({"²": "^2", "≈": "~", "λ": "lambda", "θ": "theta", "…": "..."})


_asked_for_plain: ContextVar[bool] = ContextVar("plain letters", default=False)


@contextmanager
def plain_letters(asked: bool) -> Iterator[None]:
    """What is said inside has no signs beyond ASCII of ours."""
    token = _asked_for_plain.set(asked)
    try:
        yield
    finally:
        _asked_for_plain.reset(token)


def open_streams() -> None:
    """Direct standard output and error into nothing where the caller has closed them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def say(text: str = "") -> None:
    """A result, in the letters that standard output has."""
    text = text.translate(PLAIN) if _asked_for_plain.get() else text
    encoding = _encoding()
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(PLAIN).encode(encoding, "replace").decode(encoding)
    _echo(text)


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _echo(text: str) -> None:
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InvalidFile(f"cannot write to standard output: {error.strerror}") from error


def note(text: str) -> None:
    """Anything that is not a result; where it cannot be said, the exit code still tells."""
    with suppress(OSError):
        click.echo(f"unbraid: {text}", err=True)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Warnings as one line each, and each once; those for developers are left out."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in said:
            said.add(text)
            note(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        yield


@contextmanager
def warnings_collected() -> Iterator[list[str]]:
    """Warnings are noted as ever, and listed."""
    messages: list[str] = []
    shown = warnings.showwarning

    def show(message: Warning | str, *rest: Any, **named: Any) -> None:
        text = " ".join(str(message).split())
        if text not in messages:
            messages.append(text)
        shown(message, *rest, **named)

    warnings.showwarning = show
    try:
        yield messages
    finally:
        warnings.showwarning = shown


def say_json(document: Any) -> None:
    """One JSON document; numbers that are not finite are null."""
    text = json.dumps(plain(document), indent=1, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(_encoding())
    except UnicodeEncodeError:  # letters that standard output does not have are escaped
        text = json.dumps(plain(document), indent=1, allow_nan=False)
    _echo(text)


def plain(value: Any) -> Any:
    """A value as JSON knows it.

    >>> plain({"error": np.float64("nan"), "r": np.int64(3), "V": np.eye(2)})
    {'error': None, 'r': 3, 'V': [[1.0, 0.0], [0.0, 1.0]]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def say_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[int] = ()
) -> None:
    """Rows under heads, numbers to the right; marked rows stand out on a terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for k, head in enumerate(heads):
        words = any(not _numeric(row[k]) for row in rows)
        table.add_column(head, justify="left" if words else "right", no_wrap=True)
    for k, row in enumerate(rows):
        table.add_row(*(_escaped(cell) for cell in row), style="green" if k in marked else None)
    console = Console(file=sys.stdout, highlight=False)
    console.width = console.width if console.is_terminal else WIDE
    with console.capture() as captured:
        console.print(table)
    say("\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")))


def _escaped(cell: str) -> str:
    from rich.markup import escape

    return escape(cell)


def _numeric(cell: str) -> bool:
    return not cell.strip("0123456789.+-einfax% ")


def percent(errors: Any) -> str:
    """Errors in %, one an output: the first four, and the largest.

    >>> percent([1.23456, 0.000012]), percent(None)
    ('1.23, 1.2e-05 %', 'not known')
    """
    if errors is None:
        return "not known"
    return f"{listed(np.atleast_1d(np.asarray(errors, dtype=float)), size)} %"


def size(error: float | None) -> str:
    """An error in three digits, in two where it is tiny.

    >>> size(12.345), size(3.2e-9), size(None)
    ('12.3', '3.2e-09', '')
    """
    if error is None:
        return ""
    return f"{error:.3g}" if not abs(error) < 1e-3 or error == 0 else f"{error:.1e}"
