"""Files that are written whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from ..errors import InvalidFile

STEM = 40  # letters of a name that its temporary file has too; names have a limit


def write_whole(*files: tuple[str | Path, bytes]) -> None:
    """Write files; what is there is replaced once all that is new is on disk, else kept.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole((f"{folder}/a.txt", b"new"))
    ...     Path(folder, "a.txt").read_text(encoding="utf-8")
    'new'
    """
    moves: list[tuple[Path, Path]] = []
    path = files[0][0]
    try:
        for path, content in files:
            target = Path(os.path.realpath(path))  # a link goes on pointing there
            if target.exists() and not target.is_file():
                target.write_bytes(content)  # a device or a pipe is written to, never replaced
                continue
            temporary = target.with_name(f".{target.name[:STEM]}.{secrets.token_hex(6)}.tmp")
            moves.append((temporary, target))
            _write_beside(temporary, target, content)
        for temporary, path in moves:
            os.replace(temporary, path)
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error
    except ValueError as error:  # a character 0, or letters that the locale does not have
        raise InvalidFile(
            f"cannot write {str(path)!r}: this system has no such name; use plain letters"
        ) from error
    finally:
        for temporary, _ in moves:
            with suppress(OSError):  # it has moved, or never was
                temporary.unlink()


def _write_beside(temporary: Path, target: Path, content: bytes) -> None:
    """The content on disk, with the rights that the target has."""
    if target.exists() and not os.access(target, os.W_OK):  # a move would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with temporary.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if target.exists():
        shutil.copymode(target, temporary)
