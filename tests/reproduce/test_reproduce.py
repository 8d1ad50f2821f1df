"""Orders, and the command that prints tables and figures."""

import doctest
import json
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import unbraid
from unbraid.cli import main
from unbraid.reproduce import WHAT, Order, reproduce
from unbraid.reproduce import _published as published
from unbraid.reproduce._narx import SIMULATED

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("matplotlib")

NAMES = [
    *("cpd", "filters", "toy-implicit", "toy-varpro", "lambda", "counts", "lagrange"),
    *("network-error", "network-implicit", "network-varpro"),
    *("narx-error", "narx-explicit", "narx-varpro"),
]
PAGE = Path(__file__).parents[2] / "docs" / "reproduce.md"


@pytest.mark.parametrize("what", WHAT)
def test_order_counts_steps(what, tmp_path):
    quick = Order(what, quick=True, folder=tmp_path)
    full = Order(what, folder=tmp_path)
    assert 0 < quick.n_steps < full.n_steps
    assert 0 < quick.seconds < full.seconds


def test_rejects_invalid_order(tmp_path):
    for wrong in ({"what": "table9"}, {"draws": 0}, {"what": "figures"}):
        with pytest.raises(unbraid.errors.InvalidOptionError):
            Order(**{"folder": tmp_path if "draws" in wrong else None, **wrong})


BAD = [
    ("table9", "table9"),
    ("table1 --draws 0", "--draws"),
    ("table1 --out there", "--out"),
    ("table2 --record there", "--record"),
    ("figures --check", "--check"),
    ("silverbox --quick --record there.npz", "there.npz"),
    ("figures --quick --out taken", "folder taken"),
]


@pytest.mark.parametrize(("line", "said"), BAD)
def test_command_rejects_wrong_arguments(line, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    assert main(["reproduce", *shlex.split(line)]) == 2
    assert said in capsys.readouterr().err


def test_figures_need_matplotlib(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    assert main(["reproduce", "figures", "--quick"]) == 2
    assert "unbraid[plot]" in capsys.readouterr().err


@pytest.mark.slow
def test_json_document(capsys):
    assert main(shlex.split("reproduce table2 --quick --draws 1 --seed 3 --json --check")) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    (table,) = found["tables"]
    assert (table["name"], table["draws"], found["seed"]) == ("table2", 1, 3)
    cells = {(each["method"], each["n_branches"]): each for each in table["cells"]}
    assert set(cells) == {(method, r) for method in ("varpro", "implicit") for r in (1, 2, 3, 4)}
    exact = cells["varpro", 3]
    assert exact["median"] < 1e-6
    assert (exact["published_mean"], exact["holds"], exact["comparable"]) == (0.6, True, True)
    assert "random function" in cells["varpro", 1]["not_comparable"]
    assert cells["varpro", 1]["holds"] is None
    assert len(table["comparisons"]) == 4
    assert any("251" in erratum for erratum in table["errata"])
    assert found["summary"]["holds"] is True


@pytest.mark.slow
def test_failing_cell_is_reported(monkeypatch, capsys):
    monkeypatch.setitem(
        published.TABLE2_ERRORS["implicit"], 4, (-1.0,)
    )  # nobody is better than that
    found = reproduce(Order("table2", quick=True, draws=1))
    monkeypatch.setattr(import_module("unbraid.cli._reproduce"), "reproduce", lambda *_: found)
    assert main(["reproduce", "table2"]) == 0
    said = capsys.readouterr().out
    assert "does not hold: table2 varpro r = 4" in said
    assert "2 of them comparable: 1 hold" in said
    assert "another random function, and r is too few for it: varpro r = 1, 2;" in said
    assert main(["reproduce", "table2", "--check"]) == 1


@pytest.mark.slow
def test_quick_run_of_whole_paper(tmp_path, monkeypatch, capsys, no_record):
    monkeypatch.chdir(tmp_path)
    line, shown = excerpt()
    assert main([*shlex.split(line)[1:], "--check", "--out", "pictures"]) == 0
    said = capsys.readouterr().out
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, said, flags), said
    for title in ("Table 1: ", "Table 2: ", "Table 3: ", "NARX models, Duffing twin"):
        assert title in said
    assert f"not comparable, {SIMULATED}: reference; varpro r = 1, 2, 3;" in said
    assert "no record was given" in said
    assert "251" in said
    assert "does not hold" not in said
    for name in NAMES:
        png, svg = (tmp_path / "pictures" / f"{name}.{ending}" for ending in ("png", "svg"))
        assert png.read_bytes().startswith(b"\x89PNG")
        assert "<svg" in svg.read_text(encoding="utf-8")
        assert _has_ink(png), name
    assert len(list((tmp_path / "pictures").iterdir())) == 2 * len(NAMES)


def excerpt():
    """The command on the page, and what the page says that it prints."""
    (block,) = re.findall(r"^```console\n\$ (.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    line, _, shown = block.partition("\n")
    return line, shown


def _has_ink(path):
    from matplotlib.image import imread

    picture = imread(path)[..., :3]
    return 0.005 < np.mean(picture.min(axis=2) < 0.9) < 0.6


@pytest.mark.slow
def test_quick_table1_agrees_with_paper():
    """Both outputs of the paper's methods, in its own units: the published draw is one of many."""
    found = reproduce(Order("table1", quick=True, draws=3))
    (table,) = found.tables
    for each in table.cells:
        if each.method in ("implicit", "explicit") and each.n_branches <= 2:
            assert np.allclose(each.median, each.published, rtol=0.5), each
        if each.method == "varpro" and each.n_branches >= 3:
            assert each.spread[2] < 1e-6
    assert found.summary.no_worse == found.summary.comparisons == 12
