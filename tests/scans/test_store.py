"""Stores of scans: resumed, rejected, moved aside."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest

import unbraid
from scan_helpers import FEW_STARTS, TOY, TWO_METHODS, untimed_results
from unbraid import InvalidFileError, StoreWarning
from unbraid._util.documents import pack_document, unpack_document
from unbraid.cases import toy_samples
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.scans._database import connect, read_meta
from unbraid.scans._store import _move_aside

pytest.importorskip("joblib")
pytest.importorskip("threadpoolctl")

U = np.random.default_rng(2).standard_normal(90)
Y = NARX(lambda p: 0.3 * p[:, 0] + 0.5 * np.tanh(p[:, 1]), (0,), (1,)).simulate(U, [0.0])


@pytest.mark.slow
def test_store_is_resumed_with_larger_grid(tmp_path, toy_scan):
    path, told = tmp_path / "scan.db", []
    tell = lambda done, total, row: told.append(row.index)  # noqa: E731
    unbraid.scan(TOY, n_branches=[1, 3], degree=3, n_starts=2, store=path, progress=tell)
    assert told == [0, 1]
    whole = unbraid.scan(TOY, store=path, progress=tell, **TWO_METHODS)
    assert told == [0, 1, 2, 3, 4, 5]  # only what was missing, under new numbers
    assert [row.index for row in whole] == [0, 2, 1, 3, 4, 5]
    assert untimed_results(whole) == untimed_results(toy_scan)
    again = unbraid.scan(TOY, store=path, progress=tell, **TWO_METHODS)
    assert len(told) == 6
    assert again.table() == whole.table()  # times, too
    assert sorted(os.listdir(tmp_path)) == ["scan.db"]
    loaded = unbraid.load_scan(path)
    for row in whole:  # a number means the same cell, whatever was asked for first
        assert loaded[row.index].settings == row.settings == whole[row.index].settings
    # the whole message, as an example of good wording
    with pytest.raises(IndexError, match=r"^there is no row 99; the rows are 0 to 5$"):
        whole[99]
    assert {repr(row) for row in loaded.table()} == {repr(row) for row in whole.table()}
    np.testing.assert_array_equal(loaded.best().W, whole.best().W)


def test_stored_rows_keep_order_of_grid(tmp_path):
    path = tmp_path / "scan.db"
    with pytest.raises(RuntimeError, match="enough"):
        unbraid.scan(TOY, **FEW_STARTS, store=path, progress=_stop_after(2))
    assert [row.n_branches for row in unbraid.load_scan(path).rows] == [1, 2]
    whole = unbraid.scan(TOY, **FEW_STARTS, store=path, progress=False)
    assert unbraid.load_scan(path).table() == whole.table()


def _stop_after(count):
    def tell(done, total, row):
        if done == count:
            raise RuntimeError("enough")

    return tell


def test_rejects_store_of_another_problem(tmp_path):
    path = tmp_path / "scan.db"
    unbraid.scan(TOY, n_branches=1, degree=3, store=path, progress=False)
    before = path.read_bytes()
    other = toy_samples(60, random_state=1)
    for samples, words in ((other, "other numbers"), (TOY.subset(range(50)), "50 points")):
        with pytest.raises(InvalidFileError, match=words):
            unbraid.scan(samples, n_branches=1, degree=3, store=path)
    with pytest.raises(InvalidFileError, match="another problem"):
        unbraid.scan(TOY, n_branches=1, degree=3, held_out=0.3, store=path)
    assert path.read_bytes() == before


def test_rejects_store_of_another_version(tmp_path):
    path = tmp_path / "scan.db"
    unbraid.scan(TOY, n_branches=1, degree=3, store=path, progress=False)
    for name, words in (("version", "unbraid 0.0.1"), ("layout", "another version")):
        with sqlite3.connect(path) as database:
            old = database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
            database.execute("UPDATE meta SET value = '0.0.1' WHERE name = ?", (name,))
        database.close()
        with pytest.raises(InvalidFileError, match=words):
            unbraid.scan(TOY, n_branches=1, degree=3, store=path)
        with sqlite3.connect(path) as database:
            database.execute("UPDATE meta SET value = ? WHERE name = ?", (*old, name))
        database.close()
    assert len(unbraid.scan(TOY, n_branches=1, degree=3, store=path, progress=False)) == 1


@pytest.mark.slow
def test_damaged_store_is_moved_aside(tmp_path, toy_scan):
    path = tmp_path / "scan.db"
    unbraid.scan(TOY, **FEW_STARTS, store=path, progress=False)
    whole = path.read_bytes()
    damages = {
        "cut": whole[: len(whole) // 3],
        "garbled": whole[:4096] + bytes(len(whole) - 4096),
        "no database": b"\x00" * 5000,
    }
    for number, (name, content) in enumerate(damages.items(), start=1):
        path.write_bytes(content)
        with pytest.raises(InvalidFileError, match=r"\bdamaged"):
            unbraid.load_scan(path)
        with pytest.warns(StoreWarning, match=f"damaged-{number}"):
            again = unbraid.scan(TOY, **FEW_STARTS, store=path, progress=False)
        assert untimed_results(again)[1] == untimed_results(toy_scan)[1][:3], name
        assert (tmp_path / f"scan.db.damaged-{number}").read_bytes() == content


def test_damaged_cell_is_run_again(tmp_path):
    path, told = tmp_path / "scan.db", []
    first = unbraid.scan(TOY, **FEW_STARTS, store=path, progress=False)
    with sqlite3.connect(path) as database:
        content = bytearray(database.execute("SELECT content FROM cells").fetchall()[1][0])
        content[len(content) // 2] ^= 1
        database.execute("UPDATE cells SET content = ? WHERE number = 2", (bytes(content),))
    database.close()
    with pytest.raises(InvalidFileError, match="damaged"):
        unbraid.load_scan(path)
    with pytest.warns(StoreWarning, match="damaged cells"):
        again = unbraid.scan(TOY, **FEW_STARTS, store=path, progress=lambda *now: told.append(now))
    assert len(told) == 1
    assert untimed_results(again) == untimed_results(first)


def test_rejects_files_that_are_not_stores(tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader,")
    foreign = tmp_path / "other.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE birds (name TEXT)")
    database.close()
    for path in (letter, foreign):
        before = path.read_bytes()
        with pytest.raises(InvalidFileError, match=path.name):
            unbraid.scan(TOY, n_branches=1, degree=3, store=path)
        with pytest.raises(InvalidFileError, match=path.name):
            unbraid.load_scan(path)
        assert path.read_bytes() == before
    with pytest.raises(InvalidFileError, match="folder"):
        unbraid.scan(TOY, n_branches=1, degree=3, store=tmp_path)
    with pytest.raises(InvalidFileError, match="cannot write"):
        unbraid.scan(TOY, n_branches=1, degree=3, store=tmp_path / "nowhere" / "scan.db")
    with pytest.raises(InvalidFileError, match="cannot read"):
        unbraid.load_scan(tmp_path / "missing.db")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "scan.db"
    model = fit_polynomial_narx(U, Y, (0,), (1,), degree=1)
    unbraid.scan(model, store=path, n_branches=1, refine=False, progress=False)
    return path


def with_records(path, change):
    """The store with its records changed, and the digest that belongs to them."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        ((content,),) = database.execute("SELECT content FROM problem").fetchall()
        document = unpack_document(content)
        change(document["records"])
        content = pack_document(document)
        row = content, hashlib.sha256(content).hexdigest()
        database.execute("UPDATE problem SET content = ?, digest = ?", row)
    return path


