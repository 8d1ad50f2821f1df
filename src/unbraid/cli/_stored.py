"""Read the FILE of a command line: a model, or the store of a scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import narx
from .._util.documents import check_file, read_document
from ..errors import InvalidFileError, InvalidOptionError
from ..model._files import load
from ..model._function import DecoupledFunction
from ..narx import NARX

if TYPE_CHECKING:
    from ..scans import Row, Scan

ACCEPTED_FILES = (
    "this command takes what `unbraid decouple` and `unbraid narx` write (NAME.unbraid.json), or "
    "the store of `unbraid scan` (NAME.scan.db)"
)
SQLITE_HEADER = b"SQLite format 3\0"


@dataclass(frozen=True, eq=False)
class StoredModel:
    """The model in a file; for a store also the scan and the row of the model."""

    model: Any  # a DecoupledFunction, a NARX, or None where no row of a scan has a model
    scan: Scan | None = None
    row: Row | None = None

    @property
    def function(self) -> DecoupledFunction | None:
        """The decoupled function, for a NARX model its static map; None if it is coupled."""
        inner = self.model.function if isinstance(self.model, NARX) else self.model
        return inner if isinstance(inner, DecoupledFunction) else None

    @property
    def decoupled(self) -> DecoupledFunction:
        """The decoupled function, or an error."""
        if self.model is None:
            raise InvalidFileError("no row of the scan has a model")
        if self.function is None:
            raise InvalidFileError(
                "the file holds a coupled model, which has no branches: decouple it"
            )
        return self.function

    @property
    def signal_names(self) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Names of the inputs and outputs of a decoupled NARX model, else None."""
        d = self.function
        if not isinstance(self.model, NARX) or d is None:
            return None, None
        return self.model.signal_names


def load_stored(path: str | Path, row: int | None = None) -> StoredModel:
    """Read a file; its content decides what it is, not its name."""
    path = Path(path)
    if _is_database(path):
        return _load_row(path, row)
    if row is not None:
        raise InvalidOptionError(f"--row is for the store of a scan; {path} holds one model")
    try:
        document = read_document(path)
    except InvalidFileError as error:
        reason = str(error) if path.suffix.lower() == ".json" else f"{path} is no model"
        raise InvalidFileError(f"{reason}: {ACCEPTED_FILES}") from error
    return StoredModel(narx.load(path) if "narx" in document else load(path))


def _is_database(path: Path) -> bool:
    check_file(path)
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_HEADER)) == SQLITE_HEADER
    except OSError as error:
        raise InvalidFileError(f"cannot read {path}: {error.strerror}") from error


def _load_row(path: Path, index: int | None) -> StoredModel:
    """The model of a row of a scan, by default of the best row."""
    from ..scans import load_scan

    scan = load_scan(path)
    if not scan.rows:
        raise InvalidFileError(f"{path} holds no finished cell yet: run its scan again")
    if index is None:
        try:
            row = scan.best_row()
        except InvalidOptionError:  # no row has a model that stays finite
            return StoredModel(None, scan)
        return StoredModel(row.model, scan, row)
    known = [row.index for row in scan]
    if index not in known:
        raise InvalidOptionError(f"{path} has no row {index}; it has {min(known)} to {max(known)}")
    row = scan[index]
    if row.failure:
        raise InvalidOptionError(f"row {index} of {path} has no model: {row.failure}")
    return StoredModel(row.model, scan, row)
