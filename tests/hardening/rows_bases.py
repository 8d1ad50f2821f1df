"""Bad inputs to bases, filters and moulds."""

from __future__ import annotations

from typing import Any

import numpy as np

from hardening.plain import refused, shown
from hardening.rows import Row
from unbraid import (
    RBF,
    BSpline,
    CustomBasis,
    DegenerateBranch,
    Filter,
    Fourier,
    InvalidOption,
    InvalidSamples,
    Mould,
    PiecewiseLinear,
    Polynomial,
)

Z = np.linspace(0.0, 1.0, 50)

MADE = [
    refused(f"{kind.__name__}{shown(arguments)}", InvalidOption, says, kind, *arguments)
    for kind, arguments, says in (
        (Polynomial, (0,), "degree must be a whole number of at least 1"),
        (Polynomial, (2.0,), "degree must be a whole number"),
        (Polynomial, ("3",), "degree must be a whole number"),
        (Polynomial, (True,), "degree must be a whole number"),
        (Polynomial, (3, "a", "b"), "low and high must be two numbers"),
        (Polynomial, (3, 0.0), "low and high must be two numbers"),
        (BSpline, (3,), "n_coefficients must be .* at least 4"),
        (BSpline, (5, 0), "degree must be"),
        (BSpline, (5, 3, (1.0, 2.0)), r"knots must be 9 numbers .* call bind"),
        (BSpline, (5, 3, "ab"), "knots must be 9 numbers"),
        (BSpline, (5, 3, tuple(range(9, 0, -1))), "do not fall"),
        (PiecewiseLinear, (1,), "at least 2"),
        (Fourier, (0,), "n_harmonics must be"),
        (Fourier, (2, "a"), "stretch must be a number from 1"),
        (Fourier, (2, 0.5), "stretch must be a number from 1"),
        (Fourier, (2, np.nan), "stretch must be"),
        (Fourier, (2, np.inf), "stretch must be"),
        (Fourier, (2, np.ones(3)), "stretch must be"),
        (RBF, (1,), "n_centres must be .* at least 2"),
        (RBF, (5, 0.0), "width .* must be a number from"),
        (RBF, (5, 1e-300), "width .* must be a number from"),
        (RBF, (5, np.ones(2)), "width .* must be a number from"),
        (RBF, (5, None), "width .* must be a number from"),
        (CustomBasis, ([], []), "at least one"),
        (CustomBasis, ([np.sin], []), "as many derivatives as functions"),
        (CustomBasis, (None, None), "functions must be a list of functions"),
        (CustomBasis, (np.sin, np.cos), "functions must be a list of functions"),
        (CustomBasis, ([1], [2]), "functions must be a list of functions"),
        (Filter, ("middle",), "choose 'left', 'central' or 'right'"),
        (Filter, (np.ones(2),), "choose 'left', 'central' or 'right'"),
        (Filter, ("left", 1), "points of a filter must be .* at least 2"),
        (Filter, ("left", 3.0), "points of a filter must be"),
        (Mould, ("find",), "give numbers or 'detect'"),
        (Mould, ((np.nan,),), "breaks must be finite"),
        (Mould, (("a",),), "breaks must be numbers"),
        (Mould, ((1j,),), "breaks must be numbers"),
        (Mould, ([[1], [1, 2]],), "breaks must be numbers"),
        (Mould, (None,), "breaks must be numbers"),
        (Mould, ((), (1.0, 0.0)), "two numbers that rise"),
        (Mould, ((), (1.0,)), "two numbers that rise"),
        (Mould, ((), None), "limits must be numbers"),
        (Mould, ((), (np.nan, 1.0)), "two numbers that rise"),
    )
]

KINDS: tuple[Any, ...] = (
    Polynomial(3),
    BSpline(6),
    PiecewiseLinear(5),
    Fourier(2),
    RBF(5),
    CustomBasis([np.tanh], [lambda z: 1 - np.tanh(z) ** 2]),
)

BOUND = [
    refused(f"{type(basis).__name__} bound to {what}", InvalidSamples, says, basis.bind, z)
    for basis in KINDS
    for what, z, says in (
        ("nothing", [], "z is empty"),
        ("None", None, "z is None"),
        ("text", "a", "convert it"),
        ("NaN", [0.0, np.nan], "to finite data"),
        ("infinity", [0.0, np.inf], "to finite data"),
        ("more than numbers span", [-1.7e308, 1.7e308], "to finite data"),
    )
]

DESIGNS = [
    refused(f"{type(basis).__name__}: {what}", error, says, basis.bind(Z).design, *arguments)
    for basis in KINDS
    for what, arguments, error, says in (
        ("order -2", (Z, -2), InvalidOption, "for the antiderivative|first derivatives only"),
        ("order 'a'", (Z, "a"), InvalidOption, "for the antiderivative|first derivatives only"),
        ("order 0.5", (Z, 0.5), InvalidOption, "for the antiderivative|first derivatives only"),
        ("z of text", (["a"],), InvalidSamples, "convert it"),
        ("z complex", (Z + 1j,), InvalidSamples, "pass real numbers"),
    )
]
DESIGNS += [
    refused(f"{type(basis).__name__} not bound", InvalidOption, r"call bind\(z\)", basis.design, Z)
    for basis in KINDS[:-1]
]
DESIGNS += [
    refused(
        f"{type(basis).__name__} on one point",
        DegenerateBranch,
        "bind the basis to data that vary",
        basis.bind(np.ones(5)).design,
        Z,
    )
    for basis in KINDS[:-1]
]
DESIGNS += [
    Row(
        f"{type(basis).__name__} of few z",
        lambda basis=basis: basis.reduced(1),
        InvalidOption,
        "use a smaller basis or more points",
    )
    for basis in (Polynomial(3), Fourier(2), RBF(5))
]

ROWS = MADE + BOUND + DESIGNS
