"""Damaged and hostile stores of scans: read, refused, or begun anew; never run."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pytest

import unbraid
from effort import seeds
from hardening import bombs
from hardening.mutations import damaged
from unbraid import InvalidFileError, StoreWarning
from unbraid._util.documents import pack_document, unpack_document
from unbraid.cases import toy_samples

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")

TOY = toy_samples(60, random_state=0)
GRID = {"n_branches": [1, 2], "degree": 2, "method": "cpd", "progress": False}
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "scan.db"
    unbraid.scan(TOY, store=path, **GRID)
    return path


@pytest.fixture
def store(original, tmp_path):
    return shutil.copy(original, tmp_path / "scan.db")


def changed(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for statement in statements:
            database.execute(*statement) if isinstance(statement, tuple) else database.execute(
                statement
            )
    return path


def numbers(scan):
    return [(row.index, row.fitted_error, row.held_out_error, row.model.W.tolist()) for row in scan]


def test_damaged_store_is_rejected_or_unchanged(original, tmp_path):
    expected, content = numbers(unbraid.load_scan(original)), original.read_bytes()
    for seed in seeds(60):
        path = tmp_path / f"{seed}.db"
        path.write_bytes(damaged(content, seed))
        try:
            found = numbers(unbraid.load_scan(path))
        except InvalidFileError as error:
            said = str(error)
        else:
            assert found == expected[: len(found)]
            continue
        assert path.name in said
        assert 20 < len(said) < 1500


def test_scan_into_damaged_store_is_correct_or_rejected(original, tmp_path):
    """What is kept is right; what is not is run again, and said."""
    expected, content = numbers(unbraid.load_scan(original)), original.read_bytes()
    for seed in seeds(6):
        path = tmp_path / f"{seed}.db"
        path.write_bytes(damaged(content, seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StoreWarning)
            try:
                found = numbers(unbraid.scan(TOY, store=path, **GRID))
            except InvalidFileError as error:
                found = str(error)
        if isinstance(found, str):
            assert path.name in found
        else:
            assert found == expected


SCHEMAS = {
    "endless view of what it is": [
        "DROP TABLE meta",
        f"CREATE VIEW meta AS {ENDLESS} SELECT 'a' || n AS name, n AS value FROM r",
    ],
    "endless view of cells": [
        "DROP TABLE cells",
        f"CREATE VIEW cells AS {ENDLESS} SELECT n AS number, 'k' AS key, zeroblob(999) AS content, "
        "'x' AS digest FROM r",
    ],
    "vast blob": [
        "DROP TABLE cells",
        "CREATE VIEW cells AS SELECT 1 AS number, 'k' AS key, zeroblob(900000000) AS content, "
        "'x' AS digest",
    ],
    "endless trigger": [
        "CREATE TRIGGER t AFTER INSERT ON cells BEGIN INSERT INTO meta SELECT 'a' || n, n FROM "
        f"({ENDLESS} SELECT n FROM r); END"
    ],
    "another table": ["CREATE TABLE other (x)"],
    "another index": ["CREATE INDEX i ON cells (digest)"],
    "no cells": ["DROP TABLE cells"],
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_rejects_other_schema_before_using_it(store, opener, name):
    changed(store, *SCHEMAS[name])
    ending = opener("scan", store)
    ending.judge(store)
    assert ending.verdict == "refused"
    with pytest.raises(InvalidFileError, match=r"scan\.db"):
        unbraid.scan(TOY, store=store, n_branches=[3], degree=2, progress=False)


@pytest.mark.slow
def test_rejects_and_repeats_invalid_cells(original, tmp_path, opener):
    with closing(sqlite3.connect(original)) as database:
        outcome = unpack_document(database.execute("SELECT content FROM cells").fetchone()[0])
    expected = numbers(unbraid.load_scan(original))
    for name, content in _outcomes(outcome, tmp_path / "code-was-run").items():
        path = shutil.copy(original, tmp_path / f"{name}.db")
        seal = hashlib.sha256(content).hexdigest()
        changed(
            path, ("UPDATE cells SET content = ?, digest = ? WHERE number = 1", (content, seal))
        )
        ending = opener("scan", path)
        ending.judge(path)
        assert ending.verdict == "refused", name
        if name in ("settings", "objects", "deep"):
            with pytest.warns(StoreWarning, match="damaged cells"):
                assert numbers(unbraid.scan(TOY, store=path, **GRID)) == expected
    assert not (tmp_path / "code-was-run").exists()


def _outcomes(outcome, mark):
    changes = {
        "settings": 5,
        "fitted_error": "small",
        "held_out_error": -1.0,
        "fitted_errors": ["a", "b"],
        "warnings": [5],
        "n_parameters": "many",
        "n_branches": 1.5,
        "compression": [],
        "seconds": float("nan"),
        "model": 5,
        "failure": None,
    }
    archives = bombs.archives(mark)
    deep = bombs.npy("(100000,)", "'|u1'", b"[" * 100_000)
    return {name: pack_document({**outcome, name: value}) for name, value in changes.items()} | {
        "a list": pack_document([1, 2]),
        "no archive": b"hello",
        "objects": archives["objects"],
        "bomb": archives["bomb"],
        "deep": bombs.zipped(**{"": deep}),
    }


@pytest.mark.parametrize(
    "change",
    [
        {"kind": 5},
        {"words": None},
        {"reference_errors": 5},
        {"reference_errors": ["a", "b"]},
        {"coupled_parameters": "x"},
        {"records": {"items": [{"u": "x", "y": None}], "several": True, "flat": True}},
    ],
)
def test_rejects_invalid_problem(store, change):
    with closing(sqlite3.connect(store)) as database:
        problem = unpack_document(database.execute("SELECT content FROM problem").fetchone()[0])
    content = pack_document({**problem, **change})
    seal = hashlib.sha256(content).hexdigest()
    changed(store, ("UPDATE problem SET content = ?, digest = ?", (content, seal)))
    with pytest.raises(InvalidFileError, match=r"scan\.db is damaged"):
        unbraid.load_scan(store)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM problem",
        "DELETE FROM meta",
        "UPDATE problem SET digest = CAST(x'ff' AS TEXT)",
        "UPDATE cells SET key = CAST(x'ff' AS TEXT) WHERE number = 1",
        "UPDATE meta SET value = CAST(x'ff' AS TEXT)",
        "UPDATE cells SET content = 'text'",
        "UPDATE cells SET digest = NULL",
        "UPDATE cells SET content = 5, digest = 7",
        "UPDATE cells SET number = -9223372036854775808 WHERE number = 1",
        "UPDATE cells SET number = 9223372036854775807 WHERE number = 1",
    ],
)
def test_rejects_rows_of_wrong_type(store, statement):
    changed(store, statement)
    with pytest.raises(InvalidFileError, match=r"scan\.db"):
        unbraid.load_scan(store)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in folders are POSIX")
def test_rejects_store_that_is_not_a_file(tmp_path):
    places = {name: tmp_path / f"{name}.db" for name in ("pipe", "device", "folder")}
    os.mkfifo(places["pipe"])
    places["device"].symlink_to("/dev/zero")
    places["folder"].mkdir()
    for path in places.values():
        for call in (unbraid.load_scan, lambda path: unbraid.scan(TOY, store=path, **GRID)):
            with pytest.raises(InvalidFileError, match=path.name):
                call(path)
    assert sorted(tmp_path.iterdir()) == sorted(places.values())  # and nothing is left behind


def test_reads_store_through_link(original, tmp_path):
    (tmp_path / "link.db").symlink_to(original)
    found = unbraid.load_scan(tmp_path / "link.db")
    assert np.isfinite([row.fitted_error for row in found]).all()
