"""A scan of state-space models: numbers of states and branches, bases, seeds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_integer, count_noun
from ..dynamics._records import Records
from ..errors import InvalidOptionError
from ..model._branch_fit import check_basis
from ..statespace import StateSpace, identify
from ..statespace._simulated_model import DEFAULT_INITIAL
from ._grid import ScanCell, list_values
from ._records import digest_arrays, records_to_dict
from ._settings import setting_to_json

IDENTIFY_OPTIONS = ("extrapolate", "feedthrough", "n_starts", "held_out", "ridge")
DECOUPLED_OPTIONS = ("extrapolate", "n_starts", "max_iterations")
STATE_AXES = ("n_states", "n_branches", "basis", "random_state")


@dataclass(frozen=True)
class StateScanProblem:
    """A reference model, and the records to fit and to test others with.

    A linear reference: every cell identifies a model with branches. A coupled reference is
    decoupled and refined.
    """

    reference: StateSpace
    data: tuple[Any, Any]
    test: tuple[Any, Any] | None = None
    initial: int | None = None
    coupled_parameters: int | None = None

    @property
    def fingerprint(self) -> str:
        reference = self.reference
        parts = [self.records, *([] if self.test is None else [reference.records(*self.test)])]
        arrays = [array for part in parts for item in part.items for array in (item.u, item.y)]
        arrays += [run.y for run in reference.simulate_records(self.records)]
        about = (reference.n_states, reference.sampling_time, self.initial, self.coupled_parameters)
        return digest_arrays(f"statespace {about!r}", arrays)

    @property
    def records(self) -> Records:
        return self.reference.records(*self.data)

    def document(self) -> dict[str, Any]:
        """The problem for a store."""
        records = self.records
        errors = self._errors(self.reference)
        return {
            "kind": "statespace",
            "words": (
                f"State-space model, {count_noun(records.n_inputs, 'input')}, "
                f"{count_noun(records.n_outputs, 'output')}, "
                f"{count_noun(sum(map(len, records.items)), 'sample')}"
            ),
            "coupled_parameters": self.coupled_parameters,
            "reference_errors": [None if e is None else float(np.mean(e)) for e in errors],
            "records": records_to_dict(records),
        }

    def fit(self, keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Fit the model of one cell."""
        options = dict(keywords)
        if self.reference.function is None:
            model = identify(
                *self.data, sampling_time=self.reference.sampling_time, progress=False, **options
            )
        else:
            steps = {name: options.pop(name) for name in ("max_iterations",) if name in options}
            n_branches, basis = options.pop("n_branches"), options.pop("basis")
            options |= {} if basis is None else {"basis": basis}
            model = self.reference.decouple(n_branches, progress=False, **options)
            model = model.refine(*self.data, progress=False, **steps)
        names = self.reference.input_names, self.reference.output_names
        model = replace(model, input_names=names[0], output_names=names[1])
        size = model.degrees_of_freedom or 0
        result: dict[str, Any] = {
            "n_branches": model.n_branches,
            "n_parameters": size,
            "degrees_of_freedom": size,
            "compression": self.coupled_parameters / size if self.coupled_parameters else None,
        }
        labels = ("fitted_error", "held_out_error")
        for name, error in zip(labels, self._errors(model), strict=True):
            if error is not None:
                result |= {name: float(np.mean(error)), f"{name}s": error.tolist()}
        return {"model": replace(model, data=None).to_dict(), "warnings": [], **result}

    def _errors(self, model: StateSpace) -> tuple[Array | None, ...]:
        """Return the free-run errors in % on the records and on the test records."""
        return tuple(
            None if d is None else np.atleast_1d(model.score(*d, initial=self._initial(d)).percent)
            for d in (self.data, self.test)
        )

    def _initial(self, data: tuple[Any, Any]) -> int:
        """Samples that give the initial state: 50, or a quarter of a short record."""
        if self.initial is not None:
            return self.initial
        shortest = min(map(len, self.reference.records(*data).items))
        return min(DEFAULT_INITIAL, max(shortest // 4, 1))


def make_state_cells(
    reference: StateSpace,
    axes: Mapping[str, Any],
    grid: Mapping[str, Any] | None,
    options: Mapping[str, Any],
) -> tuple[ScanCell, ...]:
    """Return all combinations of numbers of states and branches, bases and seeds."""
    linear = reference.function is None
    if reference.n_branches is None and axes["n_states"] is not None:
        raise InvalidOptionError("n_states is that of the coupled model: leave it out")
    if not linear and reference.n_branches is not None:
        raise InvalidOptionError(
            "the model is decoupled already: scan the linear or the coupled model it came from"
        )
    known = IDENTIFY_OPTIONS if linear else DECOUPLED_OPTIONS
    more = {name: list_values(name, value) for name, value in (grid or {}).items()}
    for name in (*more, *options):
        if name not in known:
            raise InvalidOptionError(
                f"a scan of this model has no option {name!r}; the options are {', '.join(known)}"
            )
    values: dict[str, Iterable[Any]] = {
        name: _check_values(name, list_values(name, axes[name])) for name in STATE_AXES
    }
    if not linear:
        del values["n_states"]
    elif axes["n_states"] is None:
        values["n_states"] = [reference.n_states]
    values |= more
    cells: dict[str, ScanCell] = {}
    for combination in product(*values.values()):
        keywords = {**options, **dict(zip(values, combination, strict=True))}
        settings = {name: setting_to_json(name, value) for name, value in keywords.items()}
        settings["basis"] = "auto" if keywords["basis"] is None else settings["basis"]
        cell = ScanCell(keywords, settings)
        cells.setdefault(cell.key, cell)
    return tuple(cells.values())


def _check_values(name: str, values: Iterable[Any]) -> list[Any]:
    """The values of an axis, checked; "auto" as a basis becomes None."""
    if name == "basis":
        found = [None if isinstance(value, str) and value == "auto" else value for value in values]
        for basis in found:
            if basis is not None:
                check_basis(basis)
        return found
    least = {"n_states": 1, "n_branches": 0, "random_state": 0}[name]
    found = list(values)
    for value in found:
        if value is not None and value != "auto":
            check_integer(name, value, least)
    return found
