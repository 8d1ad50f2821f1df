"""Verdicts and their summary."""

import numpy as np

from unbraid.reproduce._counts import ParameterCount
from unbraid.reproduce._results import Comparison, PaperTable, TableCell, summarise


def cell(method, errors, printed=(1.0,), **more):
    return TableCell(method, 3, tuple((e,) for e in errors), 0.1, printed, **more)


def test_verdict_depends_on_method_and_draws():
    assert cell("implicit", [0.5, 2.0]).published_position == "inside"
    assert cell("implicit", [0.5, 2.0]).holds is True
    assert cell("implicit", [0.2, 0.3]).published_position == "above"
    assert cell("implicit", [1.2, 1.3]).published_position == "below"
    assert cell("implicit", [1.2, 1.3]).holds is False
    assert cell("implicit", [1.2, 1.3], slack=1.5).holds is True
    assert cell("implicit", [1.2, 1.3], as_written=1.3).holds is True  # other draws, other errors
    assert cell("implicit", [1.2, 9.0, 9.0], as_written=1.3).holds is False
    assert cell("varpro", [0.5, 2.0, 3.0]).holds is False  # by its median, not by its least
    assert cell("varpro", [0.5, 0.9, 3.0]).holds is True
    assert cell("varpro", [3.0], not_comparable="another function").holds is None
    assert cell("varpro", [3.0], printed=None).holds is None
    assert not cell("varpro", [np.inf]).holds


def test_summary_counts_and_names():
    good, bad = cell("varpro", [0.1]), cell("varpro + refine", [9.0])
    incomparable = cell("cpd", [9.0], not_comparable="so")
    table = PaperTable(
        "table1",
        "",
        (good, bad, incomparable),
        (ParameterCount("wrong", 5, 6, 6),),
        (Comparison(0, 1, 1.0, 2.0), Comparison(4, 2, 3.0, 2.0)),
    )
    found = summarise((table,))
    assert (found.cells, found.comparable, found.holding) == (3, 2, 1)
    assert found.failing == ("table1 varpro + refine r = 3", "table1 wrong")
    assert (found.comparisons, found.no_worse) == (2, 1)
    assert found.worse == ("table1 r = 2, draw 4 (3 against 2 %)",)
    assert not found.holds
