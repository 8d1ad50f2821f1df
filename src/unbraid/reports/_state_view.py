"""What a page shows of a state-space model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._util.validation import count_noun
from ..dynamics._records import Records, check_name_count
from ..dynamics._scoring import score_runs
from ..errors import DivergenceError, InvalidOptionError
from ..model._function import DecoupledFunction
from ..statespace import StateSpace, StateSpaceDescription
from ..statespace._simulated_model import DEFAULT_INITIAL
from ._page_view import NamedErrors, Names, PageView, Simulation, make_names
from ._simulation_errors import simulate_named_record
from ._validation_section import validate_for_page

LOAD_STATE_SPACE = """import unbraid

model = unbraid.load("model.json")
y = model.simulate(u, initial=y_first)"""


@dataclass(frozen=True, eq=False, kw_only=True)
class StateView(PageView):
    """Everything that a page shows of one state-space model."""

    model: StateSpace
    inputs: Names
    description: StateSpaceDescription

    @property
    def size(self) -> str:
        n = self.model.n_branches or 0
        states = count_noun(self.model.n_states, "state")
        branches = count_noun(n, "branch", "es") if n else "linear"
        return f"{states}, {branches}, {self.n_parameters:,} degrees of freedom"

    @property
    def n_parameters(self) -> int:
        return self.model.degrees_of_freedom or 0

    @property
    def origin(self) -> str:
        function, refinement = self.model.function, self.model.refinement
        lines = [function.origin] if isinstance(function, DecoupledFunction) else []
        lines += [refinement.words] if refinement is not None else []
        return "\n".join(lines)


def view_state_space(
    model: StateSpace,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data: Any = None,
    errors: tuple[NamedErrors, ...] = (),
    **others: Any,
) -> StateView:
    """Return the view of a linear or decoupled model; ``data`` is (u, y) to simulate."""
    if model.n_branches is None:
        raise InvalidOptionError(
            "the report shows decoupled models: call model.decouple(n_branches) first"
        )
    check_name_count("names", names, model.n_inputs)
    check_name_count("outputs", outputs, model.n_outputs)
    records = _choose_records(model, data)
    named = replace(
        model,
        input_names=model.input_names if names is None else tuple(names),
        output_names=model.output_names if outputs is None else tuple(outputs),
    )
    inputs, targets = (tuple(part[model.n_states :]) for part in named.signal_names)
    shown_inputs, shown_outputs = make_names(inputs), make_names(targets)
    short = replace(named, input_names=shown_inputs.short, output_names=shown_outputs.short)
    validation = None
    if records is not None and data is not None and not errors:  # not the row of a scan
        validation = validate_for_page(short, records, _choose_initial(records))
    simulation, errors = simulate_named_record(
        lambda records, where: _simulate(model, records, where),
        None if data is None else records,
        model.data,
        errors,
    )
    fields = {"key": "model", "code": LOAD_STATE_SPACE, **others}
    return StateView(
        model=short,
        inputs=shown_inputs,
        outputs=shown_outputs,
        description=short.describe(),
        errors=errors,
        saved=model,
        simulation=simulation,
        validation=validation,
        records=records,
        **fields,
    )


def _choose_records(model: StateSpace, data: Any) -> Records | None:
    if data is None:
        return model.data
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise InvalidOptionError("data must be a pair (u, y) of inputs and outputs")
    return model.records(*data)


def _choose_initial(records: Records) -> int:
    """First outputs from which the initial state is estimated."""
    return min(DEFAULT_INITIAL, max(min(map(len, records.items)) // 4, 1))


def _simulate(model: StateSpace, records: Records, where: str) -> Simulation:
    """Return the simulation of every record; it is NaN from where it diverges."""
    initial = _choose_initial(records)
    try:
        runs = model.simulate_from_outputs(records, initial)
    except DivergenceError:  # in the samples that give the initial state
        runs = model.simulate_from_outputs(records, 0)
    ends = np.cumsum([len(record) for record in records.items]).tolist()
    outputs, diverged_at = [], None
    for run, end in zip(runs, ends, strict=True):
        y = run.y.copy()
        if run.diverged_at is not None:
            y[run.diverged_at :] = np.nan
            first = end - len(y) + run.diverged_at
            diverged_at = first if diverged_at is None else diverged_at
        outputs.append(y)
    measured = np.concatenate([record.y for record in records.items])
    error = np.atleast_1d(score_runs(records, runs, initial).percent)
    simulated, seconds = np.concatenate(outputs), model.sampling_time
    return Simulation(measured, simulated, tuple(ends), where, diverged_at, error, seconds)
