"""The command line, and the only room that prints. ``unbraid demo`` is what ``make demo`` runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

NEEDED = "unbraid: the command line needs click and rich: pip install 'unbraid[cli]'\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0; 2 with a reason; 130 after Ctrl-C; 141 with no reader."""
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ImportError:
        sys.stderr.write(NEEDED)
        return 2
    from ._app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
