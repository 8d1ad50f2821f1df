"""Bad inputs to sample and PolynomialFunction: what f may do, and what it may not."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from hardening.plain import F, J, P, exact, refused
from hardening.rows import Row
from unbraid import InvalidOption, InvalidSamples, PolynomialFunction, SamplingError, sample
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
    refused(f"f: {what}", error, says, sample, f, P)
    for what, f, error, says in (
        ("raises", raising(KeyError("x")), SamplingError, "raised KeyError at point 0, p = "),
        (
            "recurses",
            endless,
            SamplingError,
            "RecursionError at point 0",
        ),
        ("returns None", lambda p: None, SamplingError, "must return a vector of numbers"),
        ("returns words", lambda p: "a", SamplingError, "must return a vector of numbers"),
        ("returns ragged lists", lambda p: [[1], [1, 2]], SamplingError, "at point 0"),
        ("returns dates", lambda p: p.astype("M8[s]"), SamplingError, "vector of numbers"),
        ("returns complex numbers", lambda p: p[:, :1] + 1j, InvalidSamples, "pass real numbers"),
        ("returns no outputs", lambda p: p[:, :0], SamplingError, "at least one number a point"),
        ("returns three axes", lambda p: np.zeros((len(p), 2, 2)), SamplingError, "vector of numb"),
        ("masks some", lambda p: np.ma.masked_greater(p[:, :1], 0), SamplingError, "not finite at"),
        ("is NaN at some", lambda p: np.sqrt(p[:, :1]), SamplingError, "not finite at .* repair f"),
        ("divides by zero", lambda p: p[:, :1] / 0.0, SamplingError, "not finite at 30 points"),
        ("is 1e300", lambda p: p[:, :1] * 1e300, InvalidSamples, "use units"),
        ("takes nothing", lambda: 1, SamplingError, "takes 0 positional"),
        (
            "draws random numbers",
            lambda p: p[:, :1] + NOISE.normal(size=(len(p), 1)),
            SamplingError,
            "other values when it was called again.*Make it give the same",
        ),
        (
            "changes its shape",
            tired(5, lambda p: np.zeros((3, 3))),
            SamplingError,
            r"shape \(3, 3\) .*must give the same",
        ),
        (
            "gets tired",
            tired(5, raising(RuntimeError("tired"))),
            SamplingError,
            "RuntimeError.*tired",
        ),
        ("is None", None, InvalidOption, "pass a callable"),
        ("is a table", P, InvalidOption, "cannot evaluate ndarray.*Samples"),
        ("is no file", "nothing", InvalidOption, "cannot evaluate str 'nothing'"),
    )
]

CALLS = [
    refused("sample: no points", InvalidOption, "points are missing", sample, square),
    refused("sample: three arrays", InvalidOption, r"Samples\(points", sample, (P, F, J)),
    refused("sample: empty points", InvalidSamples, "one row a point", sample, square, P[:0]),
    refused(
        "sample: 1e300", InvalidSamples, "points reaches .* use units", sample, square, P * 1e300
    ),
    refused("jacobian: an array", InvalidOption, "pass a function of points", sample, square, P, J),
    refused(
        "jacobian: None back",
        SamplingError,
        r"must return \(1, 2\)",
        sample,
        square,
        P,
        lambda p: None,
    ),
    refused(
        "jacobian: NaN",
        InvalidSamples,
        "jacobians holds 60 NaN",
        sample,
        square,
        P,
        lambda p: np.full((len(p), 1, 2), np.nan),
    ),
    refused(
        "jacobian: complex",
        SamplingError,
        "complex; pass real",
        sample,
        square,
        P,
        lambda p: np.full((len(p), 1, 2), 1j),
    ),
    refused(
        "jacobian: wrong shape",
        SamplingError,
        "returned shape",
        sample,
        square,
        P,
        lambda p: np.ones((len(p), 2, 2)),
    ),
    refused(
        "inputs: a billion",
        InvalidOption,
        r"999999998 inputs without a value: .*fixed=",
        sample,
        square,
        P,
        inputs=[0, 10**9],
        fixed={1: 0.0},
    ),
    refused(
        "inputs: ragged",
        InvalidOption,
        "list of whole numbers",
        sample,
        square,
        P,
        inputs=[[0], [1, 2]],
    ),
    refused(
        "outputs: fractions",
        InvalidOption,
        "list of whole numbers",
        sample,
        square,
        P,
        outputs=[0.5],
    ),
    refused(
        "outputs: beyond", InvalidOption, "the model has 1 output", sample, square, P, outputs=[3]
    ),
    refused("fixed: NaN", InvalidSamples, "NaN", sample, square, P[:, :1], fixed={1: np.nan}),
    Row("f overwrites its argument (fine)", lambda: sample(overwriting, P), holds=exact),
    Row("f overwrites its point (fine)", lambda: sample(overwriting_a_point, P), holds=exact),
    Row("f reuses its answer (fine)", lambda: sample(reusing(np.zeros(1)), P), holds=exact),
    Row("jacobian overwrites (fine)", lambda: sample(square, P, erasing), holds=exact),
    Row("f prints (fine)", lambda: sample(talkative, P), holds=exact),
]

POLYNOMIALS = [
    refused(
        f"polynomial: {what}", InvalidSamples, says, PolynomialFunction, coefficients, exponents
    )
    for what, coefficients, exponents, says in (
        ("negative power", [1.0], [[-1]], "whole numbers of at least 0"),
        ("fraction", [1.0], [[0.5]], "whole numbers of at least 0"),
        ("power of 1e12", [1.0], [[10**12]], "above 1000 overflow; use lower"),
        ("power of 1e300", [1.0], [[1e300]], "above 1000 overflow"),
        ("NaN", [np.nan], [[1]], "coefficients holds 1 NaN"),
        ("too few coefficients", [1.0], [[1], [2]], "one column of coefficients for each row"),
        ("no inputs", [1.0], np.zeros((1, 0)), "hold no polynomial"),
        ("no monomials", np.zeros((1, 0)), np.zeros((0, 2)), "hold no polynomial"),
    )
]
CUBE = PolynomialFunction([[3.0, -1.0]], [[2, 1], [0, 1]])
POLYNOMIALS += [
    refused(
        "polynomial: wide points", InvalidSamples, "3 columns .* 2 inputs", CUBE, np.ones((3, 3))
    ),
    refused("polynomial: at 1e300", InvalidSamples, "overflows at 1 point", CUBE, [[1e300, 1e300]]),
    refused(
        "polynomial: slope at 1e300",
        InvalidSamples,
        "overflows .* index 1",
        CUBE.jacobian,
        [[1.0, 1.0], [1e300, 1e300]],
    ),
    refused(
        "exponents: degree of words", InvalidOption, "degree must be", monomial_exponents, 2, "a"
    ),
    refused("exponents: lowest -1", InvalidOption, "lowest must be", monomial_exponents, 2, 2, -1),
    refused(
        "exponents: 1e29 of them", InvalidOption, "lower the degree", monomial_exponents, 50, 50
    ),
]

ROWS = FUNCTIONS + CALLS + POLYNOMIALS
