"""The group of all commands. A command is imported when it is asked for, so that help is quick."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module

import click

from .. import __version__
from ..errors import UnbraidError
from ._output import note, open_streams, warnings_as_notes

COMMANDS = {
    "demo": "The toy problem of the paper: a table, a picture, a report.",
    "decouple": "Decouple a model, or samples of one.",
    "narx": "Identify a dynamic system, decouple it, simulate it.",
    "scan": "Decouple in many ways, and compare.",
    "show": "A model or a scan in the terminal, branches drawn.",
    "report": "A model or a scan as one HTML page.",
    "export": "A model as C, MATLAB, ONNX, LaTeX or SymPy.",
    "reproduce": "Tables and figures of the paper beside the published numbers.",
}
STOPPED = 130  # by Ctrl-C
PIPE = 141  # what a shell says of a program whose reader went away
EXPECTED = (UnbraidError, OSError, click.ClickException, MemoryError)
EXAMPLES = """\b
Examples:
  unbraid demo --out demo
  unbraid decouple net.onnx --box -1:1
  unbraid show net.unbraid.json
"""


class Commands(click.Group):
    """Commands by name; each is the ``command`` of a module of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found = import_module(f"._{cmd_name}", __package__).command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="unbraid %(version)s")
def group() -> None:
    """Take a function of many variables apart into functions of one: f(p) = W g(V'p) + c.

    Results go to standard output, all else to standard error. The exit code is 0, 2 for bad input
    of any kind, 130 after Ctrl-C, 141 where the reader of a pipe goes away. UNBRAID_TRACEBACK=1
    shows where an error came from.
    """


def run(arguments: list[str]) -> int:
    """Run a command line and say what went wrong in a line or two."""
    open_streams()
    try:
        return _run(arguments)
    except (click.Abort, KeyboardInterrupt):
        note("stopped")
        return STOPPED


def _run(arguments: list[str]) -> int:
    try:
        with warnings_as_notes():
            code = group.main(arguments or ["--help"], "unbraid", standalone_mode=False)
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except SystemExit as left:  # the reader of a pipe went away
        return PIPE if left.code == 1 else 2
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - what is left to flush goes there
        return PIPE
    except EXPECTED as error:
        if os.environ.get("UNBRAID_TRACEBACK"):
            traceback.print_exc()
        note(_said(error))
        return 2


def _said(error: BaseException) -> str:
    """What an error says, and for a mistyped command where to look."""
    if isinstance(error, MemoryError):
        return "out of memory: use fewer points"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if not isinstance(error, click.ClickException):
        return str(error) or type(error).__name__
    text = error.format_message()
    context = getattr(error, "ctx", None)
    return text if context is None else f"{text}\nTry '{context.command_path} --help'."
