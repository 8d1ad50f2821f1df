"""The SQLite database of a store: its tables, and checked reading."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._util.documents import quote, unpack_document
from .._version import __version__
from ..errors import InvalidFileError
from ._validation import find_problem_defect

STORE_FORMAT = "unbraid scan"
STORE_LAYOUT = "1"
STORE_SUFFIXES = ("", ".db", ".sqlite", ".sqlite3", ".store", ".scan")
TABLES = {  # SQLite keeps these texts, and a store has to hold them letter by letter
    "meta": "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "problem": "CREATE TABLE problem (content BLOB NOT NULL, digest TEXT NOT NULL)",
    "cells": "CREATE TABLE cells (\n"
    "  number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, content BLOB, digest TEXT\n)",
}
SCHEMA = {**TABLES, "sqlite_autoindex_meta_1": None, "sqlite_autoindex_cells_1": None}
LARGEST_CELL_NUMBER = 1 << 31


class DamagedStoreError(Exception):
    """The bytes of a store are not those that were written."""


@contextmanager
def _detect_damage() -> Iterator[None]:
    """Raise DamagedStoreError where SQLite cannot read."""
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise DamagedStoreError(quote(str(error))) from None


def connect(path: Path) -> sqlite3.Connection:
    """Open a database; it is read only when it is used."""
    try:
        database = sqlite3.connect(path, timeout=10.0)
        database.execute("PRAGMA trusted_schema = OFF")
        return database
    except sqlite3.Error as error:
        raise InvalidFileError(f"cannot open {path}: {error}") from error


def read_meta(path: Path, database: sqlite3.Connection) -> dict[str, str]:
    """Return format, versions and problem of a store, or raise InvalidFileError."""
    try:
        schema = dict(database.execute("SELECT name, sql FROM sqlite_master").fetchall())
        ours = schema == SCHEMA  # views and triggers could run code
        meta = dict(database.execute("SELECT name, value FROM meta").fetchall()) if ours else {}
    except sqlite3.OperationalError as error:
        raise InvalidFileError(f"cannot read {path}: {error}") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        foreign = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB
        if foreign and path.suffix.lower() not in STORE_SUFFIXES:
            raise InvalidFileError(
                f"{path} exists and is not the store of a scan: name another, say scan.db"
            ) from None
        raise DamagedStoreError(quote(str(error))) from None
    if meta.get("format") != STORE_FORMAT or not {"version", "fingerprint", "words"} <= set(meta):
        raise InvalidFileError(f"{path} is not the store of a scan: name another file")
    if meta.get("layout") != STORE_LAYOUT:
        raise InvalidFileError(
            f"{path} was written by another version of unbraid ({meta['version']}; this is "
            f"{__version__}): name another store"
        )
    return meta


def check_integrity(database: sqlite3.Connection) -> None:
    """Raise DamagedStoreError where the database is inconsistent."""
    with _detect_damage():
        verdict = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
        database.execute("SELECT key, digest FROM cells").fetchall()  # can they be read as text?
        first, last = database.execute("SELECT min(number), max(number) FROM cells").fetchone()
    if verdict != "ok":
        raise DamagedStoreError(quote(str(verdict)))
    if first is not None and not 1 <= first <= last <= LARGEST_CELL_NUMBER:
        raise DamagedStoreError("a cell has an invalid number")


def read_cells(database: sqlite3.Connection) -> list[tuple[int, str, bytes, str]]:
    """Return numbers from 0, keys, contents and digests of the finished cells."""
    with _detect_damage():
        return database.execute(
            "SELECT number - 1, key, content, digest FROM cells "
            "WHERE content NOT NULL OR digest NOT NULL ORDER BY number"
        ).fetchall()


def read_problem(database: sqlite3.Connection) -> dict[str, Any]:
    """Return the document of the problem that a store belongs to."""
    with _detect_damage():
        problems = database.execute("SELECT content, digest FROM problem").fetchall()
    if len(problems) != 1:
        raise DamagedStoreError(f"it holds {len(problems)} problems instead of one")
    content, digest = problems[0]
    return read_document(content, digest, find_problem_defect)


def read_document(content: Any, digest: Any, find_defect: Callable[[Any], str]) -> dict[str, Any]:
    """Return a packed document if it is the one that was written, and makes sense."""
    if not isinstance(content, bytes) or compute_digest(content) != digest:
        raise DamagedStoreError("a cell is not what was written")
    try:
        document: dict[str, Any] = unpack_document(content)
    except InvalidFileError as error:
        raise DamagedStoreError(str(error)) from None
    defect = find_defect(document)
    if defect:
        raise DamagedStoreError(f"a cell cannot be used: {defect}")
    return document


def compute_digest(content: bytes) -> str:
    """Return the checksum that is kept beside a content."""
    return hashlib.sha256(content).hexdigest()
