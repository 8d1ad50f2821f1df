"""``unbraid decouple``."""

import json
import re
import shlex

import numpy as np
import pytest

import unbraid
from unbraid.cli import main


@pytest.mark.slow
def test_json_document_matches_written_model(workspace, capsys):
    line = "decouple model:f --box -1:1,-2:2 -r 2 --n-points 300 --names speed,load --json"
    assert main([*shlex.split(line), "-o", "m.json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["written"] == {"model": "m.json"}
    assert result["n_branches"] == 2
    assert max(result["held_out_error"]) < 0.01
    direction = result["directions"][0]
    assert direction["shapes"]["f"]["label"] == "saturating"
    assert set(direction["weights"]) == {"speed", "load"}
    d = unbraid.load("m.json")
    p = np.array([[0.3, -0.8]])
    expected = np.tanh(0.3 - 1.6) + 0.1 * 0.09
    assert d(p)[0, 0] == pytest.approx(expected, abs=1e-4)
    np.testing.assert_allclose(result["V"], d.V)


def test_prints_of_a_model_go_to_standard_error(workspace, capsys):
    line = "decouple model:chatty --box -1:1,-1:1 -r 1 --basis poly:3 --n-points 50 --json"
    assert main(shlex.split(line)) == 0
    result = capsys.readouterr()
    assert json.loads(result.out)["n_branches"] == 1
    assert "here I am" in result.err


def test_quiet_prints_nothing(workspace, capsys):
    line = "decouple samples.npz -r 1 --basis poly:3 -q --report r.html"
    assert main(shlex.split(line)) == 0
    assert capsys.readouterr() == ("", "")
    assert (workspace / "samples.unbraid.json").exists()
    assert (workspace / "r.html").exists()


@pytest.mark.slow
def test_names_are_stored_with_the_model(workspace, capsys):
    line = (
        "decouple model:f --box -1:1,-1:1 -r 1 --basis poly:5 --names speed,load "
        "--output-names force -o n.json -q"
    )
    assert main(shlex.split(line)) == 0
    line = "decouple data.csv --target force -r 1 --basis poly:3 -o d.json -q"
    assert main(shlex.split(line)) == 0
    capsys.readouterr()
    for name in ("n.json", "d.json"):
        assert unbraid.load(name).input_names == ("speed", "load")
        assert main(["show", name, "--no-plot"]) == 0
        shown = capsys.readouterr().out
        assert re.search(r"force is a \w+ function of", shown)
        assert re.search(r"z1 = .*speed", shown)
        assert main(["export", name, "--to", "latex"]) == 0
        assert "speed" in capsys.readouterr().out
        assert main(["show", name, "--no-plot", "--names", "a,b"]) == 0
        assert "speed" not in capsys.readouterr().out
    line = "scan model:f --box -1:1,-1:1 -r 1 --degree 3 --names speed,load -o best.json"
    assert main(shlex.split(line)) == 0
    assert unbraid.load("best.json").input_names == ("speed", "load")


def test_poor_approximation_is_reported(workspace, capsys):
    poor = "a poor approximation: "
    assert main(shlex.split("decouple samples.npz -r 1 --basis poly:1 -o p.json")) == 0
    assert poor in capsys.readouterr().out
    for name, is_poor in (("p.json", True), ("f.unbraid.json", False)):
        assert main(["show", name, "--no-plot"]) == 0
        assert (poor in capsys.readouterr().out) is is_poor
