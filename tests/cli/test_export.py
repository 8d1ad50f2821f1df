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
