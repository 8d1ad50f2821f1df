"""``unbraid narx``."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import unbraid
from cli_helpers import write_table
from unbraid.cli import main


@pytest.mark.slow
def test_errors_match_scores_of_the_written_model(workspace, capsys):
    assert main(["narx", "record.csv", "-r", "2", "-o", "n.json", "--json"]) == 0
    coupled, small = json.loads(capsys.readouterr().out)["models"]
    assert small["n_parameters"] < coupled["n_parameters"] == 56
    assert small["test_error"] < coupled["test_error"]
    model = unbraid.narx.load("n.json")
    u, y = np.genfromtxt("record.csv", delimiter=",", skip_header=1)[768:].T
    assert model.score(u, y).percent == pytest.approx(small["test_error"])


def test_reads_signals_in_rows_and_several_channels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    u = rng.normal(size=(400, 2))
    y = np.zeros((400, 2))
    for t in range(1, 400):
        y[t] = 0.5 * y[t - 1] + np.tanh(u[t])
    np.savez("two.npz", u=u.T, y=y)
    lags = ["--input-lags", "0", "--output-lags", "1", "--degree", "1"]
    assert main(["narx", "two.npz", *lags, "-r", "2", "--test-share", "0", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["model"]["n_inputs"] == 4
    assert result["models"][0]["test_error"] is None
    assert np.shape(result["model"]["linear"]) == (2, 4)
    assert "y1(t) is a linear function of" in result["model"]["words"]
    assert "u1(t)" in result["model"]["words"]


LAGS = ["--input-lags", "0", "--output-lags", "1", "--degree", "1"]


def test_writes_report_on_the_test_record(capsys, small_files, record):
    u, y = record
    np.savez("other.npz", u=u[::-1].copy(), y=y[::-1].copy())
    line = ["narx", "record.npz", *LAGS, "-r", "1", "--no-refine", "--test", "other.npz"]
    assert main([*line, "--report", "r.html", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["written"]["report"] == "r.html"
    assert result["models"][0]["test_error"] > 1
    with open("r.html", encoding="utf-8") as page:
        assert "simulated" in page.read()


def test_reports_warnings_of_the_chosen_model(monkeypatch, capsys, small_files):
    real = unbraid.scans.scan

    def scan(*arguments, **options):
        row = replace(
            real(*arguments, **options).best_row(), warnings=("not refined: it diverges",)
        )
        return SimpleNamespace(best_row=lambda: row)

    monkeypatch.setattr(unbraid.scans, "scan", scan)
    line = ["narx", "record.npz", *LAGS, "-r", "auto", "--max-branches", "1", "--no-refine"]
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == ["not refined: it diverges"]


def test_rejects_test_record_with_other_columns(capsys, small_files, record):
    u, y = record
    np.savez("other.npz", u=np.stack([u, u]), y=y)
    assert main(["narx", "record.npz", *LAGS, "-r", "1", "--test", "other.npz"]) == 2
    assert "other.npz" in capsys.readouterr().err


def test_narx_model_can_be_shown_and_exported(capsys, small_files):
    assert main(["narx", "record.npz", *LAGS, "-r", "1", "--no-refine", "-o", "n.json"]) == 0
    capsys.readouterr()
    assert main(["show", "n.json", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["input_lags"], result["output_lags"]) == ([0], [1])
    assert main(["export", "n.json", "--to", "latex"]) == 0
    result = capsys.readouterr()
    assert (
        "only the static map of the NARX model is written, with inputs u(t), y(t-1)" in result.err
    )
    assert "aligned" in result.out


def test_keeps_names_and_sampling_time(capsys, small_files, record):
    u, y = record
    write_table("tank.csv", "t,pump_V,level_cm", [0.25 * np.arange(len(u)), u, y])
    line = ["narx", "tank.csv", "--u", "pump_V", "--y", "level_cm", "--time", "t", *LAGS]
    assert main([*line, "-r", "1", "--no-refine", "-o", "n.json"]) == 0
    printed = capsys.readouterr().out
    assert "level_cm(t) is a linear function of" in printed
    assert printed.count("\n") < 12
    model = unbraid.load("n.json")
    assert (model.input_names, model.output_names) == (("pump_V",), ("level_cm",))
    assert model.sampling_time == pytest.approx(0.25)
    assert main(["show", "n.json", "--no-plot"]) == 0
    assert "0.25 s" in capsys.readouterr().out


def test_several_records_are_fitted_and_tested_on(capsys, small_files, record):
    u, y = record
    times = np.r_[np.arange(90.0), np.arange(70.0)]
    write_table("two.csv", "t,u,y", [times, u, y])
    line = ["narx", "two.csv", "--time", "t", *LAGS, "-r", "1", "--no-refine"]
    assert main([*line, "-o", "n.json"]) == 0
    printed = capsys.readouterr()
    assert "a new record begins" in printed.err
    assert "120 samples in 2 records to fit, 40 samples to test on" in printed.out


def test_a_record_that_is_too_short_is_refused(capsys, small_files):
    write_table("short.csv", "u,y", np.random.default_rng(0).normal(size=(2, 4)))
    assert main(["narx", "short.csv", "--test-share", "0", "-r", "1"]) == 2
    assert "too few" in capsys.readouterr().err
    assert main(["narx", "short.csv", "--output-lags", "1:9", "--test-share", "0", "-r", "1"]) == 2
    assert "at least 10 are needed" in capsys.readouterr().err
