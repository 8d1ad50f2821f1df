"""Bad scans: empty axes, unknown options, processes, stores, absurd tolerances."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.plain import refused
from hardening.rows import Row
from unbraid.errors import InvalidFileError, InvalidOptionError, InvalidSamplesError
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


def file(content: bytes) -> Path:
    path = Path("x.db")
    path.write_bytes(content)
    return path


def other_problem() -> unbraid.Scan:
    scan(store="scan.db")
    return scan(lambda p: p[:, :1], store="scan.db")


def dynamic(points: Any = None, **options: Any) -> unbraid.Scan:
    model = NARX(lambda p: 0.5 * p[:, :1], (0,), (1,))
    return scan(model, points, degree=None, **options)


U = POINTS[:, 0]
OPTIONS = [
    refused(f"scan: {what}", InvalidOptionError, name, scan, **{name: value})
    for what, name, value in (
        ("no branches", "n_branches", []),
        ("0 branches", "n_branches", [1, 0]),
        ("misspelt", "n_branches", "aut"),
        ("degree 0", "degree", [3, 0]),
        ("seed -1", "random_state", [0, -1]),
        ("a seed in words", "random_state", "a"),
        ("half a seed", "random_state", 0.5),
        ("grid as a list", "grid", [1]),
        ("an empty list", "grid", {"n_starts": []}),
        ("no list", "grid", {"n_starts": 3}),
        ("unknown option", "speed", 3),
        ("a callback", "callback", print),
        ("no processes", "n_jobs", 0),
        ("processes in words", "n_jobs", "2"),
        ("true processes", "n_jobs", True),
        ("refine in words", "refine", "yes"),
        ("all held out", "held_out", 1.0),
        ("one name", "names", ["a"]),
        ("0 numbers", "coupled_parameters", 0),
        ("data of a function", "data", (U, U)),
        ("no points", "points", None),
        ("progress 3", "progress", 3),
    )
]
ROWS = [
    *OPTIONS,
    *(
        refused(f"scan: {what}", error, mentions, scan, **options)
        for what, options, error, mentions in (
            ("no method", {"method": []}, InvalidOptionError, "method empty"),
            ("unknown method", {"method": "magic"}, InvalidOptionError, "method magic"),
            (
                "basis and degree",
                {"basis": unbraid.Polynomial(2)},
                InvalidOptionError,
                "basis degree",
            ),
            ("unknown axis", {"grid": {"speed": [1]}}, InvalidOptionError, "speed"),
            (
                "an axis twice",
                {"grid": {"n_branches": [1]}},
                InvalidOptionError,
                "n_branches argument",
            ),
            ("nothing to scan", {"model": None}, InvalidOptionError, "NoneType"),
            ("a store nowhere", {"store": "no/scan.db"}, InvalidFileError, "no/scan.db"),
            ("a folder as store", {"store": "."}, InvalidFileError, "folder"),
        )
    ),
    *(
        refused(f"scan: {what}", error, mentions, dynamic, **options)
        for what, options, error, mentions in (
            ("a NARX model without data", {}, InvalidOptionError, "NARX data"),
            ("points of a NARX model", {"points": POINTS}, InvalidOptionError, "NARX points"),
            ("data in one", {"data": U}, InvalidOptionError, "data (u,"),
            (
                "refining how?",
                {"data": (U, U), "refine": {"speed": 1}},
                InvalidOptionError,
                "refine speed",
            ),
            ("short records", {"data": (U[:1], U[:1])}, InvalidSamplesError, "record samples"),
        )
    ),
    Row("scan: the store of another", other_problem, InvalidFileError, "another"),
    *(
        Row(
            f"scan: the best to {value!r} %",
            lambda v=value: found().best(v),
            InvalidOptionError,
            f"tolerance {value!r}",
        )
        for value in (0, -1, np.nan, "a", True, [1])
    ),
    Row("scan: the best to 1e-300 %", lambda: found().best(1e-300), InvalidOptionError, "1e-300"),
    Row(
        "scan: the best to 10^400 % is the smallest",
        lambda: found().best(10**400),
        holds=lambda d: d.n_branches == 1,
    ),
    refused("load_scan: nothing", InvalidFileError, "missing.db", unbraid.load_scan, "missing.db"),
    refused("load_scan: a folder", InvalidFileError, "folder", unbraid.load_scan, "."),
    *(
        Row(
            f"load_scan: {what}",
            lambda c=content: unbraid.load_scan(file(c)),
            InvalidFileError,
            "x.db",
        )
        for what, content in (("empty", b""), ("a text", b"hello"))
    ),
]
