"""Bad inputs of dynamic models: records, lags, simulation, refinement, files, other libraries."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from hardening.rows import Row
from unbraid import narx
from unbraid.errors import (
    DivergenceError,
    InvalidFileError,
    InvalidOptionError,
    InvalidSamplesError,
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


def refusals(prefix: str, error: Any, *rows: tuple[str, str, Any]) -> list[Row]:
    return [Row(f"{prefix}: {what}", call, error, mentions) for what, mentions, call in rows]


U, Y = record()
POWERS = {"coefficients": [[1.0]], "exponents": [[10**9, 0]]}
ROWS = [
    *refusals(
        "narx",
        InvalidSamplesError,
        ("an empty record", "samples lags", lambda: fitted([], [])),
        ("no record", "record None", lambda: fit_polynomial_narx(None, None)),
        ("words", "record text", lambda: fitted(["a"] * 200)),
        ("a NaN", "record NaN", lambda: fitted(y=np.where(Y > 1, np.nan, Y))),
        ("complex", "record complex", lambda: fitted(U + 1j)),
        ("dates", "dates", lambda: fitted(np.arange(200).astype("M8[D]"))),
        ("masked", "masked", lambda: fitted(np.ma.masked_greater(U, 0.9))),
        ("unequal lengths", "199 200", lambda: fitted(U[:-1])),
        ("lying down", "transpose", lambda: fitted(U[None], Y[None])),
        ("a constant input", "constant", lambda: fitted(0 * U)),
        ("one record of u, two of y", "records 2", lambda: fitted(U, [Y, Y])),
        ("records that differ", "records differ", lambda: fitted([U, np.c_[U, U]], [Y, Y])),
        ("huge signals", "units", lambda: fitted(U, 1e200 * Y)),
        ("tiny signals", "units", lambda: fitted(1e-200 * U)),
        ("a lag of years", "samples 1000000", lambda: fitted(input_lags=(10**30,))),
        ("degree 1000", "terms degree", lambda: fitted(degree=1000)),
        ("degree 10^18", "terms degree", lambda: fitted(degree=10**18)),
        ("two outputs for one", "2 outputs", lambda: around(lambda p: p).score(U, Y)),
        ("predicting NaN", "overflows", lambda: around(lambda p: np.nan * p[:, :1]).predict(U, Y)),
        (
            "limits of three outputs",
            "limit 3",
            lambda: around(exploding, limit=[1, 2, 3]).score(U, Y),
        ),
        (
            "beyond all numbers",
            "overflows nearer",
            lambda: fitted(input_lags=(0,), output_lags=(1,), degree=5).predict(1e90 * U, Y),
        ),
        ("nothing to start from", "initial longest", lambda: coupled().simulate(U, [])),
        ("nothing left to run", "initial left", lambda: coupled().simulate(U, Y)),
        ("too many inputs", "inputs regressors", lambda: coupled().predict(np.c_[U, U], Y)),
        ("initial = 200", "initial leaves", lambda: coupled().score(U, Y, initial=200)),
        ("refining on other inputs", "regressors", lambda: decoupled().refine(np.c_[U, U], Y)),
        ("weights of 0", "weights greater", lambda: refined(weights=0 * U)),
    ),
    *refusals(
        "narx",
        InvalidOptionError,
        ("a lag in the future", "input_lags future", lambda: fitted(input_lags=(-1,))),
        ("y explains itself", "output_lags explain", lambda: fitted(output_lags=(0,))),
        ("half a lag", "input_lags 0.5", lambda: fitted(input_lags=(0.5,))),
        ("a lag twice", "input_lags twice", lambda: fitted(input_lags=(0, 0))),
        ("no lags", "output_lags empty", lambda: fitted(input_lags=(), output_lags=())),
        ("degree 0", "degree 0", lambda: fitted(degree=0)),
        ("a negative ridge", "ridge -1", lambda: fitted(ridge=-1)),
        ("no function", "NoneType callable", lambda: around(None).score(U, Y)),
        ("a NaN as limit", "limit nan", lambda: around(exploding, limit=np.nan)),
        ("a limit below 0", "limit -1", lambda: around(exploding, limit=-1)),
        ("0 branches", "n_branches", lambda: coupled().decouple(0)),
        ("unknown points", "points 'x'", lambda: coupled().decouple(1, points="x")),
        ("no data", "seen data", lambda: around(exploding).decouple(1)),
        ("refining the coupled", "refine decouple", lambda: coupled().refine(U, Y)),
        ("all held out", "held_out", lambda: refined(held_out=1.0)),
        ("a callback that is none", "callback 3", lambda: refined(callback=3)),
        ("saving a lambda", "saved decouple", lambda: around(exploding).save("x.json")),
    ),
    *refusals(
        "narx",
        SamplingError,
        ("a function that raises", "ZeroDivision", lambda: around(lambda p: 1 / 0).score(U, Y)),
        ("complex values", "function complex", lambda: around(lambda p: 1j * p[:, :1]).score(U, Y)),
    ),
    Row(
        "narx: an unstable model",
        lambda: around(exploding).simulate(U, Y[:1]),
        DivergenceError,
        "sample unstable",
    ),
    *refusals(
        "narx",
        InvalidFileError,
        ("a picture nowhere", "no/x.png", lambda: decoupled().plot(U, Y, path="no/x.png")),
        ("saving nowhere", "write no/x.json", lambda: coupled().save("no/x.json")),
        ("loading nothing", "read missing.json", lambda: narx.load("missing.json")),
        (
            "a file of another kind",
            "x.json NARX",
            lambda: narx.load(decoupled().function.save("x.json")),
        ),
        ("a file with limit NaN", "damaged 'NaN'", lambda: tampered(limit=float("nan"))),
        ("a file of no kind", "damaged", lambda: tampered(kind=[1])),
        (
            "a file with a power of 10^9",
            "exponent",
            lambda: tampered(kind="monomials", function=POWERS),
        ),
    ),
    *refusals(
        "sysidentpy",
        InvalidOptionError,
        ("something else", "int final_model", lambda: from_sysidentpy(3)),
        ("not fitted", "SysIdentPy fitted", lambda: foreign(final_model=None)),
        ("numbers missing", "theta term", lambda: foreign(theta=[1.0])),
        ("nothing", "SysIdentPy fitted", lambda: foreign(final_model=[], theta=[])),
        ("input 10^6", "999999 final_model", lambda: foreign(final_model=[[10**9, 0], [1001, 0]])),
    ),
    Row(
        "estimator: words",
        lambda: Estimator(exploding).predict("abc"),
        InvalidSamplesError,
        "X text",
    ),
    *refusals(
        "estimator",
        InvalidOptionError,
        ("no map", "None callable", lambda: Estimator(None)),
        ("column 5 of 2", "columns [5]", lambda: Estimator(abs, [5]).predict([[1.0, 2.0]])),
        ("unknown parameter", "parameter 'x'", lambda: Estimator(abs).set_params(x=1)),
    ),
    Row(
        "narx: a ridge of 1e308 leaves the constant",
        lambda: fitted(ridge=1e308).predict(U, Y)[-50:],
        holds=lambda y: np.allclose(y, Y[3:].mean()),
    ),
    Row(
        "narx: the score of an unstable model is infinite, and says since when",
        lambda: around(exploding).score(U, Y),
        holds=lambda score: score.percent == np.inf and score.diverged_at is not None,
    ),
    *refusals(
        "validate",
        InvalidOptionError,
        ("0 steps", "steps 0", lambda: coupled().validate(U, Y, steps=0)),
        ("confidence of 99", "confidence 99", lambda: coupled().validate(U, Y, confidence=99)),
        ("a NARX beside", "linear NARX", lambda: coupled().validate(U, Y, linear=coupled())),
    ),
    *refusals(
        "validate",
        InvalidSamplesError,
        ("5 samples", "5 samples steps", lambda: coupled().validate(U[:5], Y[:5])),
        ("other lengths", "samples", lambda: coupled().validate(U, Y[:-1])),
    ),
    Row(
        "validate: an unstable model is no error, and nothing is NaN",
        lambda: around(exploding).validate(U, Y),
        holds=lambda found: found.diverges and "nan" not in str(found).lower(),
    ),
    Row(
        "validate: a constant output, and huge inputs",
        lambda: str(coupled().validate(1e90 * U, 0 * Y)),
        holds=lambda text: "infinite" in text and "nan" not in text.lower(),
    ),
    Row(
        "narx: huge inputs",
        lambda: coupled().predict(1e90 * U, Y),
        holds=lambda y: np.isfinite(y).all(),
    ),
    Row(
        "narx: huge weights are equal weights",
        lambda: refined(weights=np.full(200, 1e308)).score(U, Y).percent,
        holds=lambda percent: percent < 1e-6,
    ),
]
