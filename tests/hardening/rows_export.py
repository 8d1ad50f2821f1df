"""Bad exports: what is no function, names that are programs, numbers that do not fit, files."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.rows import Row
from unbraid import export
from unbraid.errors import InvalidFileError, InvalidOptionError, InvalidSamplesError

EXTRAS = {"to_onnx": "onnx", "to_torch": "torch", "to_jax": "jax", "to_sympy": "sympy"}
TARGETS = (
    "to_c",
    "to_matlab",
    "to_python",
    "to_onnx",
    "to_torch",
    "to_jax",
    "to_sympy",
    "to_latex",
)
HOSTILE = 'x); system("rm")', "a\nb", 'a"b', "1a", "a b", "é", "", None, 3, b"a"
SWITCH = "\\input{secrets} $x$ %{"


@cache
def function() -> unbraid.DecoupledFunction:
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    square = unbraid.Polynomial(2)
    return unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, 2, basis=square, random_state=0)


def to(target: str, *arguments: Any, d: Any = function, **options: Any) -> Any:
    if target in EXTRAS:
        pytest.importorskip(EXTRAS[target], reason="this export needs it")
    return getattr(export, target)(d(), *arguments, **options)


def bad(target: str, what: str, mentions: str, *arguments: Any, **options: Any) -> Row:
    call = partial(to, target, *arguments, **options)
    return Row(f"{target}: {what}", call, InvalidOptionError, mentions)


def large() -> unbraid.DecoupledFunction:
    return replace(function(), W=1e60 * function().W)


def dtype(name: str) -> Any:
    return getattr(pytest.importorskip("torch", reason="this export needs it"), name)


def custom() -> unbraid.DecoupledFunction:
    """A function of which one branch is a Python function."""
    d = function()
    inner = d.branches[0].curve

    class Curve:
        interval, n_parameters = inner.interval, 0

        def __call__(self, z: Any, order: int = 0) -> Any:
            return np.sin(z + order * np.pi / 2)

    return replace(d, branches=(replace(d.branches[0], curve=Curve()), *d.branches[1:]))


ROWS = [
    *(bad(target, "what is no function", "int", d=lambda: 3) for target in TARGETS),
    *(bad(target, "a branch of Python", "Branch basis", d=custom) for target in TARGETS),
    *(
        bad(target, f"a function called {name!r}", f"name {language}:", name=name)
        for target, language in (("to_c", "C"), ("to_matlab", "MATLAB"), ("to_python", "Python"))
        for name in HOSTILE
        if name is not None
    ),
    bad("to_c", "a word of C", "'while' C:", name="while"),
    bad("to_c", "a function of C", "'sqrt' C:", name="sqrt"),
    bad("to_c", "half precision", "dtype float16", dtype="float16"),
    bad("to_c", "too large for float", "single", d=large, dtype="float32"),
    Row("to_c: nowhere", lambda: to("to_c", "no/x.c"), InvalidFileError, "no/x.c"),
    Row("to_c: over a folder", lambda: to("to_c", "."), InvalidFileError, "folder"),
    bad("to_python", "a file of another kind", "a.c .py", "a.c"),
    bad("to_python", "an initial state of a function", "x0 state", x0=[0.0]),
    bad("to_simulink", "a function without a state", "state to_matlab"),
    bad("to_matlab", "another name than the file", "a.m b.m", "a.m", "b"),
    bad("to_matlab", "a file of another kind", "a.txt a.m", "a.txt"),
    bad("to_onnx", "half precision", "dtype float16", dtype="float16"),
    bad("to_onnx", "too large for float", "single", d=large, dtype="float32"),
    bad("to_torch", "a dtype by name", "dtype 'float32'", "float32"),
    Row(
        "to_torch: integers",
        lambda: to("to_torch", dtype("int32")),
        InvalidOptionError,
        "dtype int32",
    ),
    Row(
        "to_torch: too large for float",
        lambda: to("to_torch", dtype("float32"), d=large),
        InvalidOptionError,
        "range torch.float32",
    ),
    Row(
        "to_torch: three inputs",
        lambda: to("to_torch")(dtype("ones")(3).double()),
        InvalidSamplesError,
        "shape (3,)",
    ),
    Row(
        "to_torch: another precision",
        lambda: to("to_torch")(dtype("ones")(2)),
        InvalidSamplesError,
        "torch.float32 torch.float64",
    ),
    Row(
        "to_jax: three inputs", lambda: to("to_jax")(np.ones(3)), InvalidSamplesError, "shape (3,)"
    ),
    bad("to_latex", "0 digits", "digits 0", digits=0),
    bad("to_sympy", "10^9 digits", "digits 1000000000", digits=10**9),
    bad("to_latex", "one name", "names ['a']", ["a"]),
    bad("to_latex", "names by number", "names 3", 3),
    bad("to_latex", "a text of names", "names 'ab'", "ab"),
    bad("to_sympy", "an empty name", "names empty", ["", "b"]),
    Row(
        "to_latex: commands in a name are text",
        lambda: to("to_latex", [SWITCH, "a\n\nb"]),
        holds=lambda text: (
            r"\text{\textbackslash{}input\{secrets\} \$x\$ \%\{}" in text and r"\text{a b}" in text
        ),
    ),
]