def test_rejects_incomplete_records(original, tmp_path):
    path = with_records(shutil.copy(original, tmp_path / "s.db"), lambda r: r.pop("several"))
    with pytest.raises(InvalidFileError, match="'several'"):
        unbraid.load_scan(path)


def test_reports_store_that_cannot_be_opened(tmp_path):
    with pytest.raises(InvalidFileError, match="cannot open"):
        connect(tmp_path / "missing" / "s.db")


def test_reports_unreadable_disk(tmp_path):
    class Disk:
        def execute(self, _):
            raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(InvalidFileError, match="I/O error"):
        read_meta(tmp_path / "s.db", Disk())


def test_reports_damaged_store_that_cannot_be_moved(tmp_path):
    with pytest.raises(InvalidFileError, match="moved"):
        _move_aside(tmp_path / "s.db", "it is cut off")


def test_ignores_a_lock_that_is_a_folder(tmp_path):
    (tmp_path / "s.db.lock").write_bytes(b"garbage" * 50)
    with pytest.raises(InvalidFileError, match=r"s\.db\.lock"):
        unbraid.scan(toy_samples(60, random_state=0), n_branches=1, store=tmp_path / "s.db")


SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


def test_rejects_a_store_with_other_names(tmp_path):
    pytest.importorskip("joblib", reason="scans are an extra")
    call = {"n_branches": 1, "degree": 3, "store": tmp_path / "scan.db", "progress": False}
    unbraid.scan(bent, SQUARE, names=["a", "b"], coupled_parameters=10, **call)
    unbraid.scan(bent, SQUARE, names=["a", "b"], coupled_parameters=10, **call)
    for other in ({"names": ["c", "d"], "coupled_parameters": 10}, {"names": ["a", "b"]}):
        with pytest.raises(unbraid.InvalidFileError, match="another problem"):
            unbraid.scan(bent, SQUARE, **other, **call)
