"""Bad inputs of dynamic models: records, lags, simulation, refinement, files, other libraries."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import unbraid
from hardening.rows import Row
from unbraid import narx
from unbraid.errors import (
    DivergenceError,
    InvalidFile,
    InvalidOption,
    InvalidSamples,
    SamplingError,
)
from unbraid.narx import NARX, Estimator, fit_polynomial_narx, from_sysidentpy


@cache
def record() -> tuple[Any, Any]:
    u = np.random.default_rng(0).uniform(-1, 1, 200)
    y = np.zeros(200)
    for t in range(1, 200):
        y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 1] ** 3 + u[t]
    return u, y


@cache
def coupled() -> NARX:
    return fit_polynomial_narx(*record(), (0,), (1,), 3)


@cache
def decoupled() -> NARX:
    return coupled().decouple(2, random_state=0)


def fitted(u: Any = None, y: Any = None, **options: Any) -> NARX:
    given = record()
    return fit_polynomial_narx(
        given[0] if u is None else u, given[1] if y is None else y, **options
    )


def around(function: Any, **options: Any) -> NARX:
    return NARX(function, (0,), (1,), **options)


def refined(**options: Any) -> NARX:
    return decoupled().refine(*record(), **options)


def tampered(**changes: Any) -> NARX:
    """The model in a file of which some entries were changed."""
    path = coupled().save(Path("model.json"))
    document = json.loads(path.read_text())
    document.pop("checksum", None)
    for place, value in changes.items():
        document[place] = value
    path.write_text(json.dumps(document))
    return narx.load(path)


class Polynomial:
    """By this name SysIdentPy calls its basis."""


def foreign(**changes: Any) -> NARX:
    parts = {"final_model": [[2001, 0], [1001, 0]], "theta": [1.0, 0.5]}
    return from_sysidentpy(SimpleNamespace(**{**parts, "basis_function": Polynomial(), **changes}))


def exploding(p: Any) -> Any:
    return p[:, :1] + 3 * p[:, 1:] ** 3


U, Y = record()
POWERS = {"coefficients": [[1.0]], "exponents": [[10**9, 0]]}
ROWS = [
    Row("narx: an empty record", lambda: fitted([], []), InvalidSamples, "0 samples: at least 4"),
    Row(
        "narx: no record", lambda: fit_polynomial_narx(None, None), InvalidSamples, "u of record 0"
    ),
    Row("narx: words", lambda: fitted(["a"] * 200), InvalidSamples, "u of record 0 is"),
    Row("narx: a NaN", lambda: fitted(y=np.where(Y > 1, np.nan, Y)), InvalidSamples, "remove"),
    Row("narx: complex", lambda: fitted(U + 1j), InvalidSamples, "pass real numbers"),
    Row("narx: dates", lambda: fitted(np.arange(200).astype("M8[D]")), InvalidSamples, "dates"),
    Row("narx: masked", lambda: fitted(np.ma.masked_greater(U, 0.9)), InvalidSamples, "masked"),
    Row("narx: unequal lengths", lambda: fitted(U[:-1]), InvalidSamples, "they must be equal"),
    Row("narx: lying down", lambda: fitted(U[None], Y[None]), InvalidSamples, "transpose them"),
    Row("narx: a constant input", lambda: fitted(0 * U), InvalidSamples, "leave it out"),
    Row("narx: one record of u, two of y", lambda: fitted(U, [Y, Y]), InvalidSamples, "2"),
    Row(
        "narx: records that differ", lambda: fitted([U, np.c_[U, U]], [Y, Y]), InvalidSamples, "dif"
    ),
    Row("narx: huge signals", lambda: fitted(U, 1e200 * Y), InvalidSamples, "use units"),
    Row("narx: tiny signals", lambda: fitted(1e-200 * U), InvalidSamples, "use units"),
    Row(
        "narx: a lag in the future", lambda: fitted(input_lags=(-1,)), InvalidOption, "starts at 0"
    ),
    Row("narx: y explains itself", lambda: fitted(output_lags=(0,)), InvalidOption, "starts at 1"),
    Row("narx: half a lag", lambda: fitted(input_lags=(0.5,)), InvalidOption, "whole numbers"),
    Row("narx: a lag twice", lambda: fitted(input_lags=(0, 0)), InvalidOption, "twice"),
    Row(
        "narx: no lags", lambda: fitted(input_lags=(), output_lags=()), InvalidOption, "both empty"
    ),
    Row(
        "narx: a lag of years",
        lambda: fitted(input_lags=(10**30,)),
        InvalidSamples,
        "at least 1000",
    ),
    Row("narx: degree 0", lambda: fitted(degree=0), InvalidOption, "at least 1"),
    Row("narx: degree 1000", lambda: fitted(degree=1000), InvalidSamples, "a lower degree"),
    Row("narx: degree 10^18", lambda: fitted(degree=10**18), InvalidSamples, "a lower degree"),
    Row("narx: a negative ridge", lambda: fitted(ridge=-1), InvalidOption, "ridge must be"),
    Row(
        "narx: a ridge of 1e308 leaves the constant",
        lambda: fitted(ridge=1e308).predict(U, Y)[-50:],
        holds=lambda y: np.allclose(y, Y[3:].mean()),
    ),
    Row("narx: no function", lambda: around(None).score(U, Y), InvalidOption, "pass a callable"),
    Row(
        "narx: a function that raises",
        lambda: around(lambda p: 1 / 0).score(U, Y),
        SamplingError,
        "0",
    ),
    Row(
        "narx: two outputs for one",
        lambda: around(lambda p: p).score(U, Y),
        InvalidSamples,
        "2 out",
    ),
    Row(
        "narx: complex values",
        lambda: around(lambda p: 1j * p[:, :1]).score(U, Y),
        SamplingError,
        "complex",
    ),
    Row(
        "narx: predicting NaN",
        lambda: around(lambda p: np.nan * p[:, :1]).predict(U, Y),
        InvalidSamples,
        "first at index 0",
    ),
    Row(
        "narx: a NaN as limit",
        lambda: around(exploding, limit=np.nan),
        InvalidOption,
        "greater than 0",
    ),
    Row(
        "narx: a limit below 0",
        lambda: around(exploding, limit=-1),
        InvalidOption,
        "greater than 0",
    ),
    Row(
        "narx: limits of three outputs",
        lambda: around(exploding, limit=[1, 2, 3]).score(U, Y),
        InvalidSamples,
        "limit has 3 numbers but y has 1",
    ),
    Row(
        "narx: an unstable model",
        lambda: around(exploding).simulate(U, Y[:1]),
        DivergenceError,
        "runs off at sample",
    ),
    Row(
        "narx: the score of an unstable model is infinite, and says since when",
        lambda: around(exploding).score(U, Y),
        holds=lambda score: score.percent == np.inf and score.diverged_at is not None,
    ),
    Row(
        "narx: huge inputs",
        lambda: coupled().predict(1e90 * U, Y),
        holds=lambda y: np.isfinite(y).all(),
    ),
    Row(
        "narx: beyond all numbers",
        lambda: fitted(input_lags=(0,), output_lags=(1,), degree=5).predict(1e90 * U, Y),
        InvalidSamples,
        "stay nearer",
    ),
    Row(
        "narx: nothing to start from",
        lambda: coupled().simulate(U, []),
        InvalidSamples,
        "longest lag",
    ),
    Row(
        "narx: nothing left to run",
        lambda: coupled().simulate(U, Y),
        InvalidSamples,
        "nothing is left",
    ),
    Row(
        "narx: too many inputs",
        lambda: coupled().predict(np.c_[U, U], Y),
        InvalidSamples,
        "2 inputs",
    ),
    Row(
        "narx: initial = 200", lambda: coupled().score(U, Y, initial=200), InvalidSamples, "leaves"
    ),
    Row("narx: 0 branches", lambda: coupled().decouple(0), InvalidOption, "at least 1"),
    Row(
        "narx: unknown points",
        lambda: coupled().decouple(1, points="x"),
        InvalidOption,
        "choose one",
    ),
    Row("narx: no data", lambda: around(exploding).decouple(1), InvalidOption, "pass data"),
    Row("narx: refining the coupled", lambda: coupled().refine(U, Y), InvalidOption, "decouple"),
    Row(
        "narx: refining on other inputs",
        lambda: decoupled().refine(np.c_[U, U], Y),
        InvalidSamples,
        "2 inputs but the lags make 3",
    ),
    Row("narx: all held out", lambda: refined(held_out=1.0), InvalidOption, "too little to fit"),
    Row(
        "narx: weights of 0", lambda: refined(weights=0 * U), InvalidSamples, "some of them greater"
    ),
    Row("narx: a callback that is none", lambda: refined(callback=3), InvalidOption, "a function"),
    Row(
        "narx: huge weights are equal weights",
        lambda: refined(weights=np.full(200, 1e308)).score(U, Y).percent,
        holds=lambda percent: percent < 1e-6,
    ),
    Row(
        "narx: a picture nowhere",
        lambda: decoupled().plot(U, Y, path="no/x.png"),
        InvalidFile,
        "cannot",
    ),
    Row(
        "narx: saving a lambda", lambda: around(exploding).save("x.json"), InvalidOption, "decouple"
    ),
    Row("narx: saving nowhere", lambda: coupled().save("no/x.json"), InvalidFile, "cannot write"),
    Row("narx: loading nothing", lambda: narx.load("missing.json"), InvalidFile, "cannot read"),
    Row(
        "narx: a file of another kind",
        lambda: unbraid.load(coupled().save("x.json")),
        InvalidFile,
        "narx",
    ),
    Row(
        "narx: a file with limit NaN", lambda: tampered(limit=float("nan")), InvalidFile, "damaged"
    ),
    Row("narx: a file of no kind", lambda: tampered(kind=[1]), InvalidFile, "damaged"),
    Row(
        "narx: a file with a power of 10^9",
        lambda: tampered(kind="monomials", function=POWERS),
        InvalidFile,
        "exponent of 1e",
    ),
    Row(
        "sysidentpy: something else",
        lambda: from_sysidentpy(3),
        InvalidOption,
        "it needs final_model",
    ),
    Row("sysidentpy: not fitted", lambda: foreign(final_model=None), InvalidOption, "not a fitted"),
    Row(
        "sysidentpy: numbers missing",
        lambda: foreign(theta=[1.0]),
        InvalidOption,
        "one number a term",
    ),
    Row(
        "sysidentpy: nothing",
        lambda: foreign(final_model=[], theta=[]),
        InvalidOption,
        "not a fitted",
    ),
    Row(
        "sysidentpy: input 10^6",
        lambda: foreign(final_model=[[10**9, 0], [1001, 0]]),
        InvalidOption,
        "damaged",
    ),
    Row("estimator: no map", lambda: Estimator(None), InvalidOption, "pass a callable"),
    Row(
        "estimator: words",
        lambda: Estimator(exploding).predict("abc"),
        InvalidSamples,
        "X is .*text",
    ),
    Row(
        "estimator: column 5 of 2",
        lambda: Estimator(abs, [5]).predict([[1.0, 2.0]]),
        InvalidOption,
        "has 2",
    ),
    Row(
        "estimator: unknown parameter", lambda: Estimator(abs).set_params(x=1), InvalidOption, "'x'"
    ),
]
