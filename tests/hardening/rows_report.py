"""Bad reports: foreign objects, names, data and paths."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.rows import Row
from unbraid.errors import InvalidFile, InvalidOption, InvalidSamples
from unbraid.narx import NARX

POINTS = unbraid.sampling.uniform(40, [-1, -1], [1, 1], random_state=0)
VALUES = POINTS[:, :1] * POINTS[:, 1:]


@cache
def function() -> unbraid.DecoupledFunction:
    square = unbraid.Polynomial(2)
    return unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], POINTS, 2, basis=square, random_state=0)


def page(result: Any = None, path: Any = "page.html", **options: Any) -> str:
    shown = function() if result is None else result
    return unbraid.report(shown, path, **options).read_text(encoding="utf-8")


def failed() -> str:
    """The page of a scan of which no cell has a model."""
    pytest.importorskip("joblib", reason="a scan needs joblib")
    options = {"n_branches": [1], "degree": 99, "progress": False}
    return page(unbraid.scan(lambda p: p[:, :1] ** 2, POINTS, **options))


LIKE_A_SCAN = SimpleNamespace(rows=[], pareto=[], best_row=1, reference_errors=1)
ROWS = [
    *(
        Row(
            f"report: of {thing!r:.30}",
            lambda t=thing: page(t),
            InvalidOption,
            "pass a DecoupledFunction",
        )
        for thing in (3, "model.json", [], LIKE_A_SCAN, SimpleNamespace(decoupled_=3), len)
    ),
    Row(
        "report: of a coupled NARX model",
        lambda: page(NARX(abs, (0,), (1,))),
        InvalidOption,
        "decouple",
    ),
    Row("report: nowhere", lambda: page(path="no/page.html"), InvalidFile, "cannot write"),
    Row("report: over a folder", lambda: page(path="."), InvalidFile, "add the name of a file"),
    Row("report: a number as path", lambda: page(path=3), InvalidOption, "where to write"),
    Row("report: a number as title", lambda: page(title=3), InvalidOption, "title must be text"),
    Row("report: one name", lambda: page(names=["a"]), InvalidOption, "2 different names"),
    Row("report: a name twice", lambda: page(names=["a", "a"]), InvalidOption, "2 different names"),
    Row("report: outputs by number", lambda: page(outputs=3), InvalidOption, "a list of 1 names"),
    Row("report: data by number", lambda: page(data=3), InvalidOption, "a pair"),
    Row("report: points alone", lambda: page(data=(POINTS,)), InvalidOption, "a pair"),
    Row(
        "report: two values for one",
        lambda: page(data=(POINTS, POINTS)),
        InvalidSamples,
        r"\(N, 1\)",
    ),
    Row(
        "report: no rows", lambda: page(data=(POINTS[:0], VALUES[:0])), InvalidSamples, r"\(N, 2\)"
    ),
    Row("report: NaN", lambda: page(data=(np.nan * POINTS, VALUES)), InvalidSamples, "NaN"),
    Row(
        "report: a scan in which all failed is a page that says so",
        failed,
        holds=lambda text: "failed" in text,
    ),
    Row(
        "report: a title of tags is a text",
        lambda: page(title="<script>alert(1)</script>"),
        holds=lambda text: "<script>alert" not in text and "&lt;script&gt;" in text,
    ),
    Row(
        "report: a title of 10^5 letters is cut",
        lambda: page(title="x" * 10**5),
        holds=lambda text: "x" * 200 not in text,
    ),
]
