"""Finished cells on disk, in SQLite: what is there has been computed, whole, by this version.

One process writes; the lock is a transaction on a file beside the store, which ends with the
process however it ends. Anyone may read.
"""

from __future__ import annotations

import hashlib
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from .._util.documents import check_file, packed, shown, unpacked
from .._util.validation import file_path
from .._version import __version__
from ..errors import InvalidFile, StoreWarning
from ._outcomes import flaw_of_outcome, flaw_of_problem

FORMAT = "unbraid scan"
LAYOUT = "1"
HEADER = b"SQLite format 3\x00"
SUFFIXES = ("", ".db", ".sqlite", ".sqlite3", ".store", ".scan")
TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE problem (content BLOB NOT NULL, digest TEXT NOT NULL);
CREATE TABLE cells (
  number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, content BLOB, digest TEXT
);
"""
MOST_CELLS = 1 << 31
BROKEN = (sqlite3.DatabaseError, UnicodeDecodeError)  # also what SQLite says may be damaged


class Damaged(Exception):
    """The store's bytes are not what was written."""


class Store:
    """Cells by key, for one problem."""

    def __init__(self, path: str | Path, fingerprint: str, problem: Mapping[str, Any]) -> None:
        self.path = file_path(path)
        self._lock = _locked(self.path)
        try:
            self._database = self._opened(fingerprint, problem)
        except BaseException:
            self._release()
            raise

    def _opened(self, fingerprint: str, problem: Mapping[str, Any]) -> sqlite3.Connection:
        if self.path.exists() and self.path.stat().st_size > 0:
            try:
                return self._checked(fingerprint, str(problem["words"]))
            except Damaged as damage:
                _move_aside(self.path, str(damage))
        database = _connect(self.path)
        with _said(self.path), database:
            database.executescript(f"BEGIN;{TABLES}")
            meta = {"format": FORMAT, "layout": LAYOUT, "version": __version__}
            meta |= {"fingerprint": fingerprint, "words": str(problem["words"])}
            database.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            content = packed(problem)
            database.execute("INSERT INTO problem VALUES (?, ?)", (content, _digest(content)))
        return database

    def _checked(self, fingerprint: str, words: str) -> sqlite3.Connection:
        """The store that is there, if it is ours and of this problem."""
        database = _connect(self.path)
        try:
            meta = _meta(self.path, database)
            if meta["version"] != __version__:
                raise InvalidFile(
                    f"{self.path} was written by unbraid {meta['version']}, this is {__version__}: "
                    f"cells of two versions are not mixed; name another store"
                )
            if meta["fingerprint"] != fingerprint:
                other = meta["words"]
                what = (
                    f"it has {other}, this one {words}"
                    if other != words
                    else f"as this one it has {words}, but other numbers, names or points held out"
                )
                raise InvalidFile(
                    f"{self.path} belongs to another problem ({what}): name another store, or "
                    f"delete it"
                )
            _whole(database)
        except BaseException:
            database.close()
            raise
        return database

    def plan(self, keys: Iterable[str]) -> dict[str, int]:
        """Note which cells are to come; the number that each has for good."""
        with _said(self.path), self._database:
            rows = ((key,) for key in keys)
            self._database.executemany("INSERT OR IGNORE INTO cells (key) VALUES (?)", rows)
            return dict(self._database.execute("SELECT key, number - 1 FROM cells").fetchall())

    def finished(self) -> dict[str, dict[str, Any]]:
        """All cells that are there. One that is damaged is dropped, and said so."""
        found, damaged = {}, []
        for _, key, content, digest in _cells(self._database):
            try:
                found[key] = _document(content, digest, flaw_of_outcome)
            except Damaged:
                damaged.append(key)
        if damaged:
            message = f"{self.path}: {len(damaged)} damaged cells are dropped and run again"
            warnings.warn(message, StoreWarning, stacklevel=4)
            with _said(self.path), self._database:
                rows = ((key,) for key in damaged)
                forgotten = "UPDATE cells SET content = NULL, digest = NULL WHERE key = ?"
                self._database.executemany(forgotten, rows)
        return found

    def keep(self, key: str, content: bytes) -> None:
        """A packed outcome, on disk when this returns."""
        with _said(self.path), self._database:
            self._database.execute(
                "UPDATE cells SET content = ?, digest = ? WHERE key = ?",
                (content, _digest(content), key),
            )

    def _release(self) -> None:
        with suppress(OSError):
            _lock_path(self.path).unlink()  # still locked: who opened it meanwhile finds out
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._release()


