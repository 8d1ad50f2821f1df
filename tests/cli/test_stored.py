"""Stores of scans without models."""

import pytest

import unbraid
from cli_helpers import make_raiser
from hardening.plain import F, J, P
from unbraid import InvalidOptionError
from unbraid.cli import main
from unbraid.cli._stored import load_stored
from unbraid.scans import _scan as front


def failed_scan(path):
    """A store in which no cell has a model."""
    samples = unbraid.Samples(P, F, J)
    return unbraid.scan(samples, n_branches=[5000], degree=2, progress=False, store=path)


def test_store_without_a_model(capsys, small_files):
    found = failed_scan("s.db")
    assert found.rows[0].failure
    assert load_stored("s.db").model is None
    assert main(["show", "s.db"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("No row has a model.")
    with pytest.raises(InvalidOptionError, match="row 0"):
        load_stored("s.db", 0)
    assert main(["export", "s.db", "--to", "c"]) == 2
    assert "no row of the scan has a model" in capsys.readouterr().err


def test_rejects_store_without_finished_cells(monkeypatch, capsys, small_files):
    monkeypatch.setattr(front, "run_cells", make_raiser(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        failed_scan("s.db")
    assert main(["show", "s.db"]) == 2
    assert "no finished cell" in capsys.readouterr().err
