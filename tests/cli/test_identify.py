"""``unbraid identify``."""

import json

import numpy as np
import pytest

import unbraid
from cli_helpers import write_table
from statespace.twins import saturation, twin
from unbraid.cli import main

CALL = ["identify", "tank.csv", "--u", "pump_V", "--y", "level_cm"]


def write_linear_record(folder, size=400):
    rng = np.random.default_rng(0)
    u, y = rng.standard_normal(size), np.zeros(size)
    for t in range(size - 1):
        y[t + 1] = 0.7 * y[t] + u[t]
    y += 0.05 * rng.standard_normal(size)
    write_table("tank.csv", "t,pump_V,level_cm", [0.25 * np.arange(size), u, y])


def test_linear_record_gives_a_linear_model_with_names_and_time(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_linear_record(tmp_path)
    assert main([*CALL, "--time", "t"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("tank.csv: 300 samples to fit, 100 samples to test on;")
    assert "*  linear, 1 state" in printed
    model = unbraid.load("tank.unbraid.json")
    assert (model.input_names, model.output_names) == (("pump_V",), ("level_cm",))
    assert model.sampling_time == pytest.approx(0.25)


@pytest.mark.slow
def test_document_has_all_candidates(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    u, y, _ = twin(saturation, 1200, noise=0.01)
    write_table("tank.csv", "pump_V,level_cm", [u, y])
    assert main([*CALL, "--json", "--report", "tank.html", "-o", "m.json"]) == 0
    result = json.loads(capsys.readouterr().out)
    rows = result["models"]
    assert [row["chosen"] for row in rows].count(True) == 1
    chosen = next(row for row in rows if row["chosen"])
    assert chosen["test_error"] < 0.3 * rows[0]["test_error"]
    model = unbraid.load("m.json")
    assert model.score(u[900:], y[900:], 50).percent == pytest.approx(chosen["test_error"])
    assert "level_cm" in (tmp_path / "tank.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["-j", "0"], "processes"),
        (["--max-seconds", "0"], "max-seconds"),
        (["--u", "pump"], "pump_V"),
        (["--test", "tank.csv", "--test-share", "0.5"], "test-share"),
        (["-o", "model.txt"], ".json"),
    ],
)
def test_rejects_bad_options(tmp_path, monkeypatch, capsys, options, word):
    monkeypatch.chdir(tmp_path)
    write_linear_record(tmp_path, 60)
    assert main([*CALL, *options]) == 2
    assert word in capsys.readouterr().err
