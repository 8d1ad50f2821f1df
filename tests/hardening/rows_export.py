"""Bad exports: what is no function, names that are programs, numbers that do not fit, files."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.rows import Row
from unbraid import export
from unbraid.errors import InvalidFile, InvalidOption, InvalidSamples

EXTRAS = {"to_onnx": "onnx", "to_torch": "torch", "to_jax": "jax", "to_sympy": "sympy"}
TARGETS = ("to_c", "to_matlab", "to_onnx", "to_torch", "to_jax", "to_sympy", "to_latex")
HOSTILE = 'x); system("rm")', "a\nb", 'a"b', "1a", "a b", "é", "", None, 3, b"a"
SWITCH = "\\input{secrets} $x$ %{"


@cache
def function() -> unbraid.DecoupledFunction:
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    square = unbraid.Polynomial(2)
    return unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, 2, basis=square, random_state=0)


def to(target: str, *arguments: Any, d: Any = "ours", **options: Any) -> Any:
    if target in EXTRAS:
        pytest.importorskip(EXTRAS[target], reason="this export needs it")
    return getattr(export, target)(function() if isinstance(d, str) else d, *arguments, **options)


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


def refused_names(target: str, language: str) -> list[Row]:
    return [
        Row(
            f"{target}: a function called {name!r}",
            lambda name=name: to(target, name=name),
            InvalidOption,
            f"cannot name a function in {language}: use letters",
        )
        for name in HOSTILE
        if not (target == "to_matlab" and name is None)
    ]


ROWS = [
    *(
        Row(
            f"{target}: what is no function",
            lambda t=target: to(t, d=3),
            InvalidOption,
            "unbraid.load",
        )
        for target in TARGETS
    ),
    *(
        Row(
            f"{target}: a branch of Python",
            lambda t=target: to(t, d=custom()),
            InvalidOption,
            "refit it",
        )
        for target in TARGETS
    ),
    *refused_names("to_c", "C"),
    *refused_names("to_matlab", "MATLAB"),
    Row("to_c: a word of C", lambda: to("to_c", name="while"), InvalidOption, "no word that C"),
    Row("to_c: a function of C", lambda: to("to_c", name="sqrt"), InvalidOption, "no word that C"),
    Row(
        "to_c: half precision",
        lambda: to("to_c", dtype="float16"),
        InvalidOption,
        "choose 'float64'",
    ),
    Row(
        "to_c: too large for float",
        lambda: to("to_c", d=large(), dtype="float32"),
        InvalidOption,
        "in double",
    ),
    Row("to_c: nowhere", lambda: to("to_c", "no/x.c"), InvalidFile, "cannot write"),
    Row("to_c: over a folder", lambda: to("to_c", "."), InvalidFile, "perhaps a folder"),
    Row(
        "to_matlab: another name than the file",
        lambda: to("to_matlab", "a.m", "b"),
        InvalidOption,
        "b.m",
    ),
    Row(
        "to_matlab: a file of another kind",
        lambda: to("to_matlab", "a.txt"),
        InvalidOption,
        "must be called",
    ),
    Row(
        "to_onnx: half precision",
        lambda: to("to_onnx", dtype="float16"),
        InvalidOption,
        "choose 'float64'",
    ),
    Row(
        "to_onnx: too large for float",
        lambda: to("to_onnx", d=large(), dtype="float32"),
        InvalidOption,
        "in double",
    ),
    Row(
        "to_torch: a dtype by name",
        lambda: to("to_torch", "float32"),
        InvalidOption,
        "torch.float32",
    ),
    Row("to_torch: integers", lambda: to("to_torch", dtype("int32")), InvalidOption, "a real one"),
    Row(
        "to_torch: too large for float",
        lambda: to("to_torch", dtype("float32"), d=large()),
        InvalidOption,
        "in double",
    ),
    Row(
        "to_torch: three inputs",
        lambda: to("to_torch")(dtype("ones")(3).double()),
        InvalidSamples,
        "m = 2",
    ),
    Row(
        "to_torch: another precision",
        lambda: to("to_torch")(dtype("ones")(2)),
        InvalidSamples,
        "torch.float64",
    ),
    Row("to_jax: three inputs", lambda: to("to_jax")(np.ones(3)), InvalidSamples, "2 inputs"),
    Row("to_latex: 0 digits", lambda: to("to_latex", digits=0), InvalidOption, "at least 1"),
    Row(
        "to_sympy: 10^9 digits", lambda: to("to_sympy", digits=10**9), InvalidOption, "at most 100"
    ),
    Row("to_latex: one name", lambda: to("to_latex", ["a"]), InvalidOption, "2 different names"),
    Row("to_latex: names by number", lambda: to("to_latex", 3), InvalidOption, "2 names"),
    Row(
        "to_latex: a text of names",
        lambda: to("to_latex", "ab"),
        InvalidOption,
        "2 different names",
    ),
    Row(
        "to_sympy: an empty name",
        lambda: to("to_sympy", ["", "b"]),
        InvalidOption,
        "a name is empty",
    ),
    Row(
        "to_latex: commands in a name are text",
        lambda: to("to_latex", [SWITCH, "a\n\nb"]),
        holds=lambda text: (
            r"\text{\textbackslash{}input\{secrets\} \$x\$ \%\{}" in text and r"\text{a b}" in text
        ),
    ),
]
