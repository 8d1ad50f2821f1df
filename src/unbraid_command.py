"""Entry point of the command ``unbraid``, outside the package to start quickly."""

import os
import sys


def main() -> int:
    """Run a command and return the exit code of ``unbraid.cli.main``."""
    for descriptor in range(3):  # a file opened later must not become standard output
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    try:
        from unbraid.cli import main as run

        return run()
    except KeyboardInterrupt:  # Ctrl-C during the import
        sys.stderr.write("unbraid: stopped\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
