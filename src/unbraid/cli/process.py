"""What the command owes the machine: streams that are there, and an end when it is asked to."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

AGAIN = 0.05  # seconds after which what could not be raised is raised once more
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

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    signals = [getattr(signal, name) for name in ASKED if hasattr(signal, name)]
    heard = [s for s in signals if signal.getsignal(s) not in (signal.SIG_IGN, None)]
    with _handling(heard, stop), _asking_again():
        yield came


@contextmanager
def _handling(signals: Iterable[int], handler: Callable[[int, Any], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def _asking_again() -> Iterator[None]:
    """Where Python cannot raise KeyboardInterrupt, it is raised a moment later.

    It cannot in what a fork or the collector of garbage calls: it says so, and goes on.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def unheard(what: Any) -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        else:
            hook(what)

    hook, sys.unraisablehook = sys.unraisablehook, unheard
    with _handling([signal.SIGALRM], signal.default_int_handler):
        try:
            yield
        finally:
            sys.unraisablehook = hook
            signal.setitimer(signal.ITIMER_REAL, 0)
