"""`make soak`: laws, fuzzers and the table of bad inputs, round after round of new draws."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HARDENING = Path(__file__).parent / "hardening"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=1, help="the round to begin with")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    index = options.first
    while time.monotonic() < until:
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", str(HARDENING), "-n", "2", "--dist", "worksteal"]
        environment = {**os.environ, "UNBRAID_SOAK": str(index), "OMP_NUM_THREADS": "1"}
        code = subprocess.run([*command, f"--hypothesis-seed={index}"], env=environment).returncode
        if code:
            say(f"round {index} failed; once more: python tests/soak.py --first {index}")
            return code
        say(f"round {index} is green, {time.monotonic() - began:.0f} s")
        index += 1
    return 0


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
