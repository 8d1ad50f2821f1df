"""Can it be written? Asked before the work, so that nobody loses an hour."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..errors import InvalidFile, InvalidOption


def writable(path: str | Path, *endings: str) -> Path:
    """The path, or an error that says why nothing can be written there."""
    if not str(path):
        raise InvalidOption("a file to write has an empty name: name it, or leave the option out")
    path = Path(path)
    if path.is_dir():
        raise InvalidFile(f"cannot write {path}: it is a folder; name a file in it")
    if endings and path.suffix.lower() not in endings:
        raise InvalidOption(f"{path} must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise InvalidFile(f"cannot write {path}: there is no folder {path.parent}; make it first")
    try:
        if path.exists():
            path.open("ab").close()
        else:
            tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error
    return path


def folder(path: str | Path) -> Path:
    """A folder to write to, made where it is missing."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidFile(f"cannot make the folder {path}: {error.strerror}") from error
    writable(path / "any")
    return path
