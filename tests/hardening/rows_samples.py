"""Bad inputs to Samples: types, shapes, numbers that are none."""

from __future__ import annotations

import warnings
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import numpy as np

from hardening.plain import F, J, N, P, exact, refused, spoilt
from hardening.rows import Row
from unbraid import InvalidOptionError, InvalidSamplesError, Samples


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
    refused(f"points: {what}", InvalidSamplesError, f"points {word}", Samples, points, F, J)
    for what, points, word in (
        ("text", P.astype(str), "text"),
        ("bytes", P.astype("S"), "text"),
        ("words in objects", np.array([[1.0, "a"]] * N, dtype=object), "rectangular"),
        ("None among numbers", np.array([[1.0, None]] * N, dtype=object), "NaN"),
        ("complex", P + 0j, "complex"),
        ("complex objects", (P + 1j).astype(object), "rectangular"),
        ("dates", (P * 1e6).astype("M8[s]"), "dates"),
        ("time spans", (P * 1e6).astype("m8[s]"), "spans"),
        ("masked", np.ma.masked_greater(P, 0.5), "masked"),
        ("fields", np.zeros((N, 2), [("a", float)]), "fields"),
        ("ragged lists", [[1, 2], [3]], "rectangular"),
        ("None", None, "None"),
        ("a generator", (row for row in P), "rectangular"),
        ("a set", {1, 2}, "rectangular"),
        ("a dict", {"a": 1}, "rectangular"),
        ("raises when read", Raising(), "connection"),
        ("a whole number of 400 digits", [[10**400, 1]] * N, "large"),
        ("long doubles beyond", np.full((N, 2), np.longdouble("1e400")), "infinite"),
        ("one dimension", P[:, 0], "(30,)"),
        ("three dimensions", P[None], "table"),
        ("a number", 3.0, "()"),
        ("NaN", spoilt(P, np.nan), "NaN"),
        ("infinite", spoilt(P, np.inf), "infinite"),
        ("1e300", P * 1e300, "units"),
        ("1e-300", P * 1e-300, "e-301"),
    )
]

NONE = np.zeros((N, 0))
TWO, THREE = np.hstack([F, F * 1e-300]), np.hstack([F, F, F])
SAMPLES = [
    refused(what, InvalidSamplesError, mentions, Samples, *arrays)
    for what, mentions, *arrays in (
        ("values: NaN", "values NaN", P, spoilt(F, np.nan), J),
        ("jacobians: -inf", "jacobians infinite", P, F, spoilt(J, -np.inf)),
        ("values: a number", "values ()", P, 3.0, J),
        ("values: transposed", "values shape", P, F.T, J),
        ("values: 1e300", "values units", P, F * 1e300, J),
        ("values: one tiny output", "values e-300", P, TWO, np.concatenate([J, 0 * J], axis=1)),
        ("jacobians: one dimension", "jacobians (30,)", P, F, F[:, 0]),
        ("jacobians: transposed", "jacobians shape", P, THREE, np.ones((N, 2, 3))),
        ("jacobians: 1e300", "jacobians units", P, F, J * 1e300),
        ("no points", "empty point", P[:0], F[:0], J[:0]),
        ("no inputs", "empty input", NONE, F, np.zeros((N, 1, 0))),
        ("no outputs", "empty output", P, NONE, np.zeros((N, 0, 2))),
    )
]
SAMPLES += [
    refused(
        f"accuracy: {what}", InvalidOptionError, "accuracy", Samples, P, F, J, accuracy=accuracy
    )
    for what, accuracy in (("a word", "high"), ("NaN", np.nan))
]
SAMPLES += [
    refused(f"subset: {what}", InvalidSamplesError, mentions, Samples(P, F, J).subset, rows)
    for what, mentions, rows in (
        ("beyond", "rows 99", [99]),
        ("a word", "rows 30", "first"),
        ("short mask", "rows 30", [True]),
        ("nothing", "empty", []),
    )
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
        refused("frame with NaN", InvalidSamplesError, "points NaN", Samples, missing, F, J),
        refused("frame of words", InvalidSamplesError, "points rectangular", Samples, words, F, J),
        Row("a frame (fine)", lambda: Samples(DataFrame(P), DataFrame(F), J), holds=exact),
    ]

ROWS = TYPES + SAMPLES + FINE + FRAMES
