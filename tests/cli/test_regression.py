"""``unbraid decouple`` for data without Jacobians."""

import json
import shlex

import pytest

from unbraid.cli import main


@pytest.mark.slow
def test_data_without_jacobians_are_fitted_by_regression(workspace, capsys):
    line = "decouple data.csv --target force -r 1 --basis spline:8 --json"
    assert main(shlex.split(line)) == 0
    out, err = capsys.readouterr()
    assert err == "unbraid: data.csv has no Jacobians: fitted as data, by DecoupledRegressor\n"
    result = json.loads(out)
    assert result["fitted_error"][0] < 2
    assert result["cross_validated_error"] < 5
    assert result["words"].startswith("force is a saturating function of")
    assert set(result["directions"][0]["weights"]) == {"speed", "load"}


@pytest.mark.slow
def test_leaves_out_columns_of_text(workspace, capsys):
    rows = (workspace / "data.csv").read_text().splitlines()
    lines = [
        f"{k - 1};2 May;{row.replace(',', ';').replace('.', ',')}" for k, row in enumerate(rows)
    ]
    lines[0] = ";day;speed;load;force"
    (workspace / "other.csv").write_text("# a rig\n" + "\n".join(lines))
    documents = []
    for name in ("data.csv", "other.csv"):
        assert main(shlex.split(f"decouple {name} --target force -r 1 --basis poly:3 --json")) == 0
        result = capsys.readouterr()
        documents.append(json.loads(result.out))
    assert "left out day" in result.err
    assert documents[0]["V"] == documents[1]["V"]
    assert documents[1]["input_names"] == ["speed", "load"]


def test_warns_about_few_rows(workspace, capsys):
    rows = (workspace / "data.csv").read_text().splitlines()
    (workspace / "short.csv").write_text("\n".join(rows[:7]))
    assert main(shlex.split("decouple short.csv --target force --json")) == 0
    result = capsys.readouterr()
    assert "6 rows" in result.err
    assert any("so few" in text for text in json.loads(result.out)["warnings"])


def test_rejects_table_of_one_row(capsys, small_files):
    with open("d.csv", "w") as file:
        file.write("a,b,y\n1,2,3\n")
    assert main(["decouple", "d.csv", "--target", "y"]) == 2
    assert "1 rows" in capsys.readouterr().err
