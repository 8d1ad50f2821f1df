"""What the command owes the machine: streams that are there, and an end when it is asked to."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ASKED = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C, a polite kill, a terminal that is closed


def open_streams() -> None:
    """Standard output and error, into nothing where the caller has closed them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


@contextmanager
def stoppable() -> Iterator[list[int]]:
    """All ways to be asked to end are KeyboardInterrupt inside; the list says which one came."""
    came: list[int] = []

    def stop(number: int, _: Any) -> None:
        came.append(number)
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        signals = [getattr(signal, name) for name in ASKED if hasattr(signal, name)]
        heard = [s for s in signals if signal.getsignal(s) not in (signal.SIG_IGN, None)]
        before = {s: signal.signal(s, stop) for s in heard}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
