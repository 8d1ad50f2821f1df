"""How far a scan is: a bar on a terminal, the caller's own function, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidOption, MissingExtra

Told = Callable[[int, int, Any], None]


@contextmanager
def shown(progress: Any, done: int, total: int) -> Iterator[Told]:
    """What is to be told of every cell: how many are done, of how many, and its row."""
    if callable(progress):
        yield progress
    elif progress not in (None, True, False):
        raise InvalidOption(f"progress is {progress!r}: pass True, False, or a function")
    elif progress is False or (progress is None and not _looked_at()):
        yield lambda *_: None
    else:
        with bar("Scanning", total, done, wanted=bool(progress)) as move:
            yield lambda done, total, row: move(done, f"Scanning ({row.label})")


def _looked_at() -> bool:
    """Is there a terminal? Without one, standard error may even be missing."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def bar(
    what: str, total: int, done: int = 0, wanted: bool = True
) -> Iterator[Callable[[int, str], None]]:
    """A bar with the time left, on standard error; it is moved to a number, with a word."""
    try:
        from rich import progress as bars
        from rich.console import Console
    except ImportError:
        if wanted:
            raise MissingExtra("a bar needs rich: pip install 'unbraid[cli]'") from None
        yield lambda *_: None
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left"),
        bars.TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with bars.Progress(*columns, console=console, transient=console.is_terminal) as drawn:
        task = drawn.add_task(what, total=total, completed=done)
        yield lambda done, word: drawn.update(task, completed=done, description=word)
