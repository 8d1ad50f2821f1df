"""The grid of a scan: which cells it has, and which calls are rejected."""

from __future__ import annotations

import pytest

import unbraid
from scan_helpers import TOY
from unbraid import Filter, InvalidOptionError, Polynomial
from unbraid.scans._grid import make_cells
from unbraid.solvers import VarPro

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")


def test_options_go_only_to_methods_that_have_them():
    cells = make_cells(
        {"method": ["varpro", "implicit", "explicit"], "n_branches": 2},
        {"smoothness": [1.0, 10.0], "filters": [[Filter("left")], None]},
        {"n_starts": 2, "window": 5},
    )
    assert [dict(cell.settings) for cell in cells] == [
        {"n_starts": 2, "method": "varpro", "n_branches": 2},
        {"n_starts": 2, "method": "implicit", "n_branches": 2, "filters": ["Filter('left')"]},
        {"n_starts": 2, "method": "implicit", "n_branches": 2, "filters": None},
        {"n_starts": 2, "window": 5, "method": "explicit", "n_branches": 2, "smoothness": 1.0},
        {"n_starts": 2, "window": 5, "method": "explicit", "n_branches": 2, "smoothness": 10.0},
    ]


def test_method_axis_accepts_solver_objects():
    solvers = [VarPro(n_starts=2), VarPro(n_starts=1)]
    found = unbraid.scan(
        TOY, n_branches=2, degree=3, method=solvers, random_state=[0, 1], progress=False
    )
    assert len(found) == 4
    assert found.rows[0].settings["method"] == "VarPro(n_starts=2)"
    assert all(row.failure == "" for row in found.rows)


ABUSE = {
    "no branches": ({"n_branches": []}, InvalidOptionError, "n_branches is empty"),
    "half a branch": ({"n_branches": [1, 1.5]}, InvalidOptionError, "n_branches"),
    "many branches": ({"n_branches": "many"}, InvalidOptionError, "'many'"),
    "a basis in words": ({"basis": ["auto", "poly:3"]}, InvalidOptionError, "basis"),
    "all held out": ({"held_out": 1.0}, InvalidOptionError, "held_out is 1.0"),
    "no methods": ({"method": []}, InvalidOptionError, "method is empty"),
    "unknown method": ({"method": "magic"}, InvalidOptionError, "'magic'"),
    "a class": ({"method": VarPro}, InvalidOptionError, "VarPro"),
    "unknown option": ({"depth": 3}, InvalidOptionError, "'depth'"),
    "an option of another method": ({"window": 3}, InvalidOptionError, "'window'"),
    "unknown axis": ({"grid": {"depth": [1]}}, InvalidOptionError, "'depth'"),
    "grid is no dict": ({"grid": [1, 2]}, InvalidOptionError, "grid is"),
    "an axis that is no list": ({"grid": {"n_starts": 3}}, InvalidOptionError, "'n_starts'"),
    "an axis of its own": ({"grid": {"method": ["cpd"]}}, InvalidOptionError, "'method'"),
    "an empty axis": ({"grid": {"n_starts": []}}, InvalidOptionError, "is empty"),
    "basis and degree": ({"basis": Polynomial(2), "degree": 3}, InvalidOptionError, "not both"),
    "callback": ({"callback": print}, InvalidOptionError, "callback"),
    "workers": ({"workers": 2}, InvalidOptionError, "'workers'"),
    "a lambda": ({"grid": {"weights": [lambda: 0]}}, InvalidOptionError, "lasting name"),
    "an object": ({"grid": {"weights": [object()]}}, InvalidOptionError, "distinguished"),
    "data of a dynamic model": ({"data": (1, 2)}, InvalidOptionError, "'data' does not apply"),
    "coupled parameters": ({"coupled_parameters": 0}, InvalidOptionError, "coupled_parameters"),
    "progress": ({"progress": "yes"}, InvalidOptionError, "progress is 'yes'"),
    "points beside samples": ({"points": [[1.0]]}, InvalidOptionError, "Samples hold"),
}


@pytest.mark.parametrize("case", ABUSE)
def test_rejects_invalid_call(case):
    options, kind, words = ABUSE[case]
    with pytest.raises(kind, match=words):
        unbraid.scan(TOY, **{"n_branches": 1, **options})
