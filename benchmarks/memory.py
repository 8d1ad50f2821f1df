"""Memory of this process, in MB, as Linux tells it; elsewhere as rusage does."""

from __future__ import annotations

import re
import resource
from pathlib import Path

STATUS = Path("/proc/self/status")


def entry(name: str) -> float | None:
    found = re.search(rf"{name}:\s+(\d+) kB", STATUS.read_text()) if STATUS.exists() else None
    return int(found[1]) / 1e3 if found else None


def peak() -> float:
    """Most so far. (rusage also counts what a parent had when it forked.)"""
    known = entry("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 if known is None else known


def reset() -> float:
    """Forget the peak so far; what is in use now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return peak()
    return entry("VmRSS") or peak()
