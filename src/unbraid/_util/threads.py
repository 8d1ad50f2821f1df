"""How many threads linear algebra uses."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def limit_threads(limited: bool = True) -> Iterator[None]:
    """Use one thread for linear algebra, if threadpoolctl is installed.

    Small matrices gain nothing from more, and lose much where other processes use the cores.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        limited = False
    if not limited:
        yield
        return
    with threadpool_limits(1):
        yield
