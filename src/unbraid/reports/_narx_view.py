"""What a page shows of a NARX model: its lags and its free-run simulation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._util.markup import shorten_distinctly
from ..dynamics._records import Records
from ..errors import DivergenceError, InvalidOptionError
from ..metrics import relative_error
from ..model._function import DecoupledFunction
from ..narx._lags import infer_lags
from ..narx._model import NARX
from ._model_view import ModelView, choose_names, make_view
from ._page_view import NamedErrors, Simulation, name_errors
from ._simulation_errors import simulate_named_record
from ._validation_section import validate_for_page

LOAD_NARX = """import unbraid.narx

model = unbraid.narx.load("model.json")
y = model.simulate(u, initial)"""


def view_narx(
    model: NARX,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data: Any = None,
    errors: tuple[NamedErrors, ...] = (),
    **others: Any,
) -> ModelView:
    """Return the view of a decoupled NARX model; ``data`` is (u, y) to simulate."""
    d = model.function
    if not isinstance(d, DecoupledFunction):
        raise InvalidOptionError(
            "the report shows decoupled models: call model.decouple(n_branches) first"
        )
    records = _choose_records(model, data)
    lags = infer_lags(model.input_lags, model.output_lags, d.n_inputs, d.n_outputs)
    inputs, targets = model.signal_names
    shown = choose_names(
        d, inputs if names is None else names, targets if outputs is None else outputs
    )
    points, validation = None, None
    if records is not None:
        points = lags.regressors(records.items)
        if data is not None and not errors:  # one model, not the row of a scan
            validation = validate_for_page(_shorten_names(model), records, lags.longest)
    simulation, errors = simulate_named_record(
        lambda records, where: _simulate(model, records, lags.longest, where),
        None if data is None else records,
        model.data,
        errors,
    )
    one_step = name_errors(
        ("fitted error, one step", d.fitted_error), ("held-out error, one step", d.held_out_error)
    )
    return make_view(
        d,
        *shown,
        points,
        errors=errors or one_step,
        residuals=None,
        saved=model,
        simulation=simulation,
        validation=validation,
        records=records,
        dynamic=True,
        **{"code": LOAD_NARX, **others},
    )


def _shorten_names(model: NARX) -> NARX:
    """The model with names of its channels that fit a chart."""
    names = (model.input_names, model.output_names)
    inputs, outputs = (None if n is None else shorten_distinctly(n) for n in names)
    return replace(model, input_names=inputs, output_names=outputs)


def _choose_records(model: NARX, data: Any) -> Records | None:
    if data is None:
        return model.data
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise InvalidOptionError("data must be a pair (u, y) of inputs and outputs")
    return model.records(*data)


def _simulate(model: NARX, records: Records, n_initial: int, where: str) -> Simulation:
    """Return the simulation of every record; it is NaN from where it diverges."""
    runs, diverged_at = [], None
    ends = np.cumsum([len(record) for record in records.items]).tolist()
    for record, end in zip(records.items, ends, strict=True):
        try:
            y = model.simulate(record.u, record.y[:n_initial])
        except DivergenceError as stop:
            y = np.array(stop.y, dtype=float).reshape(len(record), -1)
            y[stop.sample :] = np.nan
            diverged_at = end - len(record) + stop.sample if diverged_at is None else diverged_at
        runs.append(y)
    measured, simulated = np.concatenate([r.y for r in records.items]), np.concatenate(runs)
    error = np.full(records.n_outputs, np.inf)
    if diverged_at is None:
        scored = np.concatenate([np.arange(len(y)) >= n_initial for y in runs])
        error = relative_error(measured[scored], simulated[scored])
    seconds = model.sampling_time
    return Simulation(measured, simulated, tuple(ends), where, diverged_at, error, seconds)
