"""The command ``unbraid``. It stands outside of the package, whose import takes a moment.

Ctrl-C in that moment ends the process at once: there is nothing to clean up yet.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn


def main() -> int:
    """Run a command; the exit code is that of ``unbraid.cli.main``."""
    for number in range(3):  # a file opened later must not become standard output
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, _leave)
    from unbraid.cli import main as run

    code = run()
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: nothing left to stop
    return code


def _leave(*_: Any) -> NoReturn:
    os.write(2, b"unbraid: stopped\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
