"""``unbraid export``."""

import shlex

import pytest

import unbraid
from unbraid.cli import main


def test_exports_match_the_library(workspace, capsys):
    d = unbraid.load("f.unbraid.json")
    for line, expected in {
        "--to c --name g --precision float32": unbraid.export.to_c(d, None, "g", "float32"),
        "--to matlab --name law": unbraid.export.to_matlab(d, None, "law"),
        "--to latex --names u,v --digits 2": unbraid.export.to_latex(d, ["u", "v"], 2),
    }.items():
        assert main(["export", "f.unbraid.json", *shlex.split(line)]) == 0
        assert capsys.readouterr().out.strip() == expected.strip()
    assert main(["export", "samples.scan.db", "--row", "1", "--to", "c", "-o", "row.c"]) == 0
    assert capsys.readouterr() == ("", "unbraid: wrote row.c\n")
    row = unbraid.load_scan("samples.scan.db").rows[1].model
    assert (workspace / "row.c").read_text() == unbraid.export.to_c(row)


def test_sympy_text_is_printed_or_written(workspace, capsys):
    pytest.importorskip("sympy")
    assert main(["export", "f.unbraid.json", "--to", "sympy", "--digits", "3"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("f1 = ")
    assert main(["export", "f.unbraid.json", "--to", "sympy", "--digits", "3", "-o", "f.txt"]) == 0
    assert (workspace / "f.txt").read_text() == printed


@pytest.fixture
def dynamic(cubic_model, tmp_path, monkeypatch):
    """A state-space model, and a file with it in the current folder."""
    monkeypatch.chdir(tmp_path)
    cubic_model.save("m.json")
    return unbraid.load("m.json")


def test_dynamic_models_run_in_the_target(dynamic, tmp_path, capsys):
    for target, ending in {"matlab": ".m", "simulink": ".txt", "python": ".py"}.items():
        path = tmp_path / f"spring{ending}"
        assert main(["export", "m.json", "--to", target, "-o", path.name]) == 0
        export = getattr(unbraid.export, f"to_{target}")
        expected = export(dynamic, name="spring") if target == "matlab" else export(dynamic)
        assert path.read_text() == expected
    assert capsys.readouterr().err.splitlines()[-1] == "unbraid: wrote spring.py"


def test_header_is_written_beside_the_source(dynamic, tmp_path, capsys):
    line = ["export", "m.json", "--to", "c", "--name", "spring", "--precision", "float32"]
    assert main([*line, "-o", "a.c"]) == 0
    assert capsys.readouterr().err == "unbraid: wrote a.c and a.h\n"
    assert (tmp_path / "a.h").read_text() == unbraid.export.to_c_header(
        dynamic, name="spring", dtype="float32"
    )
    assert main(line) == 0
    printed = capsys.readouterr()
    assert "header" in printed.err
    assert printed.out == unbraid.export.to_c(dynamic, None, "spring", "float32")
    assert main([*line, "-o", "a.h"]) == 2
    assert "must end in .c" in capsys.readouterr().err


def test_static_map_of_a_dynamic_model(dynamic, capsys):
    assert main(["export", "m.json", "--to", "c", "--static"]) == 0
    printed = capsys.readouterr()
    assert "only the curves" in printed.err
    assert printed.out == unbraid.export.to_c(dynamic.function)


def test_simulink_needs_a_dynamic_model(workspace, capsys):
    assert main(["export", "f.unbraid.json", "--to", "simulink"]) == 2
    assert "no state" in capsys.readouterr().err
    assert main(["export", "f.unbraid.json", "--to", "python", "-o", "f.txt"]) == 2
    assert "f.txt must end in .py" in capsys.readouterr().err


def test_initial_state_is_written(dynamic, capsys):
    assert main(["export", "m.json", "--to", "python", "--x0", "0.25,-1.5"]) == 0
    expected = unbraid.export.to_python(dynamic, x0=[0.25, -1.5])
    assert capsys.readouterr().out == expected.rstrip("\n") + "\n"
    assert main(["export", "m.json", "--to", "python", "--x0", "0.25"]) == 2
    assert "x0" in capsys.readouterr().err
    assert main(["export", "m.json", "--to", "latex", "--x0", "0,0"]) == 2
    assert "--x0" in capsys.readouterr().err
