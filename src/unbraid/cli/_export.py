"""``unbraid export``: a model for another language."""

from __future__ import annotations

from collections.abc import Callable
from keyword import iskeyword
from pathlib import Path
from types import SimpleNamespace

import click

from .. import export as exports
from .._util.atomic import write_whole
from ..errors import InvalidOption
from ..model._function import DecoupledFunction
from ..narx import NARX
from ._options import WORDS
from ._output import note, say
from ._paths import writable
from ._sections import command as new_command
from ._sections import option
from ._stored import stored

EXAMPLES = """
unbraid export net.unbraid.json --to c -o net.c --name net
unbraid export net.unbraid.json --to matlab -o net_small.m
unbraid export net.unbraid.json --to onnx -o net_small.onnx --precision float32
unbraid export net.unbraid.json --to latex --names left,right --digits 3
"""
OBJECTS = {"torch": "to_torch", "jax": "to_jax"}


@new_command(EXAMPLES)
@click.argument("file", metavar="FILE")
@option(
    "Options",
    "--to",
    "target",
    metavar="TARGET",
    required=True,
    help="c, matlab, onnx, latex or sympy.",
)
@option("Options", "-o", "--out", metavar="PATH", help="File to write; text is printed without it.")
@option(
    "Options", "--row", type=click.IntRange(min=0), help="Of a scan: this row instead of the best."
)
@option(
    "Options",
    "--name",
    help="Of the function, in C and MATLAB.  [default: decoupled; in MATLAB that of the file]",
)
@option(
    "Options",
    "--precision",
    type=click.Choice(["float64", "float32"]),
    help="Of the numbers, in C and ONNX.  [default: float64]",
)
@option("Options", "--names", type=WORDS, help="Of the inputs, in LaTeX and SymPy.")
@option(
    "Options",
    "--digits",
    type=click.IntRange(min=1),
    help="Of the numbers, in LaTeX and SymPy.  [default: 3 in LaTeX, all in SymPy]",
)
def command(options: SimpleNamespace) -> None:
    """Write the model in FILE, or the best of a scan, for another language."""
    write = _writer(options)
    endings = ENDINGS.get(options.target.lower(), ())
    out = None if options.out is None else writable(options.out, *endings)
    found = stored(options.file, options.row)
    if isinstance(found.model, NARX) and found.function is not None:
        note(f"the static map of the NARX model is written, of {', '.join(found.names or ())}")
    text = write(found.decoupled, out, options)
    if out is not None:
        note(f"wrote {out}")
    elif text is not None:
        say(text.rstrip("\n"))


Writer = Callable[[DecoupledFunction, Path | None, SimpleNamespace], str | None]


def _writer(options: SimpleNamespace) -> Writer:
    """What writes the target, once the options suit it."""
    target = options.target.lower()
    if target in OBJECTS:
        raise InvalidOption(
            f"a model of {target} is an object, not a file: in Python, "
            f"unbraid.export.{OBJECTS[target]}(unbraid.load({options.file!r}))"
        )
    if target not in WRITERS:
        raise InvalidOption(f"{target!r} is no target: choose from {', '.join(WRITERS)}")
    for name in ("name", "precision", "names", "digits"):
        if getattr(options, name) is not None and name not in TAKES[target]:
            owners = ", ".join(other for other, taken in TAKES.items() if name in taken)
            raise InvalidOption(f"--{name} has no meaning for {target}; it is for {owners}")
    if options.name is not None and not options.name.strip():
        raise InvalidOption("--name is empty: name the function, or leave it out")
    if target == "onnx" and options.out is None:
        raise InvalidOption("ONNX is no text to be printed: say where with -o FILE.onnx")
    return WRITERS[target]


def _c(d: DecoupledFunction, out: Path | None, options: SimpleNamespace) -> str:
    return exports.to_c(d, out, options.name or "decoupled", options.precision or "float64")


def _matlab(d: DecoupledFunction, out: Path | None, options: SimpleNamespace) -> str:
    return exports.to_matlab(d, out, options.name)


def _onnx(d: DecoupledFunction, out: Path | None, options: SimpleNamespace) -> None:
    exports.to_onnx(d, out, options.precision or "float64")


def _latex(d: DecoupledFunction, out: Path | None, options: SimpleNamespace) -> str:
    return _kept(exports.to_latex(d, options.names, options.digits or 3), out)


def _sympy(d: DecoupledFunction, out: Path | None, options: SimpleNamespace) -> str:
    expressions = exports.to_sympy(d, options.names, options.digits)
    import sympy

    for name in options.names or d.input_names or ():
        if not name.isidentifier() or iskeyword(name) or hasattr(sympy, name):
            raise InvalidOption(
                f"{name!r} cannot stand for an input in a text that SymPy reads: name the inputs "
                f"with --names, in letters, digits and underscores, and not as SymPy calls its own"
            )
    lines = [f"f{o + 1} = {expression}" for o, expression in enumerate(expressions)]
    return _kept("\n".join(lines), out)


def _kept(text: str, out: Path | None) -> str:
    """The text, also in a file where one is named."""
    if out is not None:
        write_whole((out, f"{text}\n".encode()))
    return text


WRITERS: dict[str, Writer] = {
    "c": _c,
    "matlab": _matlab,
    "onnx": _onnx,
    "latex": _latex,
    "sympy": _sympy,
}
ENDINGS = {"c": (".c", ".h"), "onnx": (".onnx",)}
TAKES = {
    "c": ("name", "precision"),
    "matlab": ("name",),
    "onnx": ("precision",),
    "latex": ("names", "digits"),
    "sympy": ("names", "digits"),
}
