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
    elif progress is False or (progress is None and not sys.stderr.isatty()):
        yield lambda *_: None
    else:
        with _bar(bool(progress), done, total) as told:
            yield told


@contextmanager
def _bar(wanted: bool, done: int, total: int) -> Iterator[Told]:
    """A bar with the time left, on standard error."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Left
    except ImportError:
        if wanted:
            raise MissingExtra("a bar needs rich: pip install 'unbraid[cli]'") from None
        yield lambda *_: None
        return
    text = TextColumn("{task.description}")
    columns = (text, BarColumn(), MofNCompleteColumn(), Left(elapsed_when_finished=True))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("scan", total=total, completed=done)

        def told(done: int, total: int, row: Any) -> None:
            bar.update(task, completed=done, description=row.label)

        yield told
