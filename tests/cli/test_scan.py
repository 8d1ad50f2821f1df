"""``unbraid scan``."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest

import unbraid
from cli_helpers import make_raiser
from unbraid.cli import main


@pytest.mark.slow
def test_scans_every_combination(workspace, capsys):
    line = (
        "scan samples.npz -r 1,2 --degree 2:3 --seeds 0:1 --json --store s.db --csv t.csv -o b.json"
    )
    assert main(shlex.split(line)) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["rows"]) == 8
    best = result["rows"][result["best"]]
    assert (best["n_branches"], best["basis"]) == (1, "Polynomial(3)")
    assert best["held_out_error"] < 1e-6
    assert unbraid.load("b.json").n_branches == 1
    lines = (workspace / "t.csv").read_text().splitlines()
    assert len(lines) == 9
    assert "held_out_error" in lines[0]


@pytest.mark.parametrize("as_json", [True, False])
def test_fails_if_no_model_meets_the_tolerance(workspace, capsys, as_json):
    line = "scan samples.npz -r 1 --degree 1 --tolerance 1 --csv t.csv -o b.json --report r.html"
    assert main([*shlex.split(line), "--store", "new.db", *["--json"] * as_json]) == 2
    out, err = capsys.readouterr()
    assert "no model" in err
    assert "b.json" in err
    assert not (workspace / "b.json").exists()
    assert (workspace / "t.csv").read_text().count("\n") == 2
    assert "<html" in (workspace / "r.html").read_text(encoding="utf-8")
    if as_json:
        result = json.loads(out)
        assert result["written"] == {"table": "t.csv", "report": "r.html"}
        assert (result["best"], result["store"]) == (None, "new.db")
    else:
        assert re.search(r"^store: +new.db$", out, re.MULTILINE)
        assert "best: " not in out


def test_row_keeps_its_number_when_the_grid_grows(workspace, capsys):
    for counts in ("2", "1:2"):
        assert main(shlex.split(f"scan samples.npz -r {counts} --degree 3 --store g.db")) == 0
    for index in (0, 1):
        model = unbraid.load_scan("g.db")[index].model
        capsys.readouterr()
        assert main(["export", "g.db", "--row", str(index), "--to", "c"]) == 0
        assert capsys.readouterr().out.strip() == unbraid.export.to_c(model).strip()
        assert main(["show", "g.db", "--row", str(index), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["model"]["n_branches"] == model.n_branches
    assert unbraid.load_scan("g.db")[0].settings["n_branches"] == 2


def test_auto_finds_the_number_of_branches(workspace, capsys):
    assert main(shlex.split("scan samples.npz -r AUTO,2 --degree 3 --json --store a.db")) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert sorted(row["n_branches"] for row in rows) == [1, 2]


def test_scan_draws_progress_bar_on_a_terminal(workspace):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "unbraid.cli"]
    command += shlex.split("scan samples.npz -r 1 --degree 2:4 --store bar.db")
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        seen = b""
        while part := read_terminal(ours):
            seen += part
        os.close(ours)
    assert process.returncode == 0
    assert b"Scanning" in seen
    assert b"3/3" in seen


def read_terminal(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side was closed
        return b""


def test_interrupted_scan_reports_finished_cells(monkeypatch, capsys, small_files):
    monkeypatch.setattr(unbraid.scans, "scan", make_raiser(KeyboardInterrupt()))
    assert main(["scan", "samples.npz", "-r", "1", "--store", "s.db"]) == 130
    assert "0 finished cells" in capsys.readouterr().err


@pytest.mark.slow
def test_compares_state_space_models(small_files, capsys):
    line = ["scan", "record.npz", "--states", "1:2", "-r", "1", "--basis", "poly:3"]
    assert main([*line, "--starts", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["kind"] == "statespace"
    assert [row["n_states"] for row in result["rows"]] == [1, 2]
    assert main(["show", "record.scan.db", "--no-plot"]) == 0
    printed = capsys.readouterr().out
    assert "the linear model: " in printed
    assert "Linear model of order " in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--states 1 --narx", "two kinds of models"),
        ("--states 0", "--states 0"),
        ("--states 1 --input-lags 1", "does not apply to state-space models"),
        ("--states 1 --box 0:1", "with --states the record has the points"),
        ("--test-share 0.1", "add --narx or --states"),
    ],
)
def test_rejects_options_of_other_models(small_files, capsys, options, message):
    assert main(["scan", "record.npz", *options.split()]) == 2
    assert message in capsys.readouterr().err
