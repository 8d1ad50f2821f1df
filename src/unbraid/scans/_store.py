"""Finished cells on disk, in SQLite, each computed by this version of unbraid.

One process at a time writes; any process may read.
"""

import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._util.documents import check_file, pack_document
from .._util.validation import check_path
from .._version import __version__
from ..errors import InvalidFileError, StoreWarning
from . import _database as db
from ._lock import lock_store
from ._validation import find_outcome_defect


@dataclass(frozen=True)
class Store:
    """The cells of one problem by key, open for writing."""

    path: Path
    database: sqlite3.Connection

    def assign_numbers(self, keys: Iterable[str]) -> dict[str, int]:
        """Add cells that are to be run; return the permanent number of every cell."""
        with _explain_write_errors(self.path), self.database:
            rows = ((key,) for key in keys)
            self.database.executemany("INSERT OR IGNORE INTO cells (key) VALUES (?)", rows)
            return dict(self.database.execute("SELECT key, number - 1 FROM cells").fetchall())

    def read_finished(self) -> dict[str, dict[str, Any]]:
        """Return the outcomes of all finished cells; drop damaged ones with a warning."""
        outcomes, damaged = {}, []
        for _, key, content, digest in db.read_cells(self.database):
            try:
                outcomes[key] = db.read_document(content, digest, find_outcome_defect)
            except db.DamagedStoreError:
                damaged.append((key,))
        if damaged:
            message = f"{self.path}: {len(damaged)} damaged cells are dropped and run again"
            warnings.warn(message, StoreWarning, stacklevel=4)
            with _explain_write_errors(self.path), self.database:
                self.database.executemany(
                    "UPDATE cells SET content = NULL, digest = NULL WHERE key = ?", damaged
                )
        return outcomes

    def save(self, key: str, content: bytes) -> None:
        """Write a packed outcome; it is on disk when this returns."""
        with _explain_write_errors(self.path), self.database:
            self.database.execute(
                "UPDATE cells SET content = ?, digest = ? WHERE key = ?",
                (content, db.compute_digest(content), key),
            )


@contextmanager
def open_store(path: str | Path, fingerprint: str, problem: Mapping[str, Any]) -> Iterator[Store]:
    """Open or create the store of a problem; move a damaged one aside."""
    path = check_path(path)
    with lock_store(path):
        is_new = not path.exists() or path.stat().st_size == 0
        if not is_new:
            try:
                _check_existing(path, fingerprint, str(problem["words"]))
            except db.DamagedStoreError as damage:
                _move_aside(path, str(damage))
                is_new = True
        with closing(db.connect(path)) as database:
            if is_new:
                with _explain_write_errors(path), database:
                    _create_tables(database, fingerprint, problem)
            yield Store(path, database)


def _create_tables(
    database: sqlite3.Connection, fingerprint: str, problem: Mapping[str, Any]
) -> None:
    database.executescript(f"BEGIN; {'; '.join(db.TABLES.values())};")
    meta = {"format": db.STORE_FORMAT, "layout": db.STORE_LAYOUT, "version": __version__}
    meta |= {"fingerprint": fingerprint, "words": str(problem["words"])}
    database.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    content = pack_document(problem)
    database.execute("INSERT INTO problem VALUES (?, ?)", (content, db.compute_digest(content)))


def _check_existing(path: Path, fingerprint: str, words: str) -> None:
    """Raise an error unless a store has this problem and this version of unbraid."""
    with closing(db.connect(path)) as database:
        meta = db.read_meta(path, database)
        if meta["version"] != __version__:
            raise InvalidFileError(
                f"{path} was written by unbraid {meta['version']}, this is {__version__}: cells of "
                f"two versions are not mixed; name another store"
            )
        if meta["fingerprint"] != fingerprint:
            other = meta["words"]
            difference = (
                f"it has {other}, this one {words}"
                if other != words
                else f"both have {words}, but other numbers, names or held-out points"
            )
            raise InvalidFileError(
                f"{path} belongs to another problem ({difference}): name another store, or delete "
                f"it"
            )
        db.check_integrity(database)


def read_store(path: str | Path) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """Return the problem of a store and its finished cells by number."""
    path = check_path(path)
    check_file(path)
    if not path.is_file():  # SQLite would create it
        raise InvalidFileError(f"cannot read {path}: there is no such file")
    with closing(db.connect(path)) as database:
        try:
            db.read_meta(path, database)
            db.check_integrity(database)
            cells = {
                number: db.read_document(content, digest, find_outcome_defect)
                for number, _, content, digest in db.read_cells(database)
            }
            return db.read_problem(database), cells
        except db.DamagedStoreError as damage:
            raise InvalidFileError(
                f"{path} is damaged, or is not the store of a scan ({damage}): scan into it again "
                f"to repair it"
            ) from None


@contextmanager
def _explain_write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InvalidFileError(
            f"cannot write to {path}: {error}; finished cells are kept: free disk space or get "
            f"permission to write, and call again"
        ) from error


def _move_aside(path: Path, damage: str) -> None:
    """Rename a damaged store, with a warning."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    try:
        path.rename(aside)
    except OSError as error:
        raise InvalidFileError(
            f"{path} is damaged and cannot be moved: {error.strerror}"
        ) from error
    journal = path.with_name(path.name + "-journal")
    with suppress(OSError):  # it belongs to the damaged store
        journal.rename(aside.with_name(aside.name + "-journal"))
    message = f"{path} was damaged ({damage}): it is now {aside.name}, and a new store is begun"
    warnings.warn(message, StoreWarning, stacklevel=6)
