"""What a function keeps of the fit that made it, also in files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidFileError
from ..solvers._status import Status

NOT_CONVERGED = "It has not converged: this is the best iterate, not a minimum."


@dataclass(frozen=True)
class FitRecord:
    """How a fit ended and what it determined; None stands for unknown.

    Attributes
    ----------
    method : str
    status : Status
        Why the solver, or ``refine``, stopped.
    unique : bool or None
        Whether all starts that fit equally well have the same W and V.
    identified : bool or None
        Whether the data determine W and V.
    """

    method: str
    status: Status
    unique: bool | None = None
    identified: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "status": self.status.name,
            "unique": self.unique,
            "identified": self.identified,
        }


def fit_record_from_dict(document: Any) -> FitRecord | None:
    """The record that ``to_dict`` wrote; None where a file has none."""
    if document is None:
        return None
    if not isinstance(document, Mapping):
        raise InvalidFileError("its fit is not a record")
    method, status = document.get("method"), document.get("status")
    flags = [document.get(name) for name in ("unique", "identified")]
    if not isinstance(method, str) or not isinstance(status, str):
        raise InvalidFileError("its fit has no method or no status")
    if status not in Status.__members__ or any(flag not in (None, True, False) for flag in flags):
        raise InvalidFileError(
            f"its fit has the status {status[:50]!r}, or flags that are not booleans"
        )
    return FitRecord(method, Status[status], *(None if f is None else bool(f) for f in flags))
