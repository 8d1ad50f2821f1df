"""Read the FILE of a command line: a model, or the store of a scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._load import load
from .._util.documents import check_file, read_document
from ..errors import InvalidFileError, InvalidOptionError
from ..model._function import DecoupledFunction
from ..narx import NARX
from ..statespace import StateSpace

if TYPE_CHECKING:
    from ..scans import Row, Scan

ACCEPTED_FILES = (
    "this command takes what `unbraid decouple`, `narx` and `statespace` write "
    "(NAME.unbraid.json), or the store of `unbraid scan` (NAME.scan.db)"
)
SQLITE_HEADER = b"SQLite format 3\0"


@dataclass(frozen=True, eq=False)
class StoredModel:
    """The model in a file; for a store also the scan and the row of the model."""

    model: Any  # None where no row of a scan has a model
    scan: Scan | None = None
    row: Row | None = None

    @property
    def function(self) -> DecoupledFunction | None:
        """The decoupled function, or that of a dynamic model; None if it is coupled."""
        dynamic = isinstance(self.model, (NARX, StateSpace))
        inner = self.model.function if dynamic else self.model
        return inner if isinstance(inner, DecoupledFunction) else None

    @property
    def decoupled(self) -> DecoupledFunction:
        """The decoupled function, or an error."""
        if self.model is None:
            raise InvalidFileError("no row of the scan has a model")
        if isinstance(self.model, StateSpace) and self.model.function is None:
            raise InvalidFileError("the file holds a linear model, which has no branches")
        if self.function is None:
            raise InvalidFileError(
                "the file holds a coupled model, which has no branches: decouple it"
            )
        return self.function

    @property
    def signal_names(self) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Names of the signals of a decoupled dynamic model, else None."""
        if self.function is None or not isinstance(self.model, (NARX, StateSpace)):
            return None, None
        names: tuple[Sequence[str], Sequence[str]] = self.model.signal_names
        return names


def load_stored(path: str | Path, row: int | None = None) -> StoredModel:
    """Read a file; its content decides what it is, not its name."""
    path = Path(path)
    if _is_database(path):
        return _load_row(path, row)
    if row is not None:
        raise InvalidOptionError(f"--row is for the store of a scan; {path} holds one model")
    try:
        read_document(path)
    except InvalidFileError as error:
        reason = str(error) if path.suffix.lower() == ".json" else f"{path} is no model"
        raise InvalidFileError(f"{reason}: {ACCEPTED_FILES}") from error
    return StoredModel(load(path))


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
