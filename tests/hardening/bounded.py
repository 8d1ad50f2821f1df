"""Files opened in a separate process: how it ends, and how much memory it takes.

A file that crashes the interpreter, or makes it compute without end, is then one failed test and
not the end of all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MEGABYTES = 500
PROCESSOR_SECONDS = 120  # for one file; the kernel ends the process after that


@dataclass(frozen=True)
class Ending:
    """``verdict`` is "right", "refused", or what went wrong."""

    verdict: str
    message: str
    megabytes: float

    def judge(self, path: Path) -> None:
        assert self.verdict in ("right", "refused"), f"{path.name}: {self.verdict} {self.message}"
        assert self.megabytes < MEGABYTES, f"{path.name}: {self.megabytes} MB"
        assert len(self.message) < 1500, f"{path.name}: {len(self.message)} characters of message"


class Opener:
    """Opens one file after another; starts anew where the process died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, kind: str, path: Path) -> Ending:
        process = self._process or self._started()
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps([kind, str(path)]) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if line.startswith("["):
            return Ending(*json.loads(line))
        self.close()
        return Ending("crashed", line, 0.0)

    def _started(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        return self._process

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            with suppress(OSError):
                self._process.communicate()
            self._process = None


def open_file(kind: str, path: str) -> None:
    """Read a file and use what is in it."""
    import numpy as np

    import unbraid
    from unbraid.sources import read_samples, sample

    if kind == "function":
        d = unbraid.load(path)
        assert np.isfinite(d(np.zeros((3, d.n_inputs)))).all()
    elif kind == "samples":
        assert np.isfinite(read_samples(path).jacobians).all()
    elif kind == "onnx":
        assert np.isfinite(sample(path, np.full((3, 2), 0.1)).values).all()
    elif kind == "scan":
        found = unbraid.load_scan(path)
        assert str(found)
        assert all(row.model is not None for row in found.rows)


def serve() -> None:
    """Open the files named on the standard input; one line of JSON for each."""
    import resource
    import time

    from unbraid.errors import UnbraidError

    open_file("", "")  # the imports are nobody's fault
    for line in sys.stdin:
        kind, path = json.loads(line)
        end = int(time.process_time()) + PROCESSOR_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
        before = _resident("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
        verdict, message = "right", ""
        try:
            open_file(kind, path)
        except UnbraidError as error:
            verdict, message = "refused", str(error)
        except BaseException as error:  # that is what is looked for
            verdict, message = type(error).__name__, str(error)[:500]
        grew = _resident("VmHWM") - before
        sys.stdout.write(json.dumps([verdict, message, grew]) + "\n")
        sys.stdout.flush()


def _resident(name: str) -> float:
    """Megabytes, of this process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


if __name__ == "__main__":
    serve()
