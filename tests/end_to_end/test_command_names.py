"""Tests of command names."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    pytest.importorskip("click", reason="the command line is an extra")
    from unbraid.cli import main

    monkeypatch.chdir(tmp_path)

    def run(line):
        code = main(line.split())
        return code, "".join(capsys.readouterr())

    return run


@pytest.mark.parametrize("columns", ["--u y --y y", "--u u,u --y y"])
def test_rejects_signals_named_twice(said, tmp_path, columns):
    rows = "\n".join(f"{np.sin(t)},{np.cos(t)}" for t in range(50))
    (tmp_path / "record.csv").write_text(f"u,y\n{rows}\n", encoding="utf-8")
    code, text = said(f"narx record.csv {columns}")
    assert code == 2
    assert "twice" in text


@pytest.mark.parametrize("names", ["E,x", "x,pi", "beta,x"])
def test_rejects_names_that_sympy_reserves(smooth, said, tmp_path, names):
    pytest.importorskip("sympy", reason="SymPy is an extra")
    smooth.save(tmp_path / "d.json")
    code, text = said(f"export d.json --to sympy --names {names}")
    assert code == 2
    assert "cannot name an input" in text


def test_shows_the_cross_validated_error(said, tmp_path):
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (50, 2))
    y = np.tanh(X[:, 0] + X[:, 1]) + 0.05 * rng.standard_normal(50)
    rows = "\n".join(f"{a},{b},{c}" for (a, b), c in zip(X, y, strict=True))
    (tmp_path / "data.csv").write_text(f"a,b,c\n{rows}\n", encoding="utf-8")
    code, text = said("decouple data.csv --target c -r 1 --basis poly:3 -o d.json")
    assert code == 0
    assert "cross-validated" in text
    assert unbraid.load("d.json").held_out_error[0] > unbraid.load("d.json").fitted_error[0]
    code, text = said("show d.json")
    assert "on new points" in text
