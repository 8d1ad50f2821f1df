"""Bad inputs to a decoupled function, its branches, names and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from hardening.plain import P, known_function, refused, shown
from hardening.rows import Row
from unbraid import (
    Branch,
    BSpline,
    CustomBasis,
    DecoupledFunction,
    InvalidFile,
    InvalidOption,
    InvalidSamples,
    load,
)
from unbraid.branches import Expansion, fit_branch

DRAWN = find_spec("matplotlib") is not None
Z = np.linspace(-1.0, 1.0, 40)
SPLINE = fit_branch(BSpline(8), Z, np.sin(Z))


def asked(what: str, says: str, call: Callable[[DecoupledFunction], Any], error: Any) -> Row:
    """A row about a function that is made when the row is run, not when it is written."""
    return Row(what, lambda: call(known_function()), error, says)


WAYS: dict[str, Callable[[DecoupledFunction], Callable[[Any], Any]]] = {
    "call": lambda d: d,
    "jacobian": lambda d: d.jacobian,
    "transform": lambda d: d.transform,
    "describe": lambda d: d.describe,
}
POINTS = [
    asked(f"{way} at {what}", says, lambda d, a=points, way=way: WAYS[way](d)(a), InvalidSamples)
    for way in WAYS
    for what, points, says in (
        ("three columns", np.ones((9, 3)), r"2 inputs|3 columns"),
        ("a longer vector", [1.0, 2.0, 3.0], r"pass \(N, 2\)|one row a point"),
        ("NaN", np.full((9, 2), np.nan), "remove those points"),
        ("infinity", np.full((9, 2), np.inf), "remove those points"),
        ("complex numbers", P + 1j, "pass real numbers"),
        ("text", "a", "convert it|must be a table"),
        ("masked points", np.ma.masked_greater(P, 0.5), "masked at"),
        ("three axes", np.ones((1, 9, 2)), r"pass \(N, 2\)|one row a point"),
    )
] + [
    asked("call at None", "points is None", lambda d: d(None), InvalidSamples),
    asked(
        "call at 1e308",
        "overflows at 1 point.*nearer to the data",
        lambda d: _going_on(d, "basis")([[0.1, 0.1], [1e308, 1e308]]),
        InvalidSamples,
    ),
    asked(
        "jacobian at 1e308",
        "overflows at 1 point, the first at index 1",
        lambda d: _going_on(d, "basis").jacobian([[0.1, 0.1], [1e308, 1e308]]),
        InvalidSamples,
    ),
    asked("describe two points", "pass at least 5", lambda d: d.describe(P[:2]), InvalidSamples),
    asked("describe 1e200", "use units", lambda d: d.describe(1e200 * P), InvalidSamples),
    Row(
        "call at no points (fine)",
        lambda: known_function()(np.zeros((0, 2))).shape,
        holds=lambda shape: shape == (0, 1),
    ),
    Row(
        "jacobian at no points (fine)",
        lambda: known_function().jacobian(np.zeros((0, 2))).shape,
        holds=lambda shape: shape == (0, 1, 2),
    ),
    Row(
        "nan asked for outside (fine)",
        lambda: _going_on(known_function(), "nan")([[50.0, 50.0]]),
        holds=lambda values: bool(np.isnan(values).all()),
    ),
]


def _going_on(d: DecoupledFunction, way: Any) -> DecoupledFunction:
    return replace(d, branches=tuple(replace(branch, extrapolate=way) for branch in d.branches))


def same(change: Callable[[np.ndarray], Any]) -> bool:
    """Does the form of the points change nothing?"""
    d = known_function()
    return np.array_equal(d(change(P)), d(P)) and np.array_equal(
        d.jacobian(change(P)), d.jacobian(P)
    )


FORMS = [
    Row(f"call: {what} (fine)", lambda change=change: same(change), holds=bool)
    for what, change in (
        ("Fortran's order", np.asfortranarray),
        ("big-endian", lambda p: p.astype(">f8")),
        ("every other row", lambda p: np.repeat(p, 2, axis=0)[::2]),
        ("lists", np.ndarray.tolist),
        ("masked nowhere", np.ma.array),
    )
]

BRANCHES = [
    refused(f"branch{dash} at {what}", InvalidSamples, says, method, z)
    for dash, method in (("", SPLINE), ("'", SPLINE.derivative))
    for what, z, says in (
        ("text", ["a"], "convert it"),
        ("1j", 1j, "pass real numbers"),
        ("ragged lists", [[1], [1, 2]], "not a rectangular array"),
        ("None", None, "z is None"),
        ("masked z", np.ma.masked_greater(Z, 0.5), "masked at"),
    )
] + [
    Row(
        "branch at infinity (quiet)",
        lambda: SPLINE([np.inf, -np.inf]).shape,
        holds=lambda shape: shape == (2,),
    ),
    Row(
        "branch at NaN (NaN)",
        lambda: SPLINE([np.nan, 0.0]),
        holds=lambda g: bool(np.isnan(g[0]) and np.isfinite(g[1])),
    ),
    refused("branch of nothing", InvalidOption, "made by fit_branch", Branch, None),
    refused("branch of a plain function", InvalidOption, "made by fit_branch", Branch, np.sin),
    refused(
        "branch that goes on flat", InvalidOption, "choose 'linear'", Branch, SPLINE.curve, "flat"
    ),
    refused(
        "branch with a margin of NaN",
        InvalidOption,
        "margin must be",
        Branch,
        SPLINE.curve,
        margin=np.nan,
    ),
    refused(
        "branch with marks of one column",
        InvalidOption,
        "two columns, z and g",
        Branch,
        SPLINE.curve,
        estimate=np.ones(3),
    ),
    Row(
        "too many coefficients",
        lambda: Expansion(SPLINE.curve.basis, np.ones(99)),
        InvalidOption,
        "takes 7 coefficients",
    ),
]


def made(**changes: Any) -> Callable[[DecoupledFunction], DecoupledFunction]:
    return lambda d: replace(d, **changes)


PARTS = [
    asked(f"function with {what}", says, call, error)
    for what, says, call, error in (
        ("W None", "W is None", made(W=None), InvalidSamples),
        ("W of words", "W .* text", made(W="a"), InvalidSamples),
        ("NaN in W", "W holds 2 NaN", made(W=np.full((1, 2), np.nan)), InvalidSamples),
        ("W too wide", r"W is \(n, r\)", made(W=np.ones((1, 3))), InvalidSamples),
        ("V too narrow", "do not belong together", made(V=np.ones((2, 1))), InvalidSamples),
        ("three offsets", "3 offsets do not belong", made(offset=np.zeros(3)), InvalidSamples),
        ("one number for offset", "offset has shape", made(offset=0.0), InvalidSamples),
        ("no branches", "do not belong together", made(branches=()), InvalidSamples),
        ("numbers for branches", "list of Branch", made(branches=(1, 2)), InvalidOption),
        ("no list of branches", "list of Branch", made(branches=3), InvalidOption),
    )
]

NAMES = [
    asked(f"named {shown(names)}", says, lambda d, names=names: d.named(names), InvalidOption)
    for names, says in (
        (["a"], "pass 2 different names"),
        (["a", "a"], "pass 2 different names"),
        (["a", "b", "c"], "pass 2 different names"),
        ("ab", "is the text 'ab': pass a list of 2 names"),
        (5, "pass a list of 2 names"),
    )
] + [
    asked("plot with one name", "2 different names", lambda d: d.plot(names=["a"]), InvalidOption),
    asked(
        "describe with a number for names",
        "pass a list of 2 names",
        lambda d: d.describe(names=7),
        InvalidOption,
    ),
    asked(
        "two outputs named",
        "pass 1 different names",
        lambda d: d.named(None, ["a", "b"]),
        InvalidOption,
    ),
]


def kept(names: list[str]) -> bool:
    """Do odd names go to a file and back, and into words, formulas and pictures?"""
    d = known_function().named(names)
    again = load(d.save("named.json"))
    if DRAWN:
        d.plot("named.png")
    said = again.describe()
    return again.input_names == tuple(names) and bool(said.words) and bool(said.latex)


NAMES += [
    Row(f"names {shown(names)} (fine)", lambda names=names: kept(names), holds=bool)
    for names in (["$x$", "\\frac{"], ["", " "], ["a\nb", '"'], ["x" * 500, "<script>"])
]

PATHS = [
    asked(f"{name} {shown(path)}", says, lambda d, a=path, way=way: way(d, a), InvalidFile)
    for name, way in (
        ("save to", DecoupledFunction.save),
        *([("plot to", DecoupledFunction.plot)] if DRAWN else []),
        ("load", lambda _, path: load(path)),
    )
    for path, says in (
        (5, "is no path to a file: pass its name"),
        (["a.json"], "is no path to a file"),
        ("", "names no file"),
        ("a\0b.png", "names no file"),
        ("missing/x.png", "No such file or directory"),
    )
] + [
    refused("load a folder", InvalidFile, "directory|names no file", load, "."),
    asked(
        "save a custom basis", "cannot be saved", lambda d: _custom(d).save("x.json"), InvalidOption
    ),
]

if DRAWN:
    PATHS += [
        asked("plot as .foo", "'foo' is not supported", lambda d: d.plot("x.foo"), InvalidFile)
    ]


def _custom(d: DecoupledFunction) -> DecoupledFunction:
    branch = fit_branch(CustomBasis([np.tanh], [lambda z: 1 - np.tanh(z) ** 2]), Z, np.tanh(Z))
    return replace(d, branches=(branch, branch))


ROWS = POINTS + FORMS + BRANCHES + PARTS + NAMES + PATHS
