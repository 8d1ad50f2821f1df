"""The group of all commands.

Each command is imported on use, so that help stays quick.
"""

import os
import sys
import traceback
from importlib import import_module

import click

from .. import __version__
from ..errors import UnbraidError
from ._output import print_message, replace_closed_streams, show_warnings_as_messages

COMMANDS = {
    "demo": "The toy problem of the paper: a table, a plot, a report.",
    "decouple": "Decouple a model, samples or data.",
    "identify": "Identify the best dynamic model of a record.",
    "narx": "Identify a dynamic system, decouple it, simulate it.",
    "statespace": "Identify a nonlinear state-space model, simulate it.",
    "predict": "Evaluate a static model on a table of points.",
    "simulate": "Simulate a dynamic model on a record.",
    "scan": "Decouple with many settings and compare the results.",
    "show": "Show a model or a scan in the terminal, with plots of the branches.",
    "report": "Write a model or a scan as one HTML page.",
    "export": "Write a model as C, MATLAB, Simulink, Python, ONNX, LaTeX or SymPy.",
    "reproduce": "Recompute the tables and figures of the paper.",
    "benchmark": "Fit public records, beside published results.",
}
EXIT_INTERRUPTED = 130  # the code of a shell for Ctrl-C
EXIT_BROKEN_PIPE = 141  # the code of a shell for a pipe that was closed at its other end
USER_ERRORS = (UnbraidError, OSError, click.ClickException, MemoryError)
EXAMPLES = """\b
Examples:
  unbraid demo --out demo
  unbraid decouple net.onnx --box -1:1
  unbraid show net.unbraid.json
"""


class CommandGroup(click.Group):
    """Commands by name; each is the ``command`` of the module of that name."""

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
    cls=CommandGroup, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="unbraid %(version)s")
def group() -> None:
    """Decouple multivariate functions into univariate ones: f(p) = W g(V'p) + c.

    Results go to standard output, messages to standard error. The exit code is 0 after success, 2
    for bad input, 130 after Ctrl-C and 141 after a broken pipe. UNBRAID_TRACEBACK=1 shows the
    traceback of an error.
    """


def run(arguments: list[str]) -> int:
    """Run a command line, print errors as short messages, return the exit code."""
    replace_closed_streams()
    try:
        return _run(arguments)
    except (click.Abort, KeyboardInterrupt):
        print_message("stopped")
        return EXIT_INTERRUPTED


def _run(arguments: list[str]) -> int:
    try:
        with show_warnings_as_messages() as messages:
            arguments = arguments or ["--help"]
            code = group.main(arguments, "unbraid", standalone_mode=False, obj=messages)
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except SystemExit as end:  # click exits with 1 where the reader of a pipe is gone
        return EXIT_BROKEN_PIPE if end.code == 1 else 2
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - takes what is left to flush
        return EXIT_BROKEN_PIPE
    except USER_ERRORS as error:
        if os.environ.get("UNBRAID_TRACEBACK"):
            traceback.print_exc()
        print_message(_format_error(error))
        return 2


def _format_error(error: BaseException) -> str:
    """The message of an error; for a mistyped command also where its help is."""
    if isinstance(error, MemoryError):
        return "out of memory: use fewer points"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if not isinstance(error, click.ClickException):
        return str(error) or type(error).__name__
    text = error.format_message()
    context = getattr(error, "ctx", None)
    return text if context is None else f"{text}\nTry '{context.command_path} --help'."
