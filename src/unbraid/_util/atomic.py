"""Files that are written completely or not at all."""

import errno
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from ..errors import InvalidFileError

MAX_STEM_LENGTH = 40  # characters of a name that its temporary file shares; names have a limit


def write_files(*files: tuple[str | Path, bytes]) -> None:
    """Write files; existing ones are replaced once all new content is on disk.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_files((f"{folder}/a.txt", b"new"))
    ...     Path(folder, "a.txt").read_text(encoding="utf-8")
    'new'
    """
    moves: list[tuple[Path, Path]] = []
    path = files[0][0]
    try:
        for path, content in files:
            target = Path(os.path.realpath(path))  # a link keeps its target
            if target.exists() and not target.is_file():
                target.write_bytes(content)  # a device or a pipe is not replaced
                continue
            temporary = target.with_name(
                f".{target.name[:MAX_STEM_LENGTH]}.{secrets.token_hex(6)}.tmp"
            )
            moves.append((temporary, target))
            _write_beside(temporary, target, content)
        for temporary, path in moves:
            os.replace(temporary, path)
    except OSError as error:
        raise InvalidFileError(f"cannot write {path}: {error.strerror}") from error
    except ValueError as error:  # a character 0, or letters that the locale does not have
        raise InvalidFileError(
            f"cannot write {str(path)!r}: this system has no such name; use plain letters"
        ) from error
    finally:
        for temporary, _ in moves:
            with suppress(OSError):  # it was moved, or never written
                temporary.unlink()


def _write_beside(temporary: Path, target: Path, content: bytes) -> None:
    """Write the content to disk, with the permissions of the target."""
    if target.exists() and not os.access(target, os.W_OK):  # a move would ignore it
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with temporary.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if target.exists():
        shutil.copymode(target, temporary)
