"""Bad scans: empty axes, unknown options, workers, stores, absurd tolerances."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.rows import Row
from unbraid.errors import InvalidFile, InvalidOption, InvalidSamples
from unbraid.narx import NARX

POINTS = unbraid.sampling.uniform(40, [-1, -1], [1, 1], random_state=0)


def product(p: Any) -> Any:
    return p[:, :1] * p[:, 1:]


def scan(model: Any = product, points: Any = POINTS, **options: Any) -> unbraid.Scan:
    pytest.importorskip("joblib", reason="a scan needs joblib")
    return unbraid.scan(
        model, points, **{"n_branches": 1, "degree": 2, "progress": False, **options}
    )


@cache
def found() -> unbraid.Scan:
    return scan(n_branches=[1, 2])


def file(name: str, content: bytes) -> Path:
    path = Path(name)
    path.write_bytes(content)
    return path


def other_problem() -> unbraid.Scan:
    scan(store="scan.db")
    return scan(lambda p: p[:, :1], store="scan.db")


def dynamic(points: Any = None, **options: Any) -> unbraid.Scan:
    model = NARX(lambda p: 0.5 * p[:, :1], (0,), (1,))
    return scan(model, points, degree=None, **options)


U = POINTS[:, 0]
ROWS = [
    Row("scan: no branches", lambda: scan(n_branches=[]), InvalidOption, "n_branches is empty"),
    Row("scan: 0 branches", lambda: scan(n_branches=[1, 0]), InvalidOption, "at least 1"),
    Row("scan: misspelt", lambda: scan(n_branches="aut"), InvalidOption, "whole number"),
    Row("scan: no method", lambda: scan(method=[]), InvalidOption, "method is empty"),
    Row("scan: unknown method", lambda: scan(method="magic"), InvalidOption, "choose among"),
    Row("scan: degree 0", lambda: scan(degree=[3, 0]), InvalidOption, "at least 1"),
    Row(
        "scan: basis and degree",
        lambda: scan(basis=unbraid.Polynomial(2)),
        InvalidOption,
        "not both",
    ),
    Row("scan: seed -1", lambda: scan(random_state=[0, -1]), InvalidOption, "random_state must be"),
    Row(
        "scan: a seed in words",
        lambda: scan(random_state="a"),
        InvalidOption,
        "random_state must be",
    ),
    Row("scan: half a seed", lambda: scan(random_state=0.5), InvalidOption, "random_state must be"),
    Row("scan: grid as a list", lambda: scan(grid=[1]), InvalidOption, "a dict of names"),
    Row(
        "scan: an empty list",
        lambda: scan(grid={"n_starts": []}),
        InvalidOption,
        "at least one value",
    ),
    Row("scan: no list", lambda: scan(grid={"n_starts": 3}), InvalidOption, "pass a list"),
    Row("scan: unknown axis", lambda: scan(grid={"speed": [1]}), InvalidOption, "there are"),
    Row("scan: an axis twice", lambda: scan(grid={"n_branches": [1]}), InvalidOption, "of its own"),
    Row("scan: unknown option", lambda: scan(speed=3), InvalidOption, "no method.*'speed'"),
    Row("scan: a callback", lambda: scan(callback=print), InvalidOption, "pass progress="),
    Row("scan: no workers", lambda: scan(n_jobs=0), InvalidOption, "how many cells"),
    Row("scan: workers in words", lambda: scan(n_jobs="2"), InvalidOption, "how many cells"),
    Row("scan: true workers", lambda: scan(n_jobs=True), InvalidOption, "how many cells"),
    Row("scan: refine in words", lambda: scan(refine="yes"), InvalidOption, "pass True or False"),
    Row("scan: all held out", lambda: scan(held_out=1.0), InvalidOption, "held_out"),
    Row("scan: one name", lambda: scan(names=["a"]), InvalidOption, "2 different names"),
    Row("scan: 0 numbers", lambda: scan(coupled_parameters=0), InvalidOption, "at least 1"),
    Row(
        "scan: data of a function", lambda: scan(data=(U, U)), InvalidOption, "do not belong to it"
    ),
    Row("scan: no points", lambda: scan(points=None), InvalidOption, "points are missing"),
    Row("scan: nothing to scan", lambda: scan(None), InvalidOption, "pass a callable"),
    Row("scan: progress 3", lambda: scan(progress=3), InvalidOption, "progress"),
    Row("scan: a store nowhere", lambda: scan(store="no/scan.db"), InvalidFile, "no/scan.db"),
    Row("scan: a folder as store", lambda: scan(store="."), InvalidFile, "folder|directory"),
    Row("scan: the store of another", other_problem, InvalidFile, "another|other"),
    Row("scan: a NARX model without data", lambda: dynamic(), InvalidOption, r"pass data=\(u, y\)"),
    Row(
        "scan: points of a NARX model",
        lambda: dynamic(points=POINTS),
        InvalidOption,
        "do not belong",
    ),
    Row("scan: data in one", lambda: dynamic(data=U), InvalidOption, r"must be \(u, y\)"),
    Row(
        "scan: refining how?",
        lambda: dynamic(data=(U, U), refine={"speed": 1}),
        InvalidOption,
        "'speed'",
    ),
    Row("scan: short records", lambda: dynamic(data=(U[:1], U[:1])), InvalidSamples, "at least 2"),
    *(
        Row(
            f"scan: the best to {value!r} %",
            lambda v=value: found().best(v),
            InvalidOption,
            "positive",
        )
        for value in (0, -1, np.nan, "a", True, [1])
    ),
    Row(
        "scan: the best to 1e-300 %", lambda: found().best(1e-300), InvalidOption, "allow a larger"
    ),
    Row(
        "scan: the best to 10^400 % is the smallest",
        lambda: found().best(10**400),
        holds=lambda d: d.n_branches == 1,
    ),
    Row("load_scan: nothing", lambda: unbraid.load_scan("missing.db"), InvalidFile, "missing.db"),
    Row(
        "load_scan: a folder",
        lambda: unbraid.load_scan("."),
        InvalidFile,
        "director|folder|cannot read",
    ),
    Row("load_scan: empty", lambda: unbraid.load_scan(file("x.db", b"")), InvalidFile, "x.db"),
    Row(
        "load_scan: a text", lambda: unbraid.load_scan(file("x.db", b"hello")), InvalidFile, "x.db"
    ),
]
