"""What a person sees while waiting: on a terminal only, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..scans._progress import bar
from ..solvers import Progress


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


@contextmanager
def waiting(what: str, quiet: bool = False) -> Iterator[Callable[[Progress], None] | None]:
    """A line that turns while something is done, and a callback that tells how far it is."""
    console = None if quiet else _console()
    if console is None or not console.is_terminal:
        yield None
        return
    with console.status(what) as status:

        def told(progress: Progress) -> None:
            status.update(
                f"{what}: {progress.stage}, {progress.task + 1} of {progress.n_tasks}, "
                f"step {progress.iteration}"
            )

        yield told


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar with the time left for work that comes in parts; nothing where nobody looks."""
    if not _console().is_terminal:
        yield lambda _: None
        return
    with bar(what, total) as move:
        yield lambda done: move(done, what)
