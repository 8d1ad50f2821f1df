"""NARX models as the equations of one sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..errors import InvalidOptionError
from ..export._step_model import AT_REST, StepModel
from ..model._function import DecoupledFunction
from ._lagged_model import LaggedModel
from ._lags import Lags, infer_lags, name_channels

SETTLING_SAMPLES = 1000  # of a simulation at the mean inputs that looks for a steady state
SETTLING_TOLERANCE = 1e-12  # relative change of the state in one sample


def make_step_model(model: LaggedModel) -> StepModel:
    """The equations of one sample; the state holds the past inputs and outputs."""
    d = model.function
    if not isinstance(d, DecoupledFunction):
        raise InvalidOptionError(
            "a model that runs sample by sample must be decoupled: call decouple(n_branches) first"
        )
    lags = _find_lags(model, d)
    if lags.longest == 0:
        raise InvalidOptionError("this model has no past samples, so no state: use its .function")
    past = Lags(*(tuple(map(_fill_gaps, channels)) for channels in (lags.inputs, lags.outputs)))
    inputs = name_channels("u", len(lags.inputs), model.input_names)
    outputs = name_channels("y", d.n_outputs, model.output_names)
    step = StepModel(
        kind="NARX model",
        function=d,
        linear=None,
        offset=np.zeros(d.n_outputs),
        arguments=_find_arguments(lags, past),
        updates=_find_updates(past),
        input_names=tuple(inputs),
        output_names=tuple(outputs),
        state_names=past.name_regressors(inputs, outputs),
        initial_state=np.zeros(past.n_regressors),
        sampling_time=model.sampling_time,
    )
    rest = None if d.points is None else _find_rest(step, lags, past, d.points)
    return step if rest is None else replace(step, initial_state=rest, start=AT_REST)


def _find_rest(step: StepModel, lags: Lags, past: Lags, points: Array) -> Array | None:
    """The steady state at the mean inputs; None if none is reached."""
    channels = _split_channels(points, lags)
    counts = [len(kept) for kept in (*past.inputs, *past.outputs)]
    means = np.array([part.mean() if part.size else 0.0 for part in channels])
    sizes = np.array([np.abs(part).max() if part.size else 0.0 for part in channels])
    state, tolerance = np.repeat(means, counts), SETTLING_TOLERANCE * np.repeat(sizes, counts)
    with np.errstate(all="ignore"):
        for _ in range(SETTLING_SAMPLES):
            before = state
            state = step.step(means[: len(lags.inputs)], before)[1]
            if not np.all(np.isfinite(state)):
                return None
            if np.all(np.abs(state - before) <= tolerance):
                return state
    return None


def _split_channels(points: Array, lags: Lags) -> list[Array]:
    """The columns of regressors of every input and output.

    >>> lags = Lags(((0, 2),), ((1,),))
    >>> [part.shape for part in _split_channels(np.zeros((5, 3)), lags)]
    [(5, 2), (5, 1)]
    """
    counts = [len(used) for used in (*lags.inputs, *lags.outputs)]
    return np.split(points, np.cumsum(counts)[:-1], axis=1)


def _find_lags(model: LaggedModel, d: DecoupledFunction) -> Lags:
    """The lags of every channel; without input lags one input is ignored."""
    lags = infer_lags(model.input_lags, model.output_lags, d.n_inputs, d.n_outputs)
    if lags.inputs:
        return lags
    if model.input_lags:
        raise InvalidOptionError(f"the lags do not make the {d.n_inputs} inputs of the function")
    n_inputs = 1 if model.data is None else model.data.n_inputs
    n_inputs = n_inputs if model.input_names is None else len(model.input_names)
    return Lags(((),) * n_inputs, lags.outputs)


def _fill_gaps(lags: tuple[int, ...]) -> tuple[int, ...]:
    """All lags up to the longest: samples move through them one by one."""
    return tuple(range(1, max(lags, default=0) + 1))


def _find_arguments(lags: Lags, past: Lags) -> tuple[int, ...]:
    """Where the regressors are in [state; u].

    >>> lags = Lags(((0, 2),), ((1,),))
    >>> _find_arguments(lags, Lags(((1, 2),), ((1,),)))
    (3, 1, 2)
    """
    arguments, first = [], 0
    for channel, used in enumerate((*lags.inputs, *lags.outputs)):
        now = past.n_regressors + channel  # lag 0, of inputs only
        arguments += [first + lag - 1 if lag else now for lag in used]
        first += max(used, default=0)
    return tuple(arguments)


def _find_updates(past: Lags) -> tuple[int, ...]:
    """Where the next state is in [state; u; y]: every sample moves on by one lag.

    >>> _find_updates(Lags(((1, 2),), ((1,),)))
    (3, 0, 4)
    """
    updates, first = [], 0
    for channel, kept in enumerate((*past.inputs, *past.outputs)):
        updates += [first + lag - 2 if lag > 1 else past.n_regressors + channel for lag in kept]
        first += len(kept)
    return tuple(updates)
