"""``unbraid predict``."""

import csv
import io
import json

import numpy as np
import pytest

import unbraid
from cli_helpers import write_table
from hardening.plain import P, known_function
from unbraid.cli import main


@pytest.fixture
def function(tmp_path, monkeypatch):
    """A function with names in a file of the current folder."""
    monkeypatch.chdir(tmp_path)
    d = known_function()
    inputs = ["speed", "load", "angle", "force"][: d.n_inputs]
    named = d.named(inputs, [f"out{k}" for k in range(d.n_outputs)])
    named.save("model.json")
    return named


def read(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def test_columns_are_found_by_name_and_values_written_by_name(function, capsys):
    names = [*function.input_names][::-1]
    write_table("points.csv", ",".join(["note", *names]), [P[:, 0], *P[:, ::-1].T])
    assert main(["predict", "model.json", "points.csv", "-o", "out.csv"]) == 0
    assert "out.csv" in capsys.readouterr().out
    with open("out.csv", encoding="utf-8") as file:
        table = read(file.read())
    predicted = [f"{name}_predicted" for name in function.output_names]
    assert list(table) == [*function.input_names, *predicted, "inside"]
    np.testing.assert_array_equal(np.stack([table[k] for k in predicted], axis=1), function(P))


def test_points_outside_the_data_are_flagged_and_stated(function, capsys):
    points = P[:5].copy()
    points[2] *= 100
    write_table("points.csv", ",".join(function.input_names), [points])
    assert main(["predict", "model.json", "points.csv"]) == 0
    printed = capsys.readouterr()
    assert read(printed.out)["inside"].tolist() == function(points, True)[1].astype(int).tolist()
    assert read(printed.out)["inside"][2] == 0
    assert "of 5 outside" in printed.err


def test_errors_are_measured_where_outputs_are(function, capsys):
    header = ",".join([*function.input_names, *function.output_names])
    measured = function(P) + 0.5
    write_table("points.csv", header, [P, measured])
    assert main(["predict", "model.json", "points.csv", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [error["output"] for error in result["errors"]] == list(function.output_names)
    assert result["errors"][0]["rmse"] == pytest.approx(0.5)
    expected = unbraid.metrics.relative_error(measured, function(P))
    assert result["errors"][0]["percent"] == pytest.approx(expected[0])
    assert result["table"][function.output_names[0]] == measured[:, 0].tolist()


def test_columns_may_be_named_in_the_order_of_the_model(function, capsys):
    header = [f"c{k}" for k in range(function.n_inputs)]
    write_table("points.csv", ",".join(header), [P[:4]])
    line = ["predict", "model.json", "points.csv", "--features", ",".join(header)]
    assert main(line) == 0
    name = f"{function.output_names[0]}_predicted"
    np.testing.assert_array_equal(read(capsys.readouterr().out)[name], function(P[:4])[:, 0])
    assert main([*line[:-1], "c0"]) == 2
    assert "1 column" in capsys.readouterr().err


def test_a_model_without_names_takes_points_without_names(small_files, capsys):
    np.savetxt("points.csv", P[:4], delimiter=",")
    assert main(["predict", "model.json", "points.csv"]) == 0
    values = known_function()(P[:4])
    table = read(capsys.readouterr().out)
    np.testing.assert_array_equal(list(table.values())[P.shape[1]], values[:, 0])


@pytest.mark.parametrize(
    ("header", "options", "message"),
    [
        ("sped", [], "no column 'speed'; it has sped, load; did you mean 'sped'? Rename"),
        ("speed", ["--target", "nothing"], "no column 'nothing'"),
        ("speed", ["--target", "speed,speed"], "--target names 2"),
        ("speed", ["-o", "out.txt"], "must end in .csv"),
    ],
)
def test_bad_columns_are_refused(function, capsys, header, options, message):
    names = [*function.input_names]
    names[0] = header
    write_table("points.csv", ",".join(names), [P[:4]])
    assert main(["predict", "model.json", "points.csv", *options]) == 2
    assert message in capsys.readouterr().err


def test_a_dynamic_model_is_to_be_simulated(cubic_model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cubic_model.save("m.json")
    write_table("points.csv", "u", [np.ones(4)])
    assert main(["predict", "m.json", "points.csv"]) == 2
    assert "unbraid simulate m.json points.csv" in capsys.readouterr().err
