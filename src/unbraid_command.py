"""The command ``unbraid``, outside of the package, whose import takes a second."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run a command; the exit code is that of ``unbraid.cli.main``."""
    for number in range(3):  # a file opened later must not become standard output
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    try:
        from unbraid.cli import main as run

        return run()
    except KeyboardInterrupt:  # during the import
        sys.stderr.write("unbraid: stopped\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
