"""Bad inputs to sample and PolynomialFunction: what f may do, and what it may not."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from hardening.plain import F, J, P, exact, refused
from hardening.rows import Row
from unbraid import (
    InvalidOptionError,
    InvalidSamplesError,
    PolynomialFunction,
    SamplingError,
    sample,
)
from unbraid.sources import monomial_exponents


def square(p: np.ndarray) -> np.ndarray:
    return p[:, :1] ** 2 + p[:, 1:]


def overwriting(p: np.ndarray) -> np.ndarray:
    p *= 2
    return (p[:, :1] / 2) ** 2 + p[:, 1:] / 2


def overwriting_a_point(p: np.ndarray) -> float:
    if p.ndim != 1:
        raise TypeError("one point, please")
    p *= 2
    return (p[0] / 2) ** 2 + p[1] / 2


def reusing(buffer: np.ndarray) -> Any:
    """A function of one point that hands out the same array each time."""

    def f(p: np.ndarray) -> np.ndarray:
        if p.ndim != 1:
            raise TypeError("one point, please")
        buffer[:] = np.real(p[0] ** 2 + p[1])
        return buffer

    return f


def erasing(p: np.ndarray) -> np.ndarray:
    slopes = np.stack([2 * p[..., :1], np.ones_like(p[..., :1])], axis=-1)
    p *= 0
    return slopes


def tired(calls: int, then: Any) -> Any:
    """Works some times, and then no more."""
    left = [calls]

    def f(p: np.ndarray) -> Any:
        left[0] -= 1
        return np.abs(p[:, :1]) if left[0] >= 0 else then(p)

    return f


def raising(error: Exception) -> Any:
    def f(_: Any) -> Any:
        raise error

    return f


def talkative(p: np.ndarray) -> np.ndarray:
    sys.stdout.write(f"at {len(p)} points\n")
    return square(p)


def endless(p: np.ndarray) -> Any:
    return endless(p)


NOISE = np.random.default_rng(0)

FUNCTIONS = [
    refused(f"f: {what}", error, mentions, sample, f, P)
    for what, f, error, mentions in (
        ("raises", raising(KeyError("x")), SamplingError, "KeyError point"),
        ("recurses", endless, SamplingError, "RecursionError point"),
        ("returns None", lambda p: None, SamplingError, "vector object"),
        ("returns words", lambda p: "a", SamplingError, "vector <U1"),
        ("returns ragged lists", lambda p: [[1], [1, 2]], SamplingError, "ValueError point"),
        ("returns dates", lambda p: p.astype("M8[s]"), SamplingError, "vector datetime64"),
        ("returns complex numbers", lambda p: p[:, :1] + 1j, InvalidSamplesError, "values complex"),
        ("returns no outputs", lambda p: p[:, :0], SamplingError, "outputs"),
        ("returns three axes", lambda p: np.zeros((len(p), 2, 2)), SamplingError, "vector shape"),
        ("masks some", lambda p: np.ma.masked_greater(p[:, :1], 0), SamplingError, "finite 19"),
        ("is NaN at some", lambda p: np.sqrt(p[:, :1]), SamplingError, "finite 11"),
        ("divides by zero", lambda p: p[:, :1] / 0.0, SamplingError, "finite 30"),
        ("is 1e300", lambda p: p[:, :1] * 1e300, InvalidSamplesError, "values units"),
        ("takes nothing", lambda: 1, SamplingError, "TypeError positional"),
        (
            "draws random numbers",
            lambda p: p[:, :1] + NOISE.normal(size=(len(p), 1)),
            SamplingError,
            "again random",
        ),
        ("changes its shape", tired(5, lambda p: np.zeros((3, 3))), SamplingError, "(3, 3)"),
        (
            "gets tired",
            tired(5, raising(RuntimeError("tired"))),
            SamplingError,
            "RuntimeError tired",
        ),
        ("is None", None, InvalidOptionError, "NoneType"),
        ("is a table", P, InvalidOptionError, "ndarray Samples"),
        ("is no file", "nothing", InvalidOptionError, "str 'nothing'"),
    )
]

JACOBIANS = [
    refused(f"jacobian: {what}", error, f"jacobian {word}", sample, square, P, jacobian)
    for what, jacobian, error, word in (
        ("an array", J, InvalidOptionError, "ndarray"),
        ("None back", lambda p: None, SamplingError, "None"),
        ("NaN", lambda p: np.full((len(p), 1, 2), np.nan), InvalidSamplesError, "NaN"),
        ("complex", lambda p: np.full((len(p), 1, 2), 1j), SamplingError, "complex"),
        ("wrong shape", lambda p: np.ones((len(p), 2, 2)), SamplingError, "shape"),
    )
]

CALLS = [
    refused("sample: no points", InvalidOptionError, "points missing", sample, square),
    refused("sample: three arrays", InvalidOptionError, "tuple Samples", sample, (P, F, J)),
    refused("sample: empty points", InvalidSamplesError, "points empty", sample, square, P[:0]),
    refused("sample: 1e300", InvalidSamplesError, "points units", sample, square, P * 1e300),
    refused(
        "inputs: a billion",
        InvalidOptionError,
        "999999998 fixed",
        sample,
        square,
        P,
        inputs=[0, 10**9],
        fixed={1: 0.0},
    ),
    refused(
        "inputs: ragged",
        InvalidOptionError,
        "inputs whole",
        sample,
        square,
        P,
        inputs=[[0], [1, 2]],
    ),
    refused(
        "outputs: fractions", InvalidOptionError, "outputs 0.5", sample, square, P, outputs=[0.5]
    ),
    refused("outputs: beyond", InvalidOptionError, "outputs 3", sample, square, P, outputs=[3]),
    refused(
        "fixed: NaN", InvalidSamplesError, "fixed NaN", sample, square, P[:, :1], fixed={1: np.nan}
    ),
    Row("f overwrites its argument (fine)", lambda: sample(overwriting, P), holds=exact),
    Row("f overwrites its point (fine)", lambda: sample(overwriting_a_point, P), holds=exact),
    Row("f reuses its answer (fine)", lambda: sample(reusing(np.zeros(1)), P), holds=exact),
    Row("jacobian overwrites (fine)", lambda: sample(square, P, erasing), holds=exact),
    Row("f prints (fine)", lambda: sample(talkative, P), holds=exact),
]

POLYNOMIALS = [
    refused(f"polynomial: {what}", InvalidSamplesError, mentions, PolynomialFunction, *given)
    for what, given, mentions in (
        ("negative power", ([1.0], [[-1]]), "exponents whole"),
        ("fraction", ([1.0], [[0.5]]), "exponents whole"),
        ("power of 1e12", ([1.0], [[10**12]]), "exponents 1e+12"),
        ("power of 1e300", ([1.0], [[1e300]]), "exponents 1e+300"),
        ("NaN", ([np.nan], [[1]]), "coefficients NaN"),
        ("too few coefficients", ([1.0], [[1], [2]]), "coefficients column"),
        ("no inputs", ([1.0], np.zeros((1, 0))), "exponents polynomial"),
        ("no monomials", (np.zeros((1, 0)), np.zeros((0, 2))), "exponents polynomial"),
    )
]
CUBE = PolynomialFunction([[3.0, -1.0]], [[2, 1], [0, 1]])
FAR = [[1.0, 1.0], [1e300, 1e300]]
POLYNOMIALS += [
    refused(
        "polynomial: wide points", InvalidSamplesError, "points columns", CUBE, np.ones((3, 3))
    ),
    refused("polynomial: at 1e300", InvalidSamplesError, "overflows 1.e+300", CUBE, FAR[1:]),
    refused(
        "polynomial: slope at 1e300", InvalidSamplesError, "Jacobian overflows", CUBE.jacobian, FAR
    ),
    refused(
        "exponents: degree of words", InvalidOptionError, "degree 'a'", monomial_exponents, 2, "a"
    ),
    refused("exponents: lowest -1", InvalidOptionError, "lowest -1", monomial_exponents, 2, 2, -1),
    refused(
        "exponents: 1e29 of them",
        InvalidOptionError,
        "degree monomials",
        monomial_exponents,
        50,
        50,
    ),
]

ROWS = FUNCTIONS + JACOBIANS + CALLS + POLYNOMIALS
