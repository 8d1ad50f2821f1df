"""Progress of a scan: a bar on a terminal, the caller's function, or nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidOptionError, MissingExtraError


@contextmanager
def show_progress(
    progress: Any, done: int, total: int
) -> Iterator[Callable[[int, int, Any], object]]:
    """Yield a function to call after every cell with (done, total, row)."""
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    if callable(progress):
        yield progress
    elif progress not in (None, True, False):
        raise InvalidOptionError(f"progress is {progress!r}: pass True, False, or a function")
    elif progress is False or (progress is None and not on_terminal):
        yield lambda *_: None
    else:
        with progress_bar("Scanning", total, done, required=bool(progress)) as move:
            yield lambda done, total, row: move(done, f"Scanning ({row.label})")


@contextmanager
def progress_bar(
    title: str, total: int, done: int = 0, required: bool = True
) -> Iterator[Callable[[int, str], object]]:
    """Draw a bar on standard error; yield a function of (done, text) to move it.

    Without rich, which draws it, there is no bar, or an error if the bar is required.
    """
    try:
        from rich import progress as bars
        from rich.console import Console
    except ImportError:
        if required:
            raise MissingExtraError(
                "a progress bar needs rich: pip install 'unbraid[cli]'"
            ) from None
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
    with bars.Progress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(title, total=total, completed=done)
        yield lambda done, text: bar.update(task, completed=done, description=text)
