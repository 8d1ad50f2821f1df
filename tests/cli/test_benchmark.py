"""``unbraid benchmark``."""

import json

import numpy as np
import pytest

from cli_helpers import make_raiser
from public_benchmarks.made_up import make_arrays
from unbraid.cli import main
from unbraid.public_benchmarks import CONFIGURATIONS, Configuration
from unbraid.public_benchmarks._fits import LinearFit


@pytest.fixture(autouse=True)
def record(tmp_path, monkeypatch):
    """A small record, and a configuration that takes milliseconds."""
    import sys

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNBRAID_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "nonlinear_benchmarks", None)
    np.savez("emps.npz", **make_arrays("emps"))
    tiny = Configuration("tiny", LinearFit(1), quick=True, random=False)
    monkeypatch.setitem(CONFIGURATIONS, "emps", (tiny, Configuration("large", LinearFit(2))))


def test_prints_our_rows_beside_the_published_ones(capsys):
    assert main(["benchmark", "emps", "--data", ".", "--quick"]) == 0
    output = capsys.readouterr()
    lines = output.out.splitlines()
    assert "in mm" in lines[0]
    assert [line.split("  ")[0] for line in lines[1:4]] == ["model", "unbraid, tiny", "dynoNet"]
    assert "2.64 *" in lines[3]
    assert output.err.startswith("unbraid: emps, tiny: test ")


def test_json_is_one_document(capsys):
    assert main(["benchmark", "emps", "--data", "emps.npz", "--json", "--seeds", "2"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["benchmarks"]
    assert (found["name"], found["unit"]) == ("emps", "mm")
    assert [row["configuration"] for row in found["rows"]] == ["tiny", "large"]
    assert [row["n_seeds"] for row in found["rows"]] == [1, 2]
    assert found["rows"][0]["tests"]["test"]["median"] > 0
    assert {"model": "dynoNet", "errors": {"test": 2.64}}.items() <= found["published"][0].items()


def test_writes_the_page_of_all_that_is_at_hand(capsys, tmp_path):
    arguments = ["benchmark", "--data", ".", "--configuration", "tiny", "--write", "page.md"]
    assert main(arguments) == 0
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| unbraid, tiny |" in page
    assert capsys.readouterr().out.endswith("page:   page.md\n")


def test_a_run_that_is_stopped_leaves_the_page_of_what_is_finished(monkeypatch, tmp_path):
    endless = Configuration("endless", make_raiser(KeyboardInterrupt()))
    monkeypatch.setitem(CONFIGURATIONS, "ced", (endless,))
    np.savez("ced.npz", **make_arrays("ced"))
    assert main(["benchmark", "emps", "ced", "--data", ".", "--write", "page.md"]) == 130
    assert "| unbraid, large |" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_all_says_which_records_are_missing(capsys):
    assert main(["benchmark", "all", "--data", ".", "--quick"]) == 0
    errors = capsys.readouterr().err
    assert "silverbox.npz" in errors
    assert "emps, tiny" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["goldbox"], "goldbox"),
        (["ced"], "ced.npz"),
        (["ced", "--data", "nowhere"], "nowhere"),
        (["emps", "--data", ".", "--configuration", "huge"], "huge"),
        (["emps", "--data", ".", "--seeds", "0"], "seeds"),
        (["emps", "--data", ".", "--write", "page.txt"], ".md"),
    ],
)
def test_wrong_options_give_exit_code_2(arguments, message, capsys):
    assert main(["benchmark", *arguments]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.out == ""
