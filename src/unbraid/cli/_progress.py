"""Progress of long work, shown on standard error if it is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..scans._progress import progress_bar


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


@contextmanager
def show_bar(task: str, total: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar with the remaining time; yields a function that moves it."""
    if not _console().is_terminal:
        yield lambda _: None
        return
    with progress_bar(task, total) as move:
        yield lambda done: move(done, task)
