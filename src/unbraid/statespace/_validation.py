"""Validation of state-space models, and linear models to compare with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._typing import Array
from ..dynamics._ranges import RangeUse, measure_branch_use, measure_signal_use
from ..dynamics._records import Records
from ..dynamics._scoring import score_runs
from ..dynamics._validation import LinearComparison, Validation
from ..dynamics._validation_case import ValidationCase, ValidationSettings, validate_case
from ..errors import DivergenceError, InvalidOptionError, UnbraidError
from ..model._function import DecoupledFunction
from ._branches import trajectory
from ._estimation import prepare, to_fields
from ._linear import LinearSettings, check_samples, fit_linear_equations
from ._operating_points import list_training_inputs
from ._simulated_model import DEFAULT_INITIAL, SimulatedModel
from ._simulation import StateRun

LEAST_INITIAL_SHARE = 4  # at most this part of a record gives the initial state of a linear model


def validate_model(
    model: SimulatedModel,
    records: Records,
    initial: int,
    linear: Any,
    settings: ValidationSettings,
) -> Validation:
    """Validate a model on records: its predictions are its simulation."""
    runs = _simulate(model, records, initial)
    score = score_runs(records, runs, initial)
    is_finite = score.diverged_at is None
    pairs = list(zip(records.items, runs, strict=True))
    if isinstance(linear, str) and linear == "auto" and model.function is None:
        comparison = LinearComparison(reason="the model is linear")
    else:
        comparison = compare_linear(records, initial, linear, model.data, model.n_states)
    inputs, outputs = (tuple(names[model.n_states :]) for names in model.signal_names)
    ranges, reason = _measure_ranges(model, records, runs, inputs)
    return validate_case(
        ValidationCase(
            records=records,
            first=initial,
            runs=runs,
            predictions=dict.fromkeys(settings.steps, score),
            predicts_by_simulation=True,
            residual_kind="simulation",
            residuals=[(r.y - run.y)[initial:] for r, run in pairs] if is_finite else None,
            linear=comparison,
            ranges=ranges,
            range_reason=reason,
            input_names=inputs,
            output_names=outputs,
            sampling_time=model.sampling_time,
        ),
        settings,
    )


def compare_linear(
    records: Records,
    first: int,
    linear: Any,
    trained: Records | None,
    n_states: int,
    feedthrough: bool = True,
) -> LinearComparison:
    """Simulate a linear model beside another one, scored from sample ``first`` on.

    "auto" fits one to the records that the other model was fitted to. Its initial state is
    estimated from the first outputs, also where these are more than ``first``.
    """
    if linear is None:
        return LinearComparison(reason="linear=None leaves it out")
    if isinstance(linear, str) and linear == "auto":
        if trained is None:
            reason = "the model does not hold the records it was fitted to; pass linear="
            return LinearComparison(reason=reason)
        try:
            linear = _fit_linear(trained, n_states, feedthrough)
        except UnbraidError as error:
            return LinearComparison(reason=f"it could not be fitted ({error})")
    if not isinstance(linear, SimulatedModel) or linear.function is not None:
        raise InvalidOptionError(
            f"linear is {_name_kind(linear)}: pass a "
            f"linear StateSpace such as that of fit_linear, 'auto' or None"
        )
    u, y = ([getattr(record, name) for record in records.items] for name in ("u", "y"))
    shortest = min(map(len, records.items))
    initial = max(first, min(DEFAULT_INITIAL, shortest // LEAST_INITIAL_SHARE))
    runs = _simulate(linear, linear.records(u, y), initial)
    return LinearComparison(score_runs(records, runs, first), linear.n_states)


def _name_kind(value: Any) -> str:
    """What was passed, without the many numbers of a model."""
    return repr(value) if isinstance(value, (str, int, float)) else type(value).__name__


def _fit_linear(records: Records, n_states: int, feedthrough: bool) -> SimulatedModel:
    """A linear model of this order of the records, without weights."""
    u, y = ([getattr(record, name) for record in records.items] for name in ("u", "y"))
    data = prepare(u, y, None)
    check_samples(data.records.items, n_states, LinearSettings())
    found = fit_linear_equations(data.problem, n_states, feedthrough)
    return SimulatedModel(**to_fields(data, found, None, "A linear model."))


def _simulate(model: SimulatedModel, records: Records, initial: int) -> list[StateRun]:
    """Simulate every record; one that diverges in its initial samples has no output."""
    runs = []
    for record in records.items:
        single = Records((record,), False, False)
        try:
            runs += model.simulate_from_outputs(single, initial)
        except DivergenceError as error:
            empty = np.zeros((error.sample, model.n_outputs))
            runs.append(StateRun(np.zeros((1, model.n_states)), empty[:0], error.sample))
    return runs


def _measure_ranges(
    model: SimulatedModel, records: Records, runs: list[StateRun], names: Iterable[str]
) -> tuple[tuple[RangeUse, ...], str]:
    """The use of branches and inputs, and why inputs are missing."""
    found: list[RangeUse] = []
    is_finite = all(run.diverged_at is None for run in runs)
    if isinstance(model.function, DecoupledFunction) and is_finite:
        table = trajectory(records.items, runs)
        found += measure_branch_use(model.function, table, _find_training_trajectory(model))
    seen, here = list_training_inputs(model), np.concatenate([r.u for r in records.items])
    if seen is None:
        return tuple(found), "Ranges of the inputs are not known: the model does not hold records"
    return (*found, *measure_signal_use(tuple(names), "input", here, seen)), ""


def _find_training_trajectory(model: SimulatedModel) -> Array | None:
    """States and inputs of the fitted records, where they are known."""
    if model.data is None:
        return None
    try:
        runs = model.simulate_records(model.data)
    except DivergenceError:
        return None
    is_finite = all(run.diverged_at is None for run in runs)
    return trajectory(model.data.items, runs) if is_finite else None
