"""Processes to be stopped, starved and deprived, and what is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PATIENCE = 60  # seconds after which a process hangs
UP = "import sys, unbraid_command as c; print('up', flush=True); sys.exit(c.main())"


class Ended(NamedTuple):
    """How a process ended, and what it said."""

    code: int
    out: str
    err: str


def begin(folder: Path, *arguments: str, **changes: str | None) -> subprocess.Popen[bytes]:
    """A Python process in a session of its own; an environment variable of None is taken away."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **changes}
    with (folder / "out.txt").open("wb") as out, (folder / "err.txt").open("wb") as err:
        return subprocess.Popen(  # no pipes: orphans would hold them open
            [sys.executable, *arguments],
            cwd=folder,
            env={name: value for name, value in environment.items() if value is not None},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )


def command(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """The command line, once the interpreter is up: what comes before is not ours."""
    process = begin(folder, "-c", UP, *arguments)
    wait_for(lambda: said(folder, "out").startswith("up"), process)
    return process


def wait_for(condition, process: subprocess.Popen[bytes]) -> None:
    """Until it holds, or the process has ended, or hangs."""
    until = time.monotonic() + PATIENCE
    while not condition() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)


def end(process: subprocess.Popen[bytes], folder: Path) -> Ended:
    """Wait for the end of a process; a hang is a failure."""
    try:
        process.wait(PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()
    return Ended(process.returncode, said(folder, "out"), said(folder, "err"))


def said(folder: Path, stream: str) -> str:
    return (folder / f"{stream}.txt").read_text(encoding="utf-8", errors="replace")


def nobody_left(session: int, seconds: float = 10.0) -> bool:
    """Do all processes of a session end by themselves? Those that do not are ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not members(session):
            return True
        time.sleep(0.05)
    for number in members(session):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return False


def members(session: int) -> list[int]:
    """Processes of a session that live."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, number = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(number) == session and state != "Z":
                found.append(int(folder.name))
    return found
