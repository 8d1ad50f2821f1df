"""The command line; no other package prints."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    The code is 0 after success, 2 for bad input, 130 after Ctrl-C and 141 after a broken pipe.
    """
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ImportError:
        install = "pip install 'unbraid[cli]'"
        sys.stderr.write(f"unbraid: the command line needs click and rich: {install}\n")
        return 2
    from ._app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
