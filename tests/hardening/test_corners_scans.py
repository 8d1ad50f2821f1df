"""Corners of scans: stores that cannot be opened, cells that fail, settings that need a name."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unbraid
from unbraid import InvalidFile, MissingExtra, Polynomial
from unbraid._util.documents import packed, unpacked
from unbraid.cases import toy_samples
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.scans._grid import Cell
from unbraid.scans._labels import plain
from unbraid.scans._outcomes import flaw_of_outcome, flaw_of_problem
from unbraid.scans._progress import bar
from unbraid.scans._run import run_cell
from unbraid.scans._store import _connect, _meta, _move_aside

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")

U = np.random.default_rng(2).standard_normal(90)
Y = NARX(lambda p: 0.3 * p[:, 0] + 0.5 * np.tanh(p[:, 1]), (0,), (1,)).simulate(U, [0.0])
QUICK = {"progress": False, "refine": False, "n_branches": [1]}


# Cells -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failing:
    """A problem none of whose cells can be made."""

    error: Exception
    coupled_parameters: Any = None

    def make(self, keywords):
        raise self.error


def test_what_nobody_expected_is_kept_with_its_place():
    outcome = unpacked(run_cell(Failing(ZeroDivisionError("one over none")), Cell({}, {"r": 1})))
    assert outcome["unexpected"]
    assert outcome["failure"].startswith("ZeroDivisionError: one over none (make, line ")
    assert outcome["model"] is None


def test_what_was_refused_is_no_surprise():
    outcome = unpacked(
        run_cell(Failing(unbraid.InvalidOption("no such basis")), Cell({}, {"r": 1}))
    )
    assert (outcome["failure"], outcome["unexpected"]) == ("no such basis", False)


def test_a_model_of_several_records_is_scanned_on_them():
    model = fit_polynomial_narx([U[:50], U[50:]], [Y[:50], Y[50:]], (0,), (1,), degree=1)
    found = unbraid.scan(model, **QUICK)
    assert "90 samples" in found.problem
    assert np.isfinite(found.rows[0].fitted_error)


def test_a_model_that_cannot_be_refined_is_kept_as_it_is():
    model = NARX(lambda p: p @ [[1.0], [0.5]], (0,), (1,), limit=1e-9)
    cell = {"n_branches": 1, "basis": Polynomial(1), "refine": True, "progress": False}
    row = unbraid.scan(model, data=(U, 1e-12 * U), **cell).rows[0]
    assert not row.failure
    assert row.model.function.n_branches == 1
    assert any(said.startswith("not refined: the simulation runs off") for said in row.warnings)


# Settings in words -----------------------------------------------------------------------------


def test_arrays_and_mappings_have_a_name_that_lasts():
    assert plain("weights", np.array([1.0, 2.0])) == [1.0, 2.0]
    assert plain("refine", {"held_out": np.float64(0.5)}) == {"held_out": 0.5}
    assert plain("function", np.linalg.norm).endswith("linalg.norm")
    many = np.arange(1000.0)
    named = plain("points", many)
    assert named.startswith("array(1000,) float64 ")
    assert named == plain("points", many.copy())
    assert named != plain("points", many + 1)


# Stores ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "scan.db"
    model = fit_polynomial_narx(U, Y, (0,), (1,), degree=1)
    unbraid.scan(model, store=path, **QUICK)
    return path


def with_records(path, change):
    """The store with its records changed, and the digest that belongs to them."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        ((content,),) = database.execute("SELECT content FROM problem").fetchall()
        document = unpacked(content)
        change(document["records"])
        content = packed(document)
        row = content, hashlib.sha256(content).hexdigest()
        database.execute("UPDATE problem SET content = ?, digest = ?", row)
    return path


def test_a_store_without_a_word_on_its_records(original, tmp_path):
    path = with_records(shutil.copy(original, tmp_path / "s.db"), lambda r: r.pop("several"))
    with pytest.raises(InvalidFile, match="'several'"):
        unbraid.load_scan(path)


def test_documents_that_are_none():
    assert flaw_of_outcome([1, 2]) == "it is not a document"
    problem = {"kind": "narx", "words": "", "coupled_parameters": None}
    problem |= {"reference_errors": [None, None]}
    uneven = {"items": [{"u": np.ones((3, 1)), "y": np.ones((4, 1))}]}
    assert flaw_of_problem(problem) == ""
    assert flaw_of_problem({**problem, "records": uneven}) == "its records make no sense"


def test_a_store_that_cannot_be_opened(tmp_path):
    with pytest.raises(InvalidFile, match="cannot open"):
        _connect(tmp_path / "missing" / "s.db")


def test_a_disk_that_cannot_be_read(tmp_path):
    class Disk:
        def execute(self, _):
            raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(InvalidFile, match="I/O error"):
        _meta(tmp_path / "s.db", Disk())


def test_a_damaged_store_that_cannot_be_moved(tmp_path):
    with pytest.raises(InvalidFile, match="moved"):
        _move_aside(tmp_path / "s.db", "it is cut off")


# What is not installed -------------------------------------------------------------------------


def test_a_bar_without_rich(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    with bar("Scanning", 3, wanted=False) as move:
        move(1, "goes on without a bar")
    with pytest.raises(MissingExtra, match=r"unbraid\[cli\]"), bar("Scanning", 3):
        pass


def test_a_table_without_pandas(monkeypatch):
    found = unbraid.scan(toy_samples(60, random_state=0), n_branches=1, degree=2, progress=False)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="needs pandas"):
        found.to_pandas()
