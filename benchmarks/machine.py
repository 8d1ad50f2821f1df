"""Where and with what a table was made."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.peers import jax_decoupling

PACKAGES = (
    "unbraid", "numpy", "scipy", "scikit-learn", "torch", "tensorly", "projection-pursuit", "pygam"
)  # fmt: skip


def processor() -> str:
    table = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", table.read_text()) if table.exists() else None
    return found[1].strip() if found else platform.processor() or platform.machine()


def memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.0f} GB"


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def r_version() -> str:
    try:
        done = subprocess.run(["Rscript", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "not installed"
    found = re.search(r"version (\S+)", done.stdout + done.stderr)
    return found[1] if found else "unknown"


def described() -> dict[str, str]:
    """In the order in which it is printed."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "memory": memory(),
        "system": f"{platform.system()}, Python {platform.python_version()}",
        **{package: installed(package) for package in PACKAGES},
        "decoupling": jax_decoupling.VERSION if jax_decoupling.ready() else "not installed",
        "R": r_version(),
    }
