"""Records, scaling and settings that the estimators of state-space models share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from ..dynamics._change_of_variable import change_variable
from ..dynamics._divergence import make_divergence_error
from ..dynamics._records import Records, channel_names, make_records
from ..dynamics._refinement import Refinement
from ..errors import DivergenceError, InvalidOptionError, InvalidSamplesError
from ..metrics import relative_error
from ..model._function import DecoupledFunction
from ..model._operating_points import sample_points
from ._branches import separate_linear_parts, trajectory
from ._coordinates import standardise_states
from ._descent import EstimationResult
from ._equations import Equations
from ._problem import STATE_LIMIT, StateSpaceProblem, hold_out_blocks
from ._signals import SignalScaling, detect_saturation, measure_scaling
from ._simulation import StateRun, simulate_states

HELD_OUT_BLOCKS = 5  # per record
MIN_SAMPLES = 10  # of a record


@dataclass(frozen=True, eq=False)
class EstimationData:
    """Records in the user's units and normalised, with the names of the channels."""

    records: Records
    scaling: SignalScaling
    problem: StateSpaceProblem
    bounds: tuple[Array, Array] | None  # of saturated outputs, in the user's units
    input_names: tuple[str, ...] | None
    output_names: tuple[str, ...] | None

    def with_held_out(self, share: float) -> StateSpaceProblem:
        """The problem without blocks of every record, which validate models."""
        masks = [hold_out_blocks(len(r), share, HELD_OUT_BLOCKS) for r in self.records.items]
        return replace(self.problem, held_out=tuple(masks))


def prepare(u: Any, y: Any, weights: Any = None, saturation: bool = True) -> EstimationData:
    """Check and normalise the records."""
    names = [None if n is None else tuple(n) for n in (channel_names(u), channel_names(y))]
    records = make_records(u, y, *names).with_weights(weights)
    for index, record in enumerate(records.items):
        if len(record) < MIN_SAMPLES:
            raise InvalidSamplesError(
                f"record {index} has {len(record)} samples: at least {MIN_SAMPLES} are needed; "
                f"signals are columns, (samples, channels)"
            )
    scaling = measure_scaling(records)
    bounds = detect_saturation(records.items) if saturation else None
    scaled = None if bounds is None else tuple(scaling.normalise_y(b) for b in bounds)
    items = tuple(scaling.normalise(record) for record in records.items)
    problem = StateSpaceProblem(items, bounds=scaled)  # type: ignore[arg-type]
    return EstimationData(records, scaling, problem, bounds, *names)


def check_share(held_out: Any) -> float:
    """A share of samples to hold out, or InvalidOptionError."""
    if isinstance(held_out, bool) or not isinstance(held_out, (int, float)):
        raise InvalidOptionError(f"held_out must be a share of the samples, got {held_out!r}")
    if not 0 < held_out <= 0.5:
        raise InvalidOptionError(f"held_out must be above 0 and at most 0.5, got {held_out!r}")
    return float(held_out)


def to_fields(
    data: EstimationData, found: EstimationResult, sampling_time: float | None, origin: str
) -> dict[str, Any]:
    """Fields of a StateSpace from equations of normalised signals, in canonical form."""
    problem = data.problem
    e, initial = found.system, found.initial
    runs = _simulate(problem, e, initial, found_guesses(found, problem))
    e = separate_linear_parts(e, trajectory(problem.records, runs))
    e, initial = standardise_states(e, runs, initial)
    runs = _simulate(problem, e, initial)
    user = data.scaling.to_user(e)
    simulated = [data.scaling.y_mean + data.scaling.y_spread * run.y for run in runs]
    table = trajectory(data.records.items, runs)
    return {
        "function": make_function(user, table, data.records, simulated, origin),
        "n_states": e.n_states,
        "linear": user.linear,
        "offset": user.offset,
        "initial_states": initial,
        **describe_descent(data, found, sampling_time),
    }


def _simulate(
    problem: StateSpaceProblem, e: Equations, initial: Array, guesses: list[Array] | None = None
) -> list[StateRun]:
    """Simulate all records; DivergenceError with record and sample if one diverges."""
    runs = problem.simulate(e, initial, guesses, thorough=True)
    if runs is not None:
        return runs
    for k, (record, x0) in enumerate(zip(problem.records, initial, strict=True)):
        run = simulate_states(e, record.u, x0, e.n_outputs, limit=STATE_LIMIT)
        if run.diverged_at is not None:
            raise make_divergence_error(run.diverged_at, k, run.y[: run.diverged_at])
    raise DivergenceError("the simulation of the records is too sensitive to rounding", 0)


def describe_descent(
    data: EstimationData, found: EstimationResult, sampling_time: float | None
) -> dict[str, Any]:
    """Fields of a StateSpace that say what it was fitted to, and how that ended."""
    return {
        "sampling_time": sampling_time,
        "input_names": data.input_names,
        "output_names": data.output_names,
        "bounds": data.bounds,
        "output_spread": data.scaling.y_spread,
        "data": data.records,
        "refinement": Refinement(found.errors, found.held_out_errors, (1.0,), found.status, 0.0),
    }


def found_guesses(found: EstimationResult, problem: StateSpaceProblem) -> list[Array] | None:
    """The states of a descent as guesses, if it is one of these records."""
    lengths = [len(run.y) for run in found.runs]
    same = lengths == [len(record) for record in problem.records]
    return [run.x for run in found.runs] if same else None


def make_function(
    e: Equations, table: Array, records: Records, simulated: Sequence[Array], origin: str
) -> DecoupledFunction | None:
    """The nonlinear part as a decoupled function of [x; u] in normal form.

    V and W have columns of unit length. The largest weight in z and the largest effect of a branch,
    both over the spreads of the signals, are positive.
    """
    if not e.branches:
        return None
    standard = table.std(axis=0)
    measured = np.concatenate([record.y for record in records.items])
    target = np.concatenate([np.ones(e.n_states), measured.std(axis=0)])
    W, V, branches, shares = [], [], [], []
    offset = np.zeros(len(e.linear))
    for i, branch in enumerate(e.branches):
        v, w = e.V[:, i], e.W[:, i]
        sign = np.sign((v * standard)[np.argmax(np.abs(v * standard))]) or 1.0
        length, height = float(sign * np.linalg.norm(v)), max(float(np.linalg.norm(w)), 1e-300)
        height *= float(np.sign(w[np.argmax(np.abs(w / target))])) or 1.0
        moved, constant = change_variable(branch, length, 0.0, height)
        offset += constant * w / height  # of a curve that was mirrored
        W.append(w / height)
        V.append(v / length)
        branches.append(moved)
        shares.append(float(np.std(moved(table @ V[-1]))))
    order = np.argsort([-share for share in shares], kind="stable")
    error = relative_error(measured, np.concatenate(simulated))
    errors = ", ".join(f"{x:.3g}" for x in error)
    return DecoupledFunction(
        np.column_stack(W)[:, order],
        np.column_stack(V)[:, order],
        tuple(branches[i] for i in order),
        offset,
        spread=standard,
        points=sample_points(table),
        origin=f"{origin} Simulation error on the training record {errors} %.",
    )
