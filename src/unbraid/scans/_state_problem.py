"""A scan of state-space models: numbers of states and branches, bases, seeds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np

from .._typing import Array
from .._util.validation import check_integer
from ..errors import InvalidOptionError
from ..model._branch_fit import check_basis
from ..statespace import StateSpace, identify
from ..statespace._simulated_model import DEFAULT_INITIAL
from ._dynamic_problem import DynamicProblem, describe_result
from ._grid import ScanCell, list_values
from ._records import digest_arrays
from ._settings import setting_to_json

IDENTIFY_OPTIONS = ("extrapolate", "feedthrough", "n_starts", "held_out", "ridge")
DECOUPLED_OPTIONS = ("extrapolate", "n_starts", "max_iterations")
STATE_AXES = ("n_states", "n_branches", "basis", "random_state")


@dataclass(frozen=True)
class StateScanProblem(DynamicProblem):
    """A linear model to add branches to, or a coupled one to decouple and refine."""

    reference: StateSpace
    kind: ClassVar[str] = "statespace"
    title: ClassVar[str] = "State-space"

    @property
    def fingerprint(self) -> str:
        reference = self.reference
        arrays = [run.y for run in reference.simulate_records(self.records)]
        about = (reference.n_states, reference.sampling_time, self.initial, self.coupled_parameters)
        return digest_arrays(f"statespace {about!r}", [*self.list_signals(), *arrays])

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
        sizes = (model.n_branches or 0, size, size)
        result = describe_result(sizes, self.coupled_parameters, self.list_errors(model))
        return {"model": replace(model, data=None).to_dict(), "warnings": [], **result}

    def list_errors(self, model: StateSpace) -> tuple[Array | None, ...]:
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