def read_store(path: str | Path) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """The problem and all cells of a store by number, or InvalidFile that says what is wrong."""
    path = file_path(path)
    check_file(path)
    try:
        with path.open("rb") as file:
            header = file.read(len(HEADER))
    except OSError as error:
        raise InvalidFile(f"cannot read {path}: {error.strerror}") from error
    if header != HEADER:
        raise InvalidFile(f"{path} is not the store of a scan, or a damaged one")
    database = _connect(path)
    try:
        _meta(path, database)
        _whole(database)
        _none_emptied(database)
        cells = {
            number: _document(blob, digest, flaw_of_outcome)
            for number, _, blob, digest in _cells(database)
        }
        return _problem(database), cells
    except Damaged as damage:
        raise InvalidFile(f"{path} is damaged ({damage}): scan into it again to mend it") from None
    finally:
        database.close()


def _problem(database: sqlite3.Connection) -> dict[str, Any]:
    try:
        found = database.execute("SELECT content, digest FROM problem").fetchall()
    except BROKEN as error:
        raise Damaged(str(error)) from None
    if len(found) != 1:
        raise Damaged(f"it holds {len(found)} problems where one belongs")
    content, digest = found[0]
    return _document(content, digest, flaw_of_problem)


def _locked(path: Path) -> sqlite3.Connection:
    """The right to write to a store, until the connection is closed or the process ends."""
    check_file(path)
    if path.is_dir():
        raise InvalidFile(f"{path} is a folder: name a file in it for the store")
    busy = f"another process is at work on {path}: wait for it, or name another store"
    try:
        _lock_path(path).touch()
        before = _lock_path(path).stat().st_ino
        lock = _exclusive(_lock_path(path))
    except FileNotFoundError:  # its owner was just leaving, or there is no such folder
        if path.parent.is_dir():
            raise InvalidFile(busy) from None
        raise InvalidFile(f"cannot write {path}: there is no folder {path.parent}") from None
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error
    except sqlite3.OperationalError as error:
        raise InvalidFile(f"cannot write {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise InvalidFile(f"{_lock_path(path)} is no lock of ours ({error}): remove it") from error
    if lock is None:
        raise InvalidFile(busy)
    if not _is_still(_lock_path(path), before):  # another one is there: its owner just left
        lock.close()
        raise InvalidFile(busy)
    return lock


def _is_still(path: Path, number: int) -> bool:
    """Is the file of this name the one that had this number?"""
    try:
        return path.stat().st_ino == number
    except OSError:
        return False


def _exclusive(path: Path) -> sqlite3.Connection | None:
    """A connection that nobody else has while it is open; None where somebody has one."""
    lock = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" in str(error):
            return None
        raise
    except sqlite3.DatabaseError:
        lock.close()
        raise
    return lock


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _connect(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(path, timeout=10.0)
    except sqlite3.Error as error:
        raise InvalidFile(f"cannot open {path}: {error}") from error


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """What SQLite complains of, in our words."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InvalidFile(
            f"cannot write to {path}: {error}; what was finished before is kept, call again when "
            f"there is room and leave to write"
        ) from error


def _meta(path: Path, database: sqlite3.Connection) -> dict[str, str]:
    """What a store says of itself; a foreign database is refused, a damaged one is Damaged."""
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        ours = TABLES_MADE <= _schema(database) <= TABLES_MADE | INDEXES  # and no view or trigger
        meta = dict(database.execute("SELECT name, value FROM meta").fetchall()) if ours else {}
    except sqlite3.OperationalError as error:
        if "no such" not in str(error):
            raise InvalidFile(f"cannot read {path}: {error}") from error
        meta = {}
    except BROKEN as error:
        if "not a database" in str(error) and path.suffix.lower() not in SUFFIXES:
            raise InvalidFile(
                f"{path} is there and is not the store of a scan: name another, say scan.db"
            ) from None
        raise Damaged(str(error)) from None
    if meta.get("format") != FORMAT or not {"version", "fingerprint", "words"} <= set(meta):
        raise InvalidFile(f"{path} is a database, but not the store of a scan: name another")
    if meta.get("layout") != LAYOUT:
        raise InvalidFile(
            f"{path} was written by another version of unbraid ({meta['version']}; this is "
            f"{__version__}): name another store"
        )
    return meta


TABLES_MADE = frozenset(
    (name, f"CREATE TABLE {text.strip()}")
    for text in TABLES.replace(";", "").split("CREATE TABLE ")[1:]
    for name in [text.split()[0]]
)
INDEXES = frozenset({("sqlite_autoindex_meta_1", None), ("sqlite_autoindex_cells_1", None)})


def _schema(database: sqlite3.Connection) -> set[tuple[str, str | None]]:
    """Names of all that is in a database, with the text that made each."""
    return set(database.execute("SELECT name, sql FROM sqlite_master").fetchall())


def _whole(database: sqlite3.Connection) -> None:
    try:
        verdict = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
        database.execute("SELECT key, digest FROM cells").fetchall()  # can they be read as text?
        first, last = database.execute("SELECT min(number), max(number) FROM cells").fetchone()
    except BROKEN as error:
        raise Damaged(shown(str(error))) from None
    if verdict != "ok":
        raise Damaged(shown(str(verdict)))
    if first is not None and not 1 <= first <= last <= MOST_CELLS:
        raise Damaged("a cell has a number that makes no sense")


def _none_emptied(database: sqlite3.Connection) -> None:
    """A cell that is not finished has no digest either."""
    emptied = "SELECT count(*) FROM cells WHERE (content IS NULL) <> (digest IS NULL)"
    if database.execute(emptied).fetchone()[0]:
        raise Damaged("a cell is not what was written")


def _cells(database: sqlite3.Connection) -> list[tuple[int, str, bytes, str]]:
    """Numbers from 0, keys, contents and digests of the cells that are finished."""
    columns = "number - 1, key, content, digest"
    finished = f"SELECT {columns} FROM cells WHERE content NOT NULL ORDER BY number"
    try:
        rows = list(database.execute(finished).fetchall())
    except BROKEN as error:
        raise Damaged(str(error)) from None
    return rows


def _document(content: Any, digest: Any, flaw: Callable[[Any], str]) -> dict[str, Any]:
    if not isinstance(content, bytes) or _digest(content) != digest:
        raise Damaged("a cell is not what was written")
    try:
        document: dict[str, Any] = unpacked(content)
    except InvalidFile as error:
        raise Damaged(str(error)) from None
    found = flaw(document)
    if found:
        raise Damaged(f"a cell cannot be used: {found}")
    return document


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _move_aside(path: Path, damage: str) -> None:
    """Keep a damaged store under another name, and say so."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    try:
        path.rename(aside)
    except OSError as error:
        raise InvalidFile(f"{path} is damaged and cannot be moved: {error.strerror}") from error
    journal = path.with_name(path.name + "-journal")
    with suppress(OSError):  # it belongs to the damaged store
        journal.rename(aside.with_name(aside.name + "-journal"))
    message = f"{path} was damaged ({damage}): it is now {aside.name}, and the scan begins anew"
    warnings.warn(message, StoreWarning, stacklevel=6)
