"""Python processes in an environment of the test's making."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_python(
    folder: Path, *arguments: str, **changes: str | None
) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder; an environment variable of None is removed."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **changes}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
