"""``unbraid statespace``."""

import json

import numpy as np
import pytest

import unbraid
from cli_helpers import write_table
from unbraid.cli import main

LINEAR = ["--states", "1", "-r", "0"]


@pytest.fixture
def tank(tmp_path, monkeypatch, record):
    """A folder with a table of times and named signals, as the current one."""
    monkeypatch.chdir(tmp_path)
    u, y = record
    write_table("tank.csv", "t,pump_V,level_cm", [0.25 * np.arange(len(u)), u, y])
    return ["statespace", "tank.csv", "--u", "pump_V", "--y", "level_cm"]


@pytest.mark.slow
def test_errors_match_scores_of_the_written_model(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    u = np.repeat(np.random.default_rng(0).uniform(0.5, 2.0, 80), 10)
    y = np.ones(801)
    for t in range(800):  # a tank
        y[t + 1] = y[t] + 0.2 * (u[t] - np.sqrt(max(y[t], 0.0)))
    y = y[:-1]
    write_table("tank.csv", "t,pump_V,level_cm", [0.25 * np.arange(len(u)), u, y])
    tank = ["statespace", "tank.csv", "--u", "pump_V", "--y", "level_cm"]
    line = [*tank, "--states", "1", "-r", "1", "--basis", "poly:3", "--starts", "1", "--time", "t"]
    assert main([*line, "-o", "m.json", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    linear, curved = result["models"]
    assert curved["test_error"] < linear["test_error"]
    assert (linear["n_branches"], curved["n_branches"]) == (0, 1)
    model = unbraid.load("m.json")
    assert (model.input_names, model.output_names) == (("pump_V",), ("level_cm",))
    assert model.sampling_time == pytest.approx(0.25)
    assert model.score(u[600:], y[600:], initial=50).percent == pytest.approx(curved["test_error"])
    assert result["model"]["curves"][0]["shape"] in result["model"]["words"]


def test_linear_model_is_printed_shown_and_exported(tank, capsys):
    assert main([*tank, *LINEAR, "--sampling-time", "0.5"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("tank.csv: 120 samples to fit, 40 samples to test on;")
    assert "Linear model of order 1 (1 input, 1 output).\nPole " in printed
    assert " s.\n" in printed
    assert printed.count("\n") < 12
    assert printed.endswith("model:  tank.unbraid.json\n")
    assert main(["show", "tank.unbraid.json"]) == 0
    assert "Linear model of order 1" in capsys.readouterr().out
    assert main(["export", "tank.unbraid.json", "--to", "python"]) == 0
    assert "# u[0]  pump_V\n# y[0]  level_cm\n" in capsys.readouterr().out
    assert main(["export", "tank.unbraid.json", "--to", "c", "--static"]) == 2
    assert "a linear model" in capsys.readouterr().err


def test_several_channels_and_another_record(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    u = np.random.default_rng(0).normal(size=(300, 2))
    y = np.zeros((300, 2))
    for t in range(1, 300):
        y[t] = 0.5 * y[t - 1] + u[t - 1] @ [[1.0, 0.2], [0.0, 1.0]]
    np.savez("two.npz", u=u[:200].T, y=y[:200])
    np.savez("other.npz", u=u[200:].T, y=y[200:])
    line = ["statespace", "two.npz", "--test", "other.npz", "--states", "2", "-r", "0"]
    assert main([*line, "-o", "m.npz", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["models"][0]["test_error"] < 1e-3
    assert np.shape(result["model"]["gain"]) == (2, 2)
    assert result["model"]["input_names"] == ["u1", "u2"]
    assert unbraid.load("m.npz").n_outputs == 2


def test_model_with_curves_is_shown_and_exported(cubic_model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cubic_model.save("m.json")
    assert main(["show", "m.json", "--names", "force", "--output-names", "place"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Linear model of order 2 (1 input, 1 output) plus one cubic curve of")
    assert printed.count("└") == 1
    assert main(["show", "m.json", "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()
    assert main(["show", "m.json", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["model"]
    np.testing.assert_allclose(document["A"], cubic_model.A)
    assert main(["export", "m.json", "--to", "latex"]) == 0
    assert "without its linear part, are written, with inputs x1, x2, u" in capsys.readouterr().err
    assert main(["show", "m.json", "--names", "a,b"]) == 2
    assert "names" in capsys.readouterr().err


@pytest.mark.slow
def test_writes_figures(tank, tmp_path):
    pytest.importorskip("matplotlib")
    assert main([*tank, *LINEAR, "--plots", "figures"]) == 0
    names = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert names == ["linear.png", "simulation.png"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--u", "pump"], "no column 'pump'; it has t, pump_V, level_cm"),
        (["--u", "level_cm"], "level_cm is named twice"),
        (["--states", "0"], "--states 0"),
        (["--states", "many"], "'many' is no number"),
        (["--states", "90"], "use longer records or fewer states"),
        (["--time", "s"], "no column 's'"),
        (["--time", "t", "--sampling-time", "1"], "say the same"),
        (["--sampling-time", "0"], "0"),
        (["--test", "tank.csv", "--test-share", "0.5"], "two records to test on"),
        (["-r", "0", "--starts", "3"], "--starts is for curves"),
        (["-j", "0"], "-j 0"),
        (["-o", "model.txt"], "must end in .json or .npz"),
        (["--test", "missing.csv"], "missing.csv"),
        (["--initial", "500"], "initial = 500"),
    ],
)
def test_bad_options_are_refused(tank, capsys, options, message):
    assert main([*tank, "-r", "0", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (lambda t: t + 0.3 * np.sin(t), "t is not uniformly sampled"),
        (lambda t: -t, "t goes back"),
        (lambda t: 0 * t, "t is constant"),
    ],
)
def test_bad_times_are_refused(tank, record, capsys, times, message):
    u, y = record
    write_table("tank.csv", "t,pump_V,level_cm", [times(np.arange(160.0)), u, y])
    assert main([*tank, *LINEAR, "--time", "t"]) == 2
    assert message in capsys.readouterr().err


def test_records_with_other_sampling_times_or_columns_are_refused(tank, record, capsys):
    u, y = record
    write_table("slow.csv", "t,pump_V,level_cm", [np.arange(160.0), u, y])
    line = [*tank, *LINEAR, "--time", "t", "--test", "slow.csv"]
    assert main(line) == 2
    assert "slow.csv has a sampling time of 1 s, tank.csv of 0.25 s" in capsys.readouterr().err


def test_gaps_are_stated_and_split_the_record(tank, record, capsys):
    u, y = record
    times = np.arange(160.0)
    times[80:] += 7
    write_table("tank.csv", "t,pump_V,level_cm", [times, u, y])
    assert main([*tank, *LINEAR, "--time", "t", "--json"]) == 0
    printed = capsys.readouterr()
    result = json.loads(printed.out)
    assert "7 missing samples after 79 s" in result["notices"][0]
    assert result["notices"][0] in printed.err
    assert unbraid.load("tank.unbraid.json").sampling_time == pytest.approx(1.0)


def test_saturated_outputs_are_stated(tank, record, capsys):
    u, y = record
    write_table("tank.csv", "t,pump_V,level_cm", [np.arange(160.0), u, np.minimum(y, 0.1)])
    assert main([*tank, *LINEAR]) == 0
    assert "level_cm is saturated at 0.1" in capsys.readouterr().err


@pytest.mark.parametrize("which", ["pump_V", "level_cm"])
def test_constant_signals_are_refused_by_name(tank, record, capsys, which):
    u, y = record
    columns = {"t": np.arange(160.0), "pump_V": u, "level_cm": y, which: np.ones(160)}
    write_table("tank.csv", ",".join(columns), list(columns.values()))
    assert main([*tank, *LINEAR]) == 2
    assert f"{which} is constant" in capsys.readouterr().err


def test_an_integrating_output_is_simulated(tank, capsys):
    u = np.random.default_rng(0).normal(size=400)
    y = np.r_[0.0, np.cumsum(u)[:-1]]
    write_table("tank.csv", "t,pump_V,level_cm", [np.arange(400.0), u, y])
    assert main([*tank, "--states", "1", "-r", "0", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["models"][0]["test_error"] < 1
    assert result["model"]["modes"][0]["pole"][0] == pytest.approx(1.0, abs=1e-4)
