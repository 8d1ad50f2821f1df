"""``unbraid export``: write a model in another language."""

from keyword import iskeyword
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from .. import export as exports
from .._util.atomic import write_files
from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ..narx import NARX
from ..statespace import StateSpace
from ._options import COUNT_TYPE, INDEX_TYPE, NAMES_TYPE, list_type, parse_float
from ._output import print_message, print_result
from ._paths import check_writable
from ._sections import define_command, option
from ._stored import StoredModel, load_stored

TARGETS = {  # their options, with the argument of the export function
    "c": {"name": "name", "precision": "dtype", "x0": "x0"},
    "matlab": {"name": "name", "x0": "x0"},
    "simulink": {"x0": "x0"},
    "python": {"name": "name", "x0": "x0"},
    "onnx": {"precision": "dtype", "x0": "x0"},
    "latex": {"names": "names", "digits": "digits"},
    "sympy": {"names": "names", "digits": "digits"},
}
ENDINGS = {
    "c": (".c", ".h"),
    "simulink": (".m", ".txt"),
    "python": (".py",),
    "onnx": (".onnx",),
}
RUNNING = ("c", "matlab", "simulink", "python", "onnx")  # dynamic models run in these
IN_PYTHON = ("torch", "jax")  # targets that are objects, not files


@define_command(
    "unbraid export net.unbraid.json --to c -o net.c --name net",
    "unbraid export net.unbraid.json --to matlab -o net_small.m",
    "unbraid export net.unbraid.json --to onnx -o net_small.onnx --precision float32",
    "unbraid export net.unbraid.json --to latex --names left,right --digits 3",
    "unbraid export tank.unbraid.json --to c -o tank.c --name tank",
)
@click.argument("file", metavar="FILE")
@option("--to", metavar="TARGET", required=True, help=f"One of {', '.join(TARGETS)}.")
@option("-o", "--out", metavar="PATH", help="Output file; without it, text is printed.")
@option("--row", type=INDEX_TYPE, help="Row of a scan, instead of the best one.")
@option(
    "--name",
    help="Name of the function or dynamic model, in C, MATLAB and Python.  [default: decoupled or "
    "model; in MATLAB that of the file]",
)
@option(
    "--precision",
    type=click.Choice(["float64", "float32"]),
    help="Number format, in C and ONNX.  [default: float64]",
)
@option("--names", type=NAMES_TYPE, help="Names of the inputs, in LaTeX and SymPy.")
@option(
    "--digits",
    type=COUNT_TYPE,
    help="Significant digits, in LaTeX and SymPy.  [default: 3 in LaTeX, all in SymPy]",
)
@option(
    "--x0",
    type=list_type("X,X", parse_float),
    help="Initial state of a dynamic model.  [default: zeros]",
)
@option(
    "--static",
    is_flag=True,
    help="Of a dynamic model the static map only, without the state.",
)
def command(options: SimpleNamespace) -> None:
    """Write the model in FILE, or the best model of a scan, in another language.

    A dynamic model runs sample by sample in C, MATLAB, Simulink, Python and ONNX. In C it has a
    header beside the source.
    """
    target = options.to.lower()
    arguments = _check_arguments(target, options)
    out = None if options.out is None else check_writable(options.out, ENDINGS.get(target, ()))
    model = _choose_model(load_stored(options.file, options.row), target, options.static)
    text = _export(model, target, out, arguments)
    has_header = target == "c" and not isinstance(model, DecoupledFunction)
    if out is not None:
        print_message(f"wrote {out} and {out.with_suffix('.h')}" if has_header else f"wrote {out}")
        return
    if has_header:
        print_message("the header is not printed: name a file with -o to write both")
    print_result(text.rstrip("\n"))


def _choose_model(stored: StoredModel, target: str, static: bool) -> Any:
    """The dynamic model where it can run in the target, else the decoupled function."""
    model = stored.model
    if isinstance(model, (NARX, StateSpace)) and target in RUNNING and not static:
        return model
    if stored.signal_names[0] is not None:
        part = "static map of the NARX model is"
        if isinstance(model, StateSpace):
            part = "curves of the state-space model, without its linear part, are"
        inputs = ", ".join(stored.signal_names[0])
        print_message(f"only the {part} written, with inputs {inputs}")
    return stored.decoupled


def _check_arguments(target: str, options: SimpleNamespace) -> dict[str, Any]:
    """The arguments of the export function, once all options suit the target."""
    if target in IN_PYTHON:
        raise InvalidOptionError(
            f"a model of {target} is an object, not a file: in Python, "
            f"unbraid.export.to_{target}(unbraid.load({options.file!r}))"
        )
    if target not in TARGETS:
        raise InvalidOptionError(f"{target!r} is no target: choose from {', '.join(TARGETS)}")
    for name in ("name", "precision", "names", "digits", "x0"):
        if getattr(options, name) is not None and name not in TARGETS[target]:
            owners = ", ".join(other for other, taken in TARGETS.items() if name in taken)
            raise InvalidOptionError(f"--{name} has no meaning for {target}; it is for {owners}")
    if options.name is not None and not options.name.strip():
        raise InvalidOptionError("--name is empty: name the function, or leave it out")
    if target == "onnx" and options.out is None:
        raise InvalidOptionError("ONNX cannot be printed as text: name a file with -o FILE.onnx")
    given = {argument: getattr(options, name) for name, argument in TARGETS[target].items()}
    return {argument: value for argument, value in given.items() if value is not None}


def _export(d: Any, target: str, out: Path | None, arguments: dict[str, Any]) -> Any:
    """Write the file if one is named, and return its text (of ONNX the model)."""
    if target not in ("latex", "sympy"):
        return getattr(exports, f"to_{target}")(d, out, **arguments)
    text = exports.to_latex(d, **arguments) if target == "latex" else _to_text(d, **arguments)
    if out is not None:
        write_files((out, f"{text}\n".encode()))
    return text


def _to_text(d: DecoupledFunction, names: Any = None, digits: int | None = None) -> str:
    """The outputs as expressions that SymPy can read."""
    expressions = exports.to_sympy(d, names, digits)
    import sympy

    for name in names or d.input_names or ():
        if not name.isidentifier() or iskeyword(name) or hasattr(sympy, name):
            raise InvalidOptionError(
                f"{name!r} cannot name an input in text that SymPy reads: name the inputs with "
                f"--names, in letters, digits and underscores, and not like a name of SymPy"
            )
    return "\n".join(f"f{o + 1} = {expression}" for o, expression in enumerate(expressions))
