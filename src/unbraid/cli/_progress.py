"""Progress of long work, shown on standard error if it is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..scans._progress import progress_bar
from ..solvers import Progress


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


@contextmanager
def show_status(task: str, quiet: bool = False) -> Iterator[Callable[[Progress], None] | None]:
    """Show a spinner during a task; yields a callback that updates its text."""
    console = None if quiet else _console()
    if console is None or not console.is_terminal:
        yield None
        return
    with console.status(task) as status:

        def update(progress: Progress) -> None:
            status.update(
                f"{task}: {progress.stage}, {progress.task + 1} of {progress.n_tasks}, "
                f"step {progress.iteration}"
            )

        yield update


@contextmanager
def show_bar(task: str, total: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar with the remaining time; yields a function that moves it."""
    if not _console().is_terminal:
        yield lambda _: None
        return
    with progress_bar(task, total) as move:
        yield lambda done: move(done, task)
