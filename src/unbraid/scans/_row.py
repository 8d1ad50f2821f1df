"""One row of a scan: the settings of a cell and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model._function import function_from_dict
from ..narx._model import narx_from_dict

if TYPE_CHECKING:
    from ..narx._records import Records


@dataclass(frozen=True, eq=False)
class Row:
    """One cell of a scan: its settings, and what came out.

    ``index`` is its number, the same in a scan and in what is read from its store. Errors are in
    %: ``fitted_error`` and ``held_out_error`` are means of the outputs,
    ``fitted_errors`` and ``held_out_errors`` one an output. Of NARX models they are those of free
    runs, on the training and on the test records. ``failure`` says why there is no model.
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
    telling: tuple[str, ...] = field(default=(), repr=False)

    @property
    def error(self) -> float | None:
        """On what was not fitted, where there is such; None without a model."""
        return self.fitted_error if self.held_out_error is None else self.held_out_error

    @cached_property
    def model(self) -> Any:
        """The DecoupledFunction or NARX model; None where the cell failed."""
        if self.document is None:
            return None
        where = Path(f"row {self.index}")
        if "narx" in self.document:
            return replace(narx_from_dict(self.document, where), data=self.records)
        return function_from_dict(self.document, where)

    @property
    def label(self) -> str:
        """What tells this row from the others."""
        names = {"random_state": "seed", "n_branches": "r"}
        parts = [str(self.settings.get("method", "")), f"r = {self.n_branches}"]
        for name in self.telling:
            if name in self.settings and name not in ("method", "n_branches"):
                value = self.settings[name]
                plain = name == "basis" and isinstance(value, str) and value != "auto"
                parts.append(str(value) if plain else f"{names.get(name, name)} {value}")
        return ", ".join(part for part in parts if part)


def telling(settings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Names of the settings that are not the same everywhere."""
    names = dict.fromkeys(name for one in settings for name in one)
    values = {name: {str(one.get(name)) for one in settings} for name in names}
    return tuple(name for name in names if len(values[name]) > 1)


def make_row(
    index: int,
    outcome: Mapping[str, Any],
    told: tuple[str, ...],
    records: Records | None = None,
) -> Row:
    """A row of an outcome; ``told`` are the settings that its label names."""
    asked = outcome["settings"].get("n_branches", 0)
    count = outcome["n_branches"]
    return Row(
        index,
        dict(outcome["settings"]),
        (asked if isinstance(asked, int) else 0) if count is None else int(count),
        outcome["fitted_error"],
        outcome["held_out_error"],
        outcome["n_parameters"],
        outcome["degrees_of_freedom"],
        outcome["compression"],
        float(outcome["seconds"]),
        _tuple(outcome["fitted_errors"]),
        _tuple(outcome["held_out_errors"]),
        tuple(outcome["warnings"]),
        str(outcome["failure"]),
        outcome["model"],
        records,
        told,
    )


def _tuple(errors: Sequence[float] | None) -> tuple[float, ...] | None:
    return None if errors is None else tuple(errors)
