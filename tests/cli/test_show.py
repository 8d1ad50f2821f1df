"""``unbraid show``."""

import json
import re
import shlex

import numpy as np

import unbraid
from unbraid.cli import main


def test_draws_every_term(workspace, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    assert main(["show", "f.unbraid.json"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("└") == 1  # both branches lie along one direction
    assert re.search("[\u2801-\u28ff]", printed)
    assert max(len(line) for line in printed.splitlines() if "│" in line) <= 50
    assert "\033" not in printed
    assert main(["show", "f.unbraid.json", "--ascii"]) == 0
    plain = capsys.readouterr().out
    assert plain.count("*") > 40
    assert plain.isascii()
    assert main(["show", "f.unbraid.json", "--no-plot"]) == 0
    words = capsys.readouterr().out
    assert "saturating" in words
    assert "└" not in words


def test_shows_and_saves_rows_of_a_store(workspace, capsys):
    assert main(["show", "samples.scan.db", "--no-plot"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\* +0 +varpro, r = 1", printed)
    assert "Row 0: varpro, r = 1" in printed
    assert main(["show", "samples.scan.db", "--row", "1", "--save", "two.json"]) == 0
    assert "Row 1" in capsys.readouterr().out
    assert unbraid.load("two.json").n_branches == 2
    line = "show samples.scan.db --save named.json --names left,right --no-plot"
    assert main(shlex.split(line)) == 0
    assert "left" in capsys.readouterr().out
    assert unbraid.load("named.json").input_names == ("left", "right")
    assert main(["show", "samples.scan.db", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["row"], len(result["rows"]), result["model"]["n_branches"]) == (0, 2, 1)


def test_shows_narx_models(workspace, capsys):
    assert main(["show", "record.unbraid.json"]) == 0
    printed = capsys.readouterr().out
    assert "input lags 0, 1, output lags 1, 2, 3" in printed
    assert "y(t-1)" in printed
    assert re.search(r"one-step-ahead error: [\d.e-]+ % fitted", printed)
    u, y = np.genfromtxt("record.csv", delimiter=",", skip_header=1).T
    unbraid.narx.fit_polynomial_narx(u, y).save("coupled.json")
    assert main(["show", "coupled.json"]) == 0
    assert "coupled, 56 parameters" in capsys.readouterr().out
    for line, word in (
        ("export coupled.json --to c", "decouple"),
        ("report coupled.json", "coupled"),
    ):
        assert main(shlex.split(line)) == 2
        assert word in capsys.readouterr().err
