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
    InvalidFileError,
    InvalidOptionError,
    InvalidSamplesError,
    load,
)
from unbraid.model._branch_fit import fit_branch
from unbraid.model._curves import Expansion

DRAWN = find_spec("matplotlib") is not None
Z = np.linspace(-1.0, 1.0, 40)
SPLINE = fit_branch(BSpline(8), Z, np.sin(Z))


def asked(what: str, mentions: str, call: Callable[[DecoupledFunction], Any], error: Any) -> Row:
    """A row about a function that is made when the row is run, not when it is written."""
    return Row(what, lambda: call(known_function()), error, mentions)


WAYS: dict[str, Callable[[DecoupledFunction], Callable[[Any], Any]]] = {
    "call": lambda d: d,
    "jacobian": lambda d: d.jacobian,
    "transform": lambda d: d.transform,
    "describe": lambda d: d.describe,
}
FAR = [[0.1, 0.1], [1e308, 1e308]]
POINTS = [
    asked(
        f"{way} at {what}",
        f"points {word}",
        lambda d, a=points, way=way: WAYS[way](d)(a),
        InvalidSamplesError,
    )
    for way in WAYS
    for what, points, word in (
        ("three columns", np.ones((9, 3)), "inputs"),
        ("a longer vector", [1.0, 2.0, 3.0], "(3,)"),
        ("NaN", np.full((9, 2), np.nan), "NaN"),
        ("infinity", np.full((9, 2), np.inf), "infinite"),
        ("complex numbers", P + 1j, "complex"),
        ("text", "a", "text"),
        ("masked points", np.ma.masked_greater(P, 0.5), "masked"),
        ("three axes", np.ones((1, 9, 2)), "shape"),
    )
]
POINTS += [
    asked(what, mentions, call, InvalidSamplesError)
    for what, mentions, call in (
        ("call at None", "points None", lambda d: d(None)),
        ("call at 1e308", "overflows index", lambda d: _going_on(d, "basis")(FAR)),
        ("jacobian at 1e308", "overflows index", lambda d: _going_on(d, "basis").jacobian(FAR)),
        ("describe two points", "points 5", lambda d: d.describe(P[:2])),
        ("describe 1e200", "points units", lambda d: d.describe(1e200 * P)),
    )
]
POINTS += [
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
    refused(f"branch{dash} at {what}", InvalidSamplesError, word, method, z)
    for dash, method in (("", SPLINE), ("'", SPLINE.derivative))
    for what, z, word in (
        ("text", ["a"], "text"),
        ("1j", 1j, "complex"),
        ("ragged lists", [[1], [1, 2]], "rectangular"),
        ("None", None, "None"),
        ("masked z", np.ma.masked_greater(Z, 0.5), "masked"),
    )
]
BRANCHES += [
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
    Row(
        "too many coefficients",
        lambda: Expansion(SPLINE.curve.basis, np.ones(99)),
        InvalidOptionError,
        "coefficients (99,)",
    ),
    refused("branch of nothing", InvalidOptionError, "curve None", Branch, None),
    refused("branch of a plain function", InvalidOptionError, "curve 'sin'", Branch, np.sin),
]
BRANCHES += [
    refused(f"branch {what}", InvalidOptionError, mentions, Branch, SPLINE.curve, **keywords)
    for what, mentions, keywords in (
        ("that goes on flat", "extrapolate 'flat'", {"extrapolate": "flat"}),
        ("with a margin of NaN", "margin nan", {"margin": np.nan}),
        ("with marks of one column", "estimate columns", {"estimate": np.ones(3)}),
    )
]


def made(**changes: Any) -> Callable[[DecoupledFunction], DecoupledFunction]:
    return lambda d: replace(d, **changes)


PARTS = [
    asked(f"function with {what}", mentions, made(**changes), error)
    for error, what, mentions, changes in (
        (InvalidSamplesError, "W None", "W None", {"W": None}),
        (InvalidSamplesError, "W of words", "W text", {"W": "a"}),
        (InvalidSamplesError, "NaN in W", "W NaN", {"W": np.full((1, 2), np.nan)}),
        (InvalidSamplesError, "W too wide", "W belong", {"W": np.ones((1, 3))}),
        (InvalidSamplesError, "V too narrow", "V belong", {"V": np.ones((2, 1))}),
        (InvalidSamplesError, "three offsets", "3 offsets", {"offset": np.zeros(3)}),
        (InvalidSamplesError, "one number for offset", "offset shape", {"offset": 0.0}),
        (InvalidSamplesError, "no branches", "0 branches", {"branches": ()}),
        (InvalidOptionError, "numbers for branches", "branches list", {"branches": (1, 2)}),
        (InvalidOptionError, "no list of branches", "branches list", {"branches": 3}),
    )
]

NAMES = [
    asked(f"named {shown(a)}", "inputs names", lambda d, a=a: d.named(a), InvalidOptionError)
    for a in (["a"], ["a", "a"], ["a", "b", "c"], "ab", 5)
] + [
    asked(what, mentions, call, InvalidOptionError)
    for what, mentions, call in (
        ("plot with one name", "names ['a']", lambda d: d.plot(names=["a"])),
        ("describe with a number for names", "names 7", lambda d: d.describe(names=7)),
        ("two outputs named", "outputs names", lambda d: d.named(None, ["a", "b"])),
    )
]


def kept(names: list[str]) -> bool:
    """Do odd names go to a file and back, and into words, formulas and pictures?"""
    d = known_function().named(names)
    again = load(d.save("named.json"))
    if DRAWN:
        d.plot("named.png")
    said = again.describe()
    return again.input_names == tuple(names) and bool(said.words) and bool(said.to_latex())


NAMES += [
    Row(f"names {shown(names)} (fine)", lambda names=names: kept(names), holds=bool)
    for names in (["$x$", "\\frac{"], ["", " "], ["a\nb", '"'], ["x" * 500, "<script>"])
]

PATHS = [
    asked(f"{name} {shown(path)}", mentions, lambda d, a=path, way=way: way(d, a), InvalidFileError)
    for name, way in (
        ("save to", DecoupledFunction.save),
        *([("plot to", DecoupledFunction.plot)] if DRAWN else []),
        ("load", lambda _, path: load(path)),
    )
    for path, mentions in (
        (5, "5 path"),
        (["a.json"], "a.json path"),
        ("", "folder"),
        ("a\0b.png", "folder"),
        ("missing/x.png", "missing/x.png"),
    )
] + [
    refused("load a folder", InvalidFileError, "folder", load, "."),
    asked(
        "save a custom basis",
        "CustomBasis saved",
        lambda d: _custom(d).save("x.json"),
        InvalidOptionError,
    ),
]

if DRAWN:
    PATHS += [asked("plot as .foo", "'foo'", lambda d: d.plot("x.foo"), InvalidFileError)]


def _custom(d: DecoupledFunction) -> DecoupledFunction:
    branch = fit_branch(CustomBasis([np.tanh], [lambda z: 1 - np.tanh(z) ** 2]), Z, np.tanh(Z))
    return replace(d, branches=(branch, branch))


ROWS = POINTS + FORMS + BRANCHES + PARTS + NAMES + PATHS
