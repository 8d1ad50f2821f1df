"""Bad reports: foreign objects, names, data and paths."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import unbraid
from hardening.plain import refused
from hardening.rows import Row
from unbraid.errors import InvalidFileError, InvalidOptionError, InvalidSamplesError
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


COUPLED = NARX(abs, (0,), (1,))
LIKE_A_SCAN = SimpleNamespace(rows=[], pareto=[], best_row=1, reference_errors=1)
ROWS = [
    *(
        refused(f"report: of {thing!r:.30}", InvalidOptionError, type(thing).__name__, page, thing)
        for thing in (3, "model.json", [], LIKE_A_SCAN, SimpleNamespace(decoupled_=3), len)
    ),
    refused("report: of a coupled NARX model", InvalidOptionError, "model.decouple", page, COUPLED),
    refused("report: nowhere", InvalidFileError, "no/page.html", page, path="no/page.html"),
    refused("report: over a folder", InvalidFileError, "folder", page, path="."),
    refused("report: a number as path", InvalidOptionError, "path 3", page, path=3),
    refused("report: a number as title", InvalidOptionError, "title 3", page, title=3),
    refused("report: one name", InvalidOptionError, "names ['a']", page, names=["a"]),
    refused("report: a name twice", InvalidOptionError, "names different", page, names=["a", "a"]),
    refused("report: outputs by number", InvalidOptionError, "outputs 3", page, outputs=3),
    refused("report: data by number", InvalidOptionError, "data pair", page, data=3),
    refused("report: points alone", InvalidOptionError, "data pair", page, data=(POINTS,)),
    refused(
        "report: two values for one",
        InvalidSamplesError,
        "data values",
        page,
        data=(POINTS, POINTS),
    ),
    refused(
        "report: no rows", InvalidSamplesError, "data (0,", page, data=(POINTS[:0], VALUES[:0])
    ),
    refused("report: NaN", InvalidSamplesError, "points NaN", page, data=(np.nan * POINTS, VALUES)),
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
