"""Bad inputs to Samples: types, shapes, numbers that are none."""

from __future__ import annotations

import warnings
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import numpy as np

from hardening.plain import F, J, N, P, exact, refused, spoilt
from hardening.rows import Row
from unbraid import InvalidOption, InvalidSamples, Samples


def matrix(array: np.ndarray) -> Any:
    with warnings.catch_warnings():  # NumPy's own, on making one
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.asmatrix(array)


class Raising:
    """An array-like that breaks while it is read."""

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise RuntimeError("lost the connection")


class Subclass(np.ndarray):
    pass


def read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.setflags(write=False)
    return copy


TYPES = [
    refused(f"points: {what}", InvalidSamples, says, Samples, points, F, J)
    for what, points, says in (
        ("text", P.astype(str), "points is not .* but text; convert it"),
        ("bytes", P.astype("S"), "text; convert it"),
        ("words in objects", np.array([[1.0, "a"]] * N, dtype=object), "not a rectangular array"),
        ("None among numbers", np.array([[1.0, None]] * N, dtype=object), r"30 NaN .* \(0, 1\)"),
        ("complex", P + 0j, "complex; pass real numbers"),
        ("complex objects", (P + 1j).astype(object), "not a rectangular array"),
        ("dates", (P * 1e6).astype("M8[s]"), "dates; pass numbers"),
        ("time spans", (P * 1e6).astype("m8[s]"), "time spans; pass numbers"),
        ("masked", np.ma.masked_greater(P, 0.5), r"masked at \d+ entries; remove .* or fill"),
        ("fields", np.zeros((N, 2), [("a", float)]), "named fields; pass one plain table"),
        ("ragged lists", [[1, 2], [3]], "not a rectangular array"),
        ("None", None, "None: pass an array"),
        ("a generator", (row for row in P), "not a rectangular array"),
        ("a set", {1, 2}, "not a rectangular array"),
        ("a dict", {"a": 1}, "not a rectangular array"),
        ("raises when read", Raising(), "lost the connection"),
        ("a whole number of 400 digits", [[10**400, 1]] * N, "too large"),
        ("long doubles beyond", np.full((N, 2), np.longdouble("1e400")), "infinite"),
        ("one dimension", P[:, 0], r"shape \(30,\).*a single input is a column"),
        ("three dimensions", P[None], "must be a table with one row a point"),
        ("a number", 3.0, r"shape \(\) but must be a table"),
        ("NaN", spoilt(P, np.nan), r"1 NaN .* \(3, 1\); remove those points"),
        ("infinite", spoilt(P, np.inf), "remove those points or repair them"),
        ("1e300", P * 1e300, "squares are no numbers: use units"),
        ("1e-300", P * 1e-300, "e-301 .*use units"),
    )
]

SAMPLES = [
    refused("values: NaN", InvalidSamples, "values holds 1 NaN", Samples, P, spoilt(F, np.nan), J),
    refused("jacobians: -inf", InvalidSamples, "repair", Samples, P, F, spoilt(J, -np.inf)),
    refused("values: a number", InvalidSamples, r"need \(30, number", Samples, P, 3.0, J),
    refused("values: transposed", InvalidSamples, r"need \(30, number", Samples, P, F.T, J),
    refused("values: 1e300", InvalidSamples, "use units", Samples, P, F * 1e300, J),
    refused(
        "values: one tiny output",
        InvalidSamples,
        "column 1.*use units",
        Samples,
        P,
        np.hstack([F, F * 1e-300]),
        np.concatenate([J, 0 * J], axis=1),
    ),
    refused(
        "jacobians: one dimension", InvalidSamples, r"need \(30, 1, 2\)", Samples, P, F, F[:, 0]
    ),
    refused(
        "jacobians: transposed",
        InvalidSamples,
        "one n by m matrix a point",
        Samples,
        P,
        np.hstack([F, F, F]),
        np.ones((N, 2, 3)),
    ),
    refused(
        "jacobians: 1e300",
        InvalidSamples,
        "jacobians reaches .* use units",
        Samples,
        P,
        F,
        J * 1e300,
    ),
    refused(
        "no points",
        InvalidSamples,
        "empty.*at least one point",
        Samples,
        np.zeros((0, 2)),
        np.zeros((0, 1)),
        np.zeros((0, 1, 2)),
    ),
    refused(
        "no inputs",
        InvalidSamples,
        "empty.*one input",
        Samples,
        np.zeros((N, 0)),
        F,
        np.zeros((N, 1, 0)),
    ),
    refused(
        "no outputs",
        InvalidSamples,
        "empty.*one output",
        Samples,
        P,
        np.zeros((N, 0)),
        np.zeros((N, 0, 2)),
    ),
    refused(
        "accuracy: a word",
        InvalidOption,
        "accuracy must be a finite number",
        Samples,
        P,
        F,
        J,
        accuracy="high",
    ),
    refused("accuracy: NaN", InvalidOption, "accuracy must be", Samples, P, F, J, accuracy=np.nan),
    refused(
        "subset: beyond", InvalidSamples, "choose some of 30 points", Samples(P, F, J).subset, [99]
    ),
    refused(
        "subset: a word", InvalidSamples, "choose some of 30", Samples(P, F, J).subset, "first"
    ),
    refused(
        "subset: short mask", InvalidSamples, "choose some of", Samples(P, F, J).subset, [True]
    ),
    refused("subset: nothing", InvalidSamples, "empty", Samples(P, F, J).subset, []),
]

FINE = [
    Row(f"points: {what} (fine)", lambda points=points: Samples(points, F, J), holds=exact)
    for what, points in (
        ("read-only", read_only(P)),
        ("in Fortran's order", np.asfortranarray(P)),
        ("not contiguous", np.repeat(P, 2, axis=0)[::2]),
        ("backwards in memory", P[::-1].copy()[::-1]),
        ("big-endian", P.astype(">f8")),
        ("a subclass", P.view(Subclass)),
        ("a matrix", matrix(P)),
        ("masked nowhere", np.ma.array(P)),
        ("objects", P.astype(object)),
        ("decimals", np.vectorize(Decimal)(P)),
        ("lists", P.tolist()),
    )
]


FRAMES = []
if find_spec("pandas"):
    from pandas import DataFrame

    words = DataFrame({"a": P[:, 0], "b": ["x"] * N})
    missing = DataFrame(spoilt(P, np.nan), columns=["a", "b"])
    FRAMES = [
        refused("frame with NaN", InvalidSamples, "remove those points", Samples, missing, F, J),
        refused("frame of words", InvalidSamples, "not a rectangular", Samples, words, F, J),
        Row("a frame (fine)", lambda: Samples(DataFrame(P), DataFrame(F), J), holds=exact),
    ]

ROWS = TYPES + SAMPLES + FINE + FRAMES
