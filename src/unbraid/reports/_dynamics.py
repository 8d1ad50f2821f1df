"""NARX models: names of their lags, and their free run beside the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DivergenceError, InvalidOption
from ..metrics import relative_error
from ..model._function import DecoupledFunction
from ..narx._lags import lags_for
from ..narx._model import NARX
from ..narx._records import Records
from ._views import Errors, ModelView, Simulation, listed_errors, make_names, model_view

CODE = """import unbraid.narx

model = unbraid.narx.load("model.json")
y = model.simulate(u, initial)"""


def narx_view(
    model: NARX,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data: Any = None,
    errors: tuple[Errors, ...] = (),
    **others: Any,
) -> ModelView:
    """A NARX model around a decoupled function; ``data`` is (u, y), to be simulated."""
    d = model.function
    if not isinstance(d, DecoupledFunction):
        raise InvalidOption(
            "the report shows decoupled models: call model.decouple(n_branches) first"
        )
    records = _records(model, data)
    lags = lags_for(model.input_lags, model.output_lags, d.n_inputs, d.n_outputs)
    targets = ["y"] if d.n_outputs == 1 else [f"y{o + 1}" for o in range(d.n_outputs)]
    shown = make_names(
        d,
        lags.names if names is None else names,
        targets if outputs is None else outputs,
    )
    points, simulation = None, None
    if records is not None:
        points = np.concatenate([lags.table(r.u, r.y, lags.longest, len(r)) for r in records.items])
        where = "on the training record" if data is None else "on the data given"
        simulation = _simulation(model, records, lags.longest, where)
    if simulation is not None and (data is not None or not errors):
        errors = (*errors, Errors(f"simulation error {simulation.where}", simulation.error))
    return model_view(
        d,
        *shown,
        points,
        errors=errors or _one_step(d),
        residuals=None,
        saved=model,
        simulation=simulation,
        **{"code": CODE, **others},
    )


def _records(model: NARX, data: Any) -> Records | None:
    if data is None:
        return model.data
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise InvalidOption("data must be a pair (u, y) of inputs and outputs")
    return model.records(*data)


def _simulation(model: NARX, records: Records, longest: int, where: str) -> Simulation:
    """Every record run free from its first samples; not a number from where it runs off."""
    runs, diverged_at, begin = [], None, 0
    for record in records.items:
        try:
            y = model.simulate(record.u, record.y[:longest])
        except DivergenceError as stop:
            y = np.array(stop.y, dtype=float).reshape(len(record), -1)
            y[stop.sample :] = np.nan
            diverged_at = begin + stop.sample if diverged_at is None else diverged_at
        runs.append(y)
        begin += len(record)
    measured, simulated = [record.y for record in records.items], runs
    error = np.full(records.n_outputs, np.inf)
    if diverged_at is None:
        error = relative_error(
            np.concatenate([y[longest:] for y in measured]),
            np.concatenate([y[longest:] for y in simulated]),
        )
    return Simulation(
        np.concatenate(measured),
        np.concatenate(simulated),
        tuple(np.cumsum([len(y) for y in measured]).tolist()),
        where,
        diverged_at,
        error,
    )


def _one_step(d: DecoupledFunction) -> tuple[Errors, ...]:
    """Without a record, how far the static function is from what was decoupled."""
    pairs = [
        ("fitted error, one step", d.fitted_error),
        ("held-out error, one step", d.held_out_error),
    ]
    return listed_errors(pairs)
