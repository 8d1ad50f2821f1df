"""Memory of arrays that are freed and allocated again."""

import ctypes
import os
import sys
from functools import cache

LARGEST_KEPT_ARRAY = 31 << 20  # bytes; the C library does not allow 32 MB
LARGEST_KEPT_MEMORY = 256 << 20  # bytes
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # parameters of mallopt
SETTINGS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")  # by which a user decides


@cache
def keep_freed_memory() -> bool:
    """Let glibc keep the memory of freed arrays; return whether it does.

    By default it gives the memory of large arrays back to the system at once. Every array of an
    iteration then costs a page fault per 4 kB, which can take a fifth of the time.
    """
    if not sys.platform.startswith("linux") or any(name in os.environ for name in SETTINGS):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # another C library
        return False
    accepted = mallopt(TRIM_THRESHOLD, LARGEST_KEPT_MEMORY)
    return bool(accepted and mallopt(MMAP_THRESHOLD, LARGEST_KEPT_ARRAY))
