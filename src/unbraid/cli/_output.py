"""Printing: results to standard output, messages and warnings to standard error."""

import json
import os
import sys
import warnings
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..errors import InvalidFileError
from ..model._error_summary import format_error_list

PIPE_COLUMNS = 1000  # width of a table outside of a terminal, where no line is broken
NUMERIC_CHARACTERS = "0123456789.+-einfax% "  # columns of these alone are aligned right
TO_ASCII = str.maketrans({"²": "^2", "≈": "~", "λ": "lambda", "θ": "theta", "…": "...", "±": "+-"})


def replace_closed_streams() -> None:
    """Replace closed standard output and error by the null device."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def to_printable(text: str) -> str:
    """The text with a ? for every character that standard output cannot encode."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def print_result(text: str = "") -> None:
    """Print a result; replace special symbols by ASCII if asked for or needed."""
    context = click.get_current_context(silent=True)
    ascii_only = context is not None and context.params.get("ascii")
    if ascii_only or to_printable(text) != text:
        text = text.translate(TO_ASCII)
    try:
        click.echo(to_printable(text))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InvalidFileError(f"cannot write to standard output: {error.strerror}") from error


def print_message(text: str) -> None:
    """Print a message to standard error; ignore a failure to write it."""
    with suppress(OSError):
        click.echo(f"unbraid: {text}", err=True)


def open_page(path: Path) -> None:
    """Open a page in a browser, or say that there is none."""
    if not webbrowser.open(path.resolve().as_uri()):
        print_message(f"no browser was found: open {path} yourself")


@contextmanager
def show_warnings_as_messages() -> Iterator[list[str]]:
    """Print each distinct warning as one line, and yield the list of them.

    Only UserWarning and RuntimeWarning are shown.
    """
    messages: list[str] = []

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in messages:
            messages.append(text)
            print_message(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        yield messages


def print_json(document: Any) -> None:
    """Print one JSON document; numbers that are not finite become null."""
    value = to_json_value(document)
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    print_result(
        text if to_printable(text) == text else json.dumps(value, indent=1, allow_nan=False)
    )


def to_json_value(value: Any) -> Any:
    """Convert a value to types that JSON has.

    >>> to_json_value({"error": np.float64("nan"), "r": np.int64(3), "V": np.eye(2)})
    {'error': None, 'r': 3, 'V': [[1.0, 0.0], [0.0, 1.0]]}
    """
    if isinstance(value, Mapping):
        return {str(key): to_json_value(entry) for key, entry in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return to_json_value(value.tolist())
    if isinstance(value, (list, tuple)):
        return [to_json_value(entry) for entry in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def print_files(files: Mapping[str, Path]) -> None:
    """Print the kind and the path of the files that were written."""
    for kind, path in files.items():
        print_result(f"{kind + ':':8}{path}")


def print_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[int] = ()
) -> None:
    """Print a table, numbers aligned right, marked rows green on a terminal."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for k, head in enumerate(heads):
        numeric = all(not row[k].strip(NUMERIC_CHARACTERS) for row in rows)
        table.add_column(head, justify="right" if numeric else "left", no_wrap=True)
    for k, row in enumerate(rows):
        table.add_row(*map(escape, row), style="green" if k in marked else None)
    console = Console(file=sys.stdout, highlight=False)
    console.width = console.width if console.is_terminal else PIPE_COLUMNS
    with console.capture() as captured:
        console.print(table)
    print_result("\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")))


def format_errors(errors: Any) -> str:
    """Errors in %, one per output: the first four and the largest.

    >>> format_errors([1.23456, 0.000012]), format_errors(None)
    ('1.23, 1.2e-05 %', 'not known')
    """
    if errors is None:
        return "not known"
    return f"{format_error_list(np.atleast_1d(np.asarray(errors, dtype=float)), format_error)} %"


def format_error(error: float | None) -> str:
    """An error with three significant digits, or two where it is below 0.001.

    >>> format_error(12.345), format_error(3.2e-9), format_error(None)
    ('12.3', '3.2e-09', '')
    """
    if error is None:
        return ""
    return f"{error:.3g}" if not abs(error) < 1e-3 or error == 0 else f"{error:.1e}"
