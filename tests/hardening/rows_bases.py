"""Bad inputs to bases, filters and constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from hardening.plain import refused, shown
from hardening.rows import Row
from unbraid import (
    RBF,
    BranchConstraint,
    BSpline,
    CustomBasis,
    DegenerateBranchError,
    Filter,
    Fourier,
    InvalidOptionError,
    InvalidSamplesError,
    PiecewiseLinear,
    Polynomial,
)

Z = np.linspace(0.0, 1.0, 50)

MADE = [
    refused(f"{kind.__name__}{shown(arguments)}", InvalidOptionError, mentions, kind, *arguments)
    for kind, mentions, table in (
        (Polynomial, "degree", ((0,), (2.0,), ("3",), (True,))),
        (Polynomial, "low high", ((3, "a", "b"), (3, 0.0))),
        (BSpline, "n_coefficients", ((3,),)),
        (BSpline, "degree", ((5, 0),)),
        (BSpline, "knots 9", ((5, 3, (1.0, 2.0)), (5, 3, "ab"), (5, 3, tuple(range(9, 0, -1))))),
        (PiecewiseLinear, "n_coefficients", ((1,),)),
        (Fourier, "n_harmonics", ((0,),)),
        (Fourier, "stretch", ((2, "a"), (2, 0.5), (2, np.nan), (2, np.inf), (2, np.ones(3)))),
        (RBF, "n_centres", ((1,),)),
        (RBF, "width", ((5, 0.0), (5, 1e-300), (5, np.ones(2)), (5, None))),
        (CustomBasis, "many derivatives", (([], []), ([np.sin], []))),
        (CustomBasis, "functions list", ((None, None), (np.sin, np.cos), ([1], [2]))),
        (Filter, "window", (("middle",), (np.ones(2),))),
        (Filter, "points filter", (("left", 1), ("left", 3.0))),
        (BranchConstraint, "breaks 'detect'", (("find",),)),
        (BranchConstraint, "breaks finite", (((np.nan,),),)),
        (BranchConstraint, "breaks", ((("a",),), ((1j,),), ([[1], [1, 2]],), (None,))),
        (
            BranchConstraint,
            "limits",
            (((), (1.0, 0.0)), ((), (1.0,)), ((), None), ((), (np.nan, 1.0))),
        ),
    )
    for arguments in table
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
    refused(f"{type(basis).__name__} bound to {what}", InvalidSamplesError, mentions, basis.bind, z)
    for basis in KINDS
    for what, z, mentions in (
        ("nothing", [], "empty"),
        ("None", None, "None"),
        ("text", "a", "text"),
        ("NaN", [0.0, np.nan], "nan finite"),
        ("infinity", [0.0, np.inf], "inf finite"),
        ("more than numbers span", [-1.7e308, 1.7e308], "1.7e+308 finite"),
    )
]

DESIGNS = [
    refused(f"{type(basis).__name__}: {what}", error, mentions, basis.bind(Z).design, *arguments)
    for basis in KINDS
    for what, arguments, error, mentions in (
        ("order -2", (Z, -2), InvalidOptionError, "derivative"),
        ("order 'a'", (Z, "a"), InvalidOptionError, "derivative"),
        ("order 0.5", (Z, 0.5), InvalidOptionError, "derivative"),
        ("z of text", (["a"],), InvalidSamplesError, "text"),
        ("z complex", (Z + 1j,), InvalidSamplesError, "complex"),
    )
]
DESIGNS += [
    refused(f"{type(basis).__name__} not bound", InvalidOptionError, "bind(z)", basis.design, Z)
    for basis in KINDS[:-1]
]
DESIGNS += [
    refused(
        f"{type(basis).__name__} on one point",
        DegenerateBranchError,
        "vary",
        basis.bind(np.ones(5)).design,
        Z,
    )
    for basis in KINDS[:-1]
]
DESIGNS += [
    Row(
        f"{type(basis).__name__} of few z",
        lambda basis=basis: basis.check_size(1),
        InvalidOptionError,
        "coefficients distinct",
    )
    for basis in (Polynomial(3), Fourier(2), RBF(5))
]

ROWS = MADE + BOUND + DESIGNS
