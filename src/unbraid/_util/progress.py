"""One line on standard error that shows what a long call is doing.

A call opens the line with ``show_progress``. Whatever runs inside it, other calls as well, reports
to this line with ``report_progress``. There are no threads: the line changes when something is
reported.
"""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TextIO

from ..errors import InvalidOptionError
from .deadline import seconds_left
from .validation import count_noun

SHOWN_AFTER_SECONDS = 2.0
UPDATE_SECONDS = 0.2  # between two changes of the line
MAX_LINE_LENGTH = 79


class StatusLine:
    """The line of one call; without a stream it is never shown."""

    def __init__(
        self, task: str, stream: TextIO | None, delay: float, clock: Callable[[], float]
    ) -> None:
        self.task, self.stream, self.clock = task, stream, clock
        self.stage, self.n_branches, self.width = "", 0, 0
        self.started = clock()
        self.next_change = self.started + delay

    def update(self, stage: str | None, n_branches: int | None) -> None:
        """Change the line, unless it has just been changed."""
        self.stage = self.stage if stage is None else stage
        self.n_branches = self.n_branches if n_branches is None else n_branches
        now = self.clock()
        if self.stream is None or now < self.next_change:
            return
        self.next_change = now + UPDATE_SECONDS
        count = count_noun(self.n_branches, "branch", "es") if self.n_branches else ""
        left = seconds_left()
        limit = f"at most {max(left, 0):.0f} s left" if left < float("inf") else ""
        elapsed = f"{now - self.started:.0f} s"
        parts = [part for part in (count, self.stage, elapsed, limit) if part]
        text = f"{self.task}: {', '.join(parts)}"
        self._write(text[: min(MAX_LINE_LENGTH, shutil.get_terminal_size().columns - 1)])

    def clear(self) -> None:
        """Remove the line from the screen."""
        if self.width:
            self._write("")
            self._write("")

    def _write(self, text: str) -> None:
        padded, self.width = text.ljust(self.width), len(text)
        if self.stream is not None:
            with suppress(OSError, ValueError):  # a closed stream must not end the work
                self.stream.write(f"\r{padded}")
                self.stream.flush()


_current: ContextVar[StatusLine | None] = ContextVar("unbraid_status_line", default=None)


@contextmanager
def show_progress(
    task: str, progress: bool | None, clock: Callable[[], float] = time.monotonic
) -> Iterator[None]:
    """Show a line during a call; inside another such call, that one decides.

    ``progress`` is True (always), False (never) or None: in a terminal or notebook, when the call
    takes longer than two seconds.
    """
    if progress is not None and not isinstance(progress, bool):
        raise InvalidOptionError(f"progress is {progress!r}: pass True, False or None")
    if _current.get() is not None:
        yield
        return
    wanted = _is_interactive(sys.stderr) if progress is None else progress
    stream = sys.stderr if wanted else None
    line = StatusLine(task, stream, 0.0 if progress else SHOWN_AFTER_SECONDS, clock)
    token = _current.set(line)
    try:
        yield
    finally:
        _current.reset(token)
        line.clear()


def report_progress(stage: str | None = None, n_branches: int | None = None) -> None:
    """Report what is being done; None keeps what was reported before."""
    line = _current.get()
    if line is not None:
        line.update(stage, n_branches)


def clear_progress() -> None:
    """Remove the line from the screen until the next report, for a warning."""
    line = _current.get()
    if line is not None:
        line.clear()


def is_progress_shown() -> bool:
    """Whether reports of progress may reach a screen."""
    line = _current.get()
    return line is not None and line.stream is not None


def _is_interactive(stream: Any) -> bool:
    """Whether a stream is a terminal or the output of a notebook."""
    if stream is None:
        return False
    return bool(stream.isatty()) or type(stream).__module__.startswith("ipykernel")
