"""How many threads linear algebra uses."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def limit_threads(limited: bool = True) -> Iterator[None]:
    """Use one thread for linear algebra, if threadpoolctl is installed.

    Small matrices gain nothing from more, and lose much where other processes use the cores.
    """
    controller = _find_libraries() if limited else None
    if controller is None:
        yield
        return
    with controller.limit(limits=1):
        yield


@cache
def _find_libraries() -> Any:
    """The libraries with threads, found once; None where unknown."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()
