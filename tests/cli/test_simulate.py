"""``unbraid simulate``."""

import csv
import io
import json

import numpy as np
import pytest

from cli_helpers import write_table
from unbraid.cli import main
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.sources import PolynomialFunction
from unbraid.statespace import StateSpace

N = 80
T = 0.5 * np.arange(N)
U = np.random.default_rng(0).normal(size=N)
NAMES = {"input_names": ["pump"], "output_names": ["level"], "sampling_time": 0.5}


def simulate_tank(u, level=0.0):
    """The exact levels of the models below."""
    levels = [level]
    for inflow in u[:-1]:
        levels.append(0.8 * levels[-1] + inflow)
    return np.array(levels)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two models of a tank and a record, as the current one."""
    monkeypatch.chdir(tmp_path)
    y = simulate_tank(U)
    fit_polynomial_narx(U, y, (1,), (1,), 1, **NAMES).save("narx.json")
    linear = [[0.8, 0.5], [2.0, 0.0]]  # a state of about unit variance
    StateSpace(None, 1, linear=linear, output_spread=[2.0], **NAMES).save("states.json")
    write_table(tmp_path / "d.csv", "level,t,pump", [y, T, U])
    return tmp_path


def read(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("model", ["narx.json", "states.json"])
def test_writes_time_inputs_and_both_outputs_by_name(folder, capsys, model):
    assert main(["simulate", model, "d.csv", "--time", "t", "-o", "out.csv"]) == 0
    assert "level" in capsys.readouterr().out
    table = read((folder / "out.csv").read_text())
    assert list(table) == ["t", "pump", "level", "level_simulated"]
    np.testing.assert_array_equal(np.array(table["pump"], float), U)
    np.testing.assert_allclose(
        np.array(table["level_simulated"], float), simulate_tank(U), atol=1e-6
    )


def test_prints_the_table_alone_and_the_errors_as_messages(folder, capsys):
    assert main(["simulate", "narx.json", "d.csv"]) == 0
    printed = capsys.readouterr()
    table = read(printed.out)
    assert next(iter(table)) == "time"  # from the sampling time of the model
    assert table["time"][:3] == ["0.0", "0.5", "1.0"]
    assert "level: rmse" in printed.err


def test_what_is_printed_can_be_read_again(folder, capsys):
    assert main(["simulate", "states.json", "d.csv"]) == 0
    (folder / "again.csv").write_text(capsys.readouterr().out)
    assert main(["simulate", "states.json", "again.csv", "--time", "time", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["errors"][0]["rmse"] < 1e-6
    assert result["errors"][0]["fit"] == pytest.approx(100, abs=1e-3)
    assert len(result["table"]["level_simulated"]) == N


def test_a_state_space_model_starts_at_rest_or_from_x0_without_outputs(folder, capsys):
    write_table("in.csv", "pump", [np.ones(20)])
    assert main(["simulate", "states.json", "in.csv", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["table"]
    np.testing.assert_allclose(table["level_simulated"], 5.0)
    assert main(["simulate", "states.json", "in.csv", "--x0", "1", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["table"]
    np.testing.assert_allclose(table["level_simulated"], simulate_tank(np.ones(20), 2.0))


def test_a_narx_model_needs_past_outputs(folder, capsys):
    write_table("in.csv", "pump", [np.ones(20)])
    assert main(["simulate", "narx.json", "in.csv"]) == 2
    assert "--initial-outputs" in capsys.readouterr().err
    assert main(["simulate", "narx.json", "in.csv", "--initial-outputs", "2", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["table"]
    np.testing.assert_allclose(table["level_simulated"], simulate_tank(np.ones(20), 2.0), rtol=1e-6)


@pytest.mark.parametrize("model", ["narx.json", "states.json"])
def test_several_records_are_simulated_one_by_one(folder, capsys, model):
    kept = np.delete(np.arange(N), slice(40, 50))
    y = simulate_tank(U)
    write_table("d.csv", "level,t,pump", [y[kept], T[kept], U[kept]])
    assert main(["simulate", model, "d.csv", "--time", "t"]) == 0
    printed = capsys.readouterr()
    assert "10 missing samples after 19.5 s" in printed.err
    table = read(printed.out)
    assert table["record"] == ["1"] * 40 + ["2"] * 30
    np.testing.assert_allclose(np.array(table["level_simulated"], float), y[kept], atol=2e-3)


def test_a_column_names_the_records(folder, capsys):
    y = np.r_[simulate_tank(U[:40]), simulate_tank(U[:40])]
    write_table("d.csv", "run,pump,level", [np.repeat([1, 2], 40), np.tile(U[:40], 2), y])
    assert main(["simulate", "states.json", "d.csv", "--record", "run", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["n_records"] == 2
    assert result["table"]["run"][39:41] == ["1", "2"]
    assert result["errors"][0]["rmse"] < 1e-6


def test_a_divergence_names_the_time_and_writes_nothing(folder, capsys):
    square = PolynomialFunction([[1.0, 1.0]], [[1, 0], [0, 2]])
    NARX(square, (1,), (1,), limit=1e6, **NAMES).save("narx.json")
    (folder / "out.csv").write_text("kept")
    assert main(["simulate", "narx.json", "d.csv", "--time", "t", "-o", "out.csv"]) == 2
    printed = capsys.readouterr()
    assert "diverges at sample" in printed.err
    assert "(time " in printed.err
    assert not printed.out
    assert (folder / "out.csv").read_text() == "kept"


@pytest.mark.parametrize(
    ("header", "options", "message"),
    [
        ("level,t,pumps", [], "no column 'pump'; it has level, t, pumps; did you mean 'pumps'?"),
        ("level,t,pump", ["--y", "height"], "no column 'height'"),
        ("level,t,pump", ["--time", "clock"], "no column 'clock'"),
        ("level,t,pump", ["--initial-outputs", "a"], "'a' is not a number"),
        ("level,t,pump", ["--x0", "0"], "--x0 is for state-space models"),
        ("level,t,pump", ["--initial", "0"], "longest lag"),
        ("level,t,pump", ["-o", "out.txt"], "must end in .csv"),
        ("level,time,pump", ["--u", "time,pump"], "--u names 2 columns"),
    ],
)
def test_bad_options_are_refused(folder, capsys, header, options, message):
    write_table("d.csv", header, [simulate_tank(U), T, U])
    assert main(["simulate", "narx.json", "d.csv", *options]) == 2
    assert message in capsys.readouterr().err


def test_another_sampling_time_than_that_of_the_model_is_refused(folder, capsys):
    write_table("d.csv", "level,t,pump", [simulate_tank(U), 2 * T, U])
    assert main(["simulate", "narx.json", "d.csv", "--time", "t"]) == 2
    assert "narx.json of 0.5 s: resample" in capsys.readouterr().err


def test_a_static_model_is_to_be_predicted(small_files, capsys):
    assert main(["simulate", "model.json", "record.npz"]) == 2
    assert "unbraid predict" in capsys.readouterr().err


def test_initial_outputs_are_for_narx_models(folder, capsys):
    assert main(["simulate", "states.json", "d.csv", "--initial-outputs", "1"]) == 2
    assert "--x0" in capsys.readouterr().err
