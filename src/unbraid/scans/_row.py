"""One row of a scan: the settings of a cell and its outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..dynamics._records import Records
from ..model._files import function_from_dict
from ..narx._model import narx_from_dict
from ..statespace._model import statespace_from_dict

SHORT_NAMES = {"random_state": "seed", "n_states": "states"}  # of settings in a label


@dataclass(frozen=True, eq=False)
class Row:
    """One cell of a scan: its settings and its result.

    ``index`` is the number of the cell, which is the same in a scan and in its store. Errors are
    in %: ``fitted_error`` and ``held_out_error`` are means over the outputs, ``fitted_errors`` and
    ``held_out_errors`` have one entry per output. For dynamic models these are errors of free-run
    simulation on the training and on the test records. ``failure`` says why there is no model.
    ``varying`` names the settings that differ between the rows of the scan.
    """

    index: int
    settings: Mapping[str, Any]
    n_branches: int
    fitted_error: float | None
    held_out_error: float | None
    n_parameters: int | None
    degrees_of_freedom: int | None
    compression: float | None
    seconds: float
    fitted_errors: tuple[float, ...] | None = field(repr=False)
    held_out_errors: tuple[float, ...] | None = field(repr=False)
    warnings: tuple[str, ...] = field(repr=False)
    failure: str
    document: Mapping[str, Any] | None = field(repr=False)
    records: Records | None = field(default=None, repr=False)
    varying: tuple[str, ...] = field(default=(), repr=False)

    @property
    def error(self) -> float | None:
        """The held-out error, else the fitted error; None where the cell failed."""
        return self.fitted_error if self.held_out_error is None else self.held_out_error

    @cached_property
    def model(self) -> Any:
        """The DecoupledFunction, NARX or StateSpace model; None where the cell failed."""
        if self.document is None:
            return None
        source = Path(f"row {self.index}")
        if "narx" in self.document:
            return replace(narx_from_dict(self.document, source), data=self.records)
        if "statespace" in self.document:
            return replace(statespace_from_dict(self.document, source), data=self.records)
        return function_from_dict(self.document, source)

    @property
    def label(self) -> str:
        """Method, number of branches, and the settings that differ between rows."""
        parts = [str(self.settings.get("method", "")), f"r = {self.n_branches}"]
        for name in self.varying:
            if name in self.settings and name not in ("method", "n_branches"):
                value = self.settings[name]
                bare = name == "basis" and isinstance(value, str) and value != "auto"
                short = SHORT_NAMES.get(name, name)
                parts.append(str(value) if bare else f"{short} {value}")
        return ", ".join(part for part in parts if part)


def find_varying(settings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the names of the settings that are not the same in all cells."""
    names = dict.fromkeys(name for one in settings for name in one)
    return tuple(name for name in names if len({str(one.get(name)) for one in settings}) > 1)


def make_row(
    index: int,
    outcome: Mapping[str, Any],
    varying: tuple[str, ...],
    records: Records | None = None,
) -> Row:
    """Return the row of an outcome; its label names the ``varying`` settings."""
    values = {f.name: outcome[f.name] for f in fields(Row) if f.name in outcome}
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    if values["n_branches"] is None:
        requested = outcome["settings"].get("n_branches")
        values["n_branches"] = requested if isinstance(requested, int) else 0
    return Row(index=index, document=outcome["model"], records=records, varying=varying, **values)
