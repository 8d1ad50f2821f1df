"""A FILE on the command line: a model, or the store of a scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import narx
from .._util.documents import check_file, read
from ..errors import InvalidFile, InvalidOption
from ..model._function import DecoupledFunction, load
from ..narx import NARX
from ..narx._lags import lags_for

if TYPE_CHECKING:
    from ..scans import Row, Scan

TAKEN = (
    "this command takes what `unbraid decouple` and `unbraid narx` write (NAME.unbraid.json), or "
    "the store of `unbraid scan` (NAME.scan.db)"
)
SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, eq=False)
class Stored:
    """What a file holds: a model, and the scan it is a row of where there is one."""

    model: Any  # a DecoupledFunction, a NARX, or None where no row of a scan has a model
    scan: Scan | None = None
    row: Row | None = None

    @property
    def function(self) -> DecoupledFunction | None:
        """The decoupled function, of a NARX model its static map; None where it is coupled."""
        inner = self.model.function if isinstance(self.model, NARX) else self.model
        return inner if isinstance(inner, DecoupledFunction) else None

    @property
    def decoupled(self) -> DecoupledFunction:
        """The decoupled function, or an error."""
        if self.function is None:
            raise InvalidFile("the file holds a coupled model, which has no branches: decouple it")
        return self.function

    @property
    def names(self) -> Sequence[str] | None:
        """Names of the inputs, where the model has them: a NARX model its lags."""
        if not isinstance(self.model, NARX) or self.function is None:
            return None
        d = self.function
        lags = lags_for(self.model.input_lags, self.model.output_lags, d.n_inputs, d.n_outputs)
        return lags.names

    @property
    def outputs(self) -> Sequence[str] | None:
        """Names of the outputs, likewise."""
        if not isinstance(self.model, NARX) or self.function is None:
            return None
        count = self.function.n_outputs
        return ["y(t)"] if count == 1 else [f"y{k + 1}(t)" for k in range(count)]


def stored(path: str | Path, row: int | None = None) -> Stored:
    """Read a file by what is in it, whatever it is called."""
    path = Path(path)
    if _is_database(path):
        return _of_scan(path, row)
    if row is not None:
        raise InvalidOption(f"--row is for the store of a scan; {path} holds one model")
    if "narx" in _document(path):
        return Stored(narx.load(path))
    return Stored(load(path))


def _document(path: Path) -> dict[str, Any]:
    try:
        return read(path)
    except InvalidFile as error:
        said = str(error) if path.suffix.lower() == ".json" else f"{path} is no model"
        raise InvalidFile(f"{said}: {TAKEN}") from error


def _is_database(path: Path) -> bool:
    check_file(path)
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise InvalidFile(f"cannot read {path}: {error.strerror}") from error


def _of_scan(path: Path, index: int | None) -> Stored:
    from ..scans import load_scan

    scan = load_scan(path)
    if not scan.rows:
        raise InvalidFile(f"{path} holds no finished cell yet: run its scan again")
    if index is None:
        row = _best(scan)
        return Stored(None if row is None else row.model, scan, row)
    row = _row(scan, index, path)
    if row.failure:
        raise InvalidOption(f"row {index} of {path} has no model: {row.failure}")
    return Stored(row.model, scan, row)


def _row(scan: Scan, index: int, path: Path) -> Row:
    """The row of a number, which stays its own when the grid grows."""
    try:
        return scan[index]
    except (LookupError, InvalidOption):
        known = [row.index for row in scan]
    raise InvalidOption(f"{path} has no row {index}; it has {min(known)} to {max(known)}")


def _best(scan: Scan) -> Row | None:
    try:
        return scan.best_row()
    except InvalidOption:  # no row has a model that stays finite
        return None
