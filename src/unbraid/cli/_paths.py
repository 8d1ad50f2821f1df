"""Checks that output files can be written, made before the work starts."""

import tempfile
from pathlib import Path

from ..errors import InvalidFileError, InvalidOptionError

HTML = (".html", ".htm")
JSON = (".json",)


def check_writable(path: str | Path, endings: tuple[str, ...] = ()) -> Path:
    """The path, or an error that says why no file can be written there."""
    if not str(path):
        raise InvalidOptionError(
            "a file to write has an empty name: name it, or leave the option out"
        )
    path = Path(path)
    if path.is_dir():
        raise InvalidFileError(f"cannot write {path}: it is a folder; name a file in it")
    if endings and path.suffix.lower() not in endings:
        raise InvalidOptionError(f"{path} must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise InvalidFileError(
            f"cannot write {path}: there is no folder {path.parent}; make it first"
        )
    try:
        if path.exists():
            path.open("ab").close()
        else:
            tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise InvalidFileError(f"cannot write {path}: {error.strerror}") from error
    return path


def check_output_files(**outputs: tuple[str | None, tuple[str, ...]]) -> dict[str, Path]:
    """Return the path of every requested output, checked to be writable.

    Each output is a path, or None, and the file endings that it may have.
    """
    return {
        kind: check_writable(path, endings)
        for kind, (path, endings) in outputs.items()
        if path is not None
    }


def make_folder(path: str | Path) -> Path:
    """Make a folder where it is missing, and check that files can be written to it."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidFileError(f"cannot make the folder {path}: {error.strerror}") from error
    check_writable(path / "any")
    return path
