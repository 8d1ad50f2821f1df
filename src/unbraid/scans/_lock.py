"""The lock of a store: one process writes to a store at a time.

The lock is an SQLite transaction on a file beside the store, which ends with the process, however
that ends.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from .._util.documents import check_file
from ..errors import InvalidFileError

PRIMARY_ERROR_CODE = 0xFF  # mask: the other bits of an SQLite error code are details


@contextmanager
def lock_store(path: Path) -> Iterator[None]:
    """Hold the right to write to a store; InvalidFileError if another process has it."""
    check_file(path)
    if path.is_dir():
        raise InvalidFileError(f"{path} is a folder: name a file in it for the store")
    if not path.parent.is_dir():
        raise InvalidFileError(f"cannot write {path}: there is no folder {path.parent}")
    lock_path = path.with_name(path.name + ".lock")
    with closing(_acquire(path, lock_path)):
        try:
            yield
        finally:
            with suppress(OSError):
                lock_path.unlink()  # before it is unlocked: see _begin_exclusive


def _acquire(path: Path, lock_path: Path) -> sqlite3.Connection:
    busy = f"another process is writing to {path}: wait for it, or name another store"
    try:
        return _begin_exclusive(lock_path)
    except FileNotFoundError:
        raise InvalidFileError(busy) from None
    except OSError as error:
        raise InvalidFileError(f"cannot write {path}: {error.strerror}") from error
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & PRIMARY_ERROR_CODE == sqlite3.SQLITE_BUSY:
            raise InvalidFileError(busy) from None
        raise InvalidFileError(f"cannot write {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise InvalidFileError(f"{lock_path} is not a lock file ({error}): remove it") from error


def _begin_exclusive(lock_path: Path) -> sqlite3.Connection:
    """Open the lock file and lock it.

    Raises FileNotFoundError if its owner removes the file meanwhile: a lock on a removed file does
    not exclude other processes.
    """
    lock_path.touch()
    inode = lock_path.stat().st_ino
    lock = sqlite3.connect(lock_path, timeout=0.0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        if lock_path.stat().st_ino != inode:
            raise FileNotFoundError
    except BaseException:
        lock.close()
        raise
    return lock
