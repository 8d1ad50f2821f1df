"""A time limit that the stages of a long call respect."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Clock = Callable[[], float]

_deadline: ContextVar[tuple[float, Clock] | None] = ContextVar("unbraid_deadline", default=None)


@contextmanager
def limit_time(seconds: float | None, clock: Clock = time.time) -> Iterator[None]:
    """Set a limit for what runs inside; of nested limits, the earlier one counts.

    The clock is that of the day, which several processes share.
    """
    if seconds is None:
        yield
        return
    token = _deadline.set((clock() + min(seconds, seconds_left()), clock))
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left() -> float:
    """Seconds until the limit; infinite without one."""
    limit = _deadline.get()
    return float("inf") if limit is None else limit[0] - limit[1]()


def is_time_up() -> bool:
    """Whether the limit has passed: stages return the best they have."""
    return seconds_left() <= 0
