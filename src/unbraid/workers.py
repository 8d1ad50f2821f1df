"""Processes that work for another: deaf to Ctrl-C, and gone when their caller is."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any

from .errors import UnbraidError

LOOK = 0.5  # seconds between two looks at whether the caller lives
WATCHER = "unbraid: does the caller live?"
ENDING = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "pthread_sigmask") else ()
THREADED = {"jax", "torch"}
_shared: Any = None
DIED = (
    "a worker process died, perhaps for want of memory: use fewer workers; a script that uses any "
    'needs `if __name__ == "__main__":` around its calls'
)


@contextmanager
def deaf_children(*more: int) -> Iterator[None]:
    """Processes begun inside do not hear Ctrl-C: it is the caller's to end them, without a word.

    What comes meanwhile is heard afterwards. So are ``more`` signals, which the processes can hear
    again once they ask for it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # where it begins inside, it undoes the next line
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *more})
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


def may_fork() -> bool:
    """Can this process be copied, which is quick? Not one with threads: the copy may lock up."""
    threaded = threading.active_count() > 1 or not THREADED.isdisjoint(sys.modules)
    return sys.platform == "linux" and not threaded


@contextmanager
def processes(count: int, shared: Any = None) -> Iterator[ProcessPoolExecutor]:
    """That many workers; where the work is broken off, so are they, at once.

    ``shared`` is what ``given`` returns in each of them: a copied process has it without pickling.
    """
    context = multiprocessing.get_context("fork" if may_fork() else "spawn")
    leave = context.Event()
    pool = ProcessPoolExecutor(count, context, _begin, (os.getpid(), leave, shared))
    try:
        with deaf_children(*ENDING), warnings.catch_warnings():
            # Threads of BLAS are told of the copy, and rest; Python counts them all the same.
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
            pool.submit(_nothing).result()
        yield pool
    except BrokenProcessPool:
        raise UnbraidError(DIED) from None
    except BaseException:
        leave.set()
        _hang_up(pool)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _hang_up(pool: Any) -> None:
    """Let go of the workers' ends of the pipes, which copies have of their own.

    A worker may leave in the middle of a word: as long as its end is held here, the pool waits for
    the rest of it.
    """
    with suppress(AttributeError):  # they are the pool's own, by whatever name
        pool._result_queue._writer.close()
        pool._call_queue._reader.close()


def given() -> Any:
    """In a worker: what all of them share."""
    return _shared


def _begin(caller: int, leave: Any, shared: Any) -> None:
    global _shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in ENDING:  # whatever the caller does when it hears them
        signal.signal(number, signal.SIG_DFL)
    if ENDING:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    end_with(caller, leave.wait)
    _shared = shared


def _nothing() -> None:
    """Sent first, so that all workers are there."""
