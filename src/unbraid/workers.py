"""Processes that work for another: deaf to Ctrl-C, and gone when their caller is."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from .errors import UnbraidError

LOOK = 0.5  # seconds between two looks at whether the caller lives
WATCHER = "unbraid: does the caller live?"
THREADED = {"jax", "torch"}
DIED = (
    "a worker process died, perhaps for want of memory: use fewer workers; a script that uses any "
    'needs `if __name__ == "__main__":` around its calls'
)


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes begun inside do not hear Ctrl-C: it is the caller's to end them, without a word.

    What comes meanwhile is heard afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # where it begins inside, it undoes the next line
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _never(seconds: float) -> bool:
    time.sleep(seconds)
    return False


def end_with(caller: int, asked: Callable[[float], bool] = _never) -> None:
    """In a process that the caller began: leave when it is gone, even where it was killed.

    ``asked`` waits that many seconds for the caller to say that this process is to leave.
    """
    parent = multiprocessing.parent_process()
    if parent is None or parent.pid != caller:
        return
    if any(thread.name == WATCHER for thread in threading.enumerate()):
        return

    def watch() -> None:
        while os.getppid() == caller and not asked(LOOK):
            pass
        os._exit(1)

    threading.Thread(target=watch, name=WATCHER, daemon=True).start()


def _context() -> Any:
    """The machine's own way to begin a process, but no fork of one with threads: it may lock up."""
    threaded = threading.active_count() > 1 or not THREADED.isdisjoint(sys.modules)
    return multiprocessing.get_context("spawn" if threaded else None)


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """That many workers; where the work is broken off, so are they, at once."""
    context = _context()
    leave = context.Event()
    pool = ProcessPoolExecutor(count, context, _begin, (os.getpid(), leave))
    try:
        yield pool
    except BrokenProcessPool:
        raise UnbraidError(DIED) from None
    except BaseException:
        leave.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(caller: int, leave: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(caller, leave.wait)
