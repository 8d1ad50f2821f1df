"""State-space models as the equations of one sample."""

from __future__ import annotations

import numpy as np

from ..dynamics._records import check_name_count
from ..errors import InvalidOptionError
from ..export._step_model import AT_REST, StepModel
from ..model._function import DecoupledFunction
from ._simulated_model import SimulatedModel


def make_step_model(model: SimulatedModel) -> StepModel:
    """The equations of one sample of a linear or decoupled model."""
    d, n = model.function, model.n_states
    if d is not None and not isinstance(d, DecoupledFunction):
        raise InvalidOptionError(
            "a model that runs sample by sample must be decoupled or linear: call "
            "decouple(n_branches) first"
        )
    check_name_count("input_names", model.input_names, model.n_inputs)
    check_name_count("output_names", model.output_names, model.n_outputs)
    signals, targets = model.signal_names
    state = model.operating_state
    return StepModel(
        kind="state-space model" if d is not None else "linear state-space model",
        function=d,
        linear=model.linear,
        offset=model.offset,
        arguments=tuple(range(n + model.n_inputs)),
        updates=tuple(range(n + model.n_inputs, 2 * n + model.n_inputs)),
        input_names=tuple(signals[n:]),
        output_names=tuple(targets[n:]),
        state_names=tuple(signals[:n]),
        initial_state=state,
        sampling_time=model.sampling_time,
        bounds=model.bounds,
        start=AT_REST if np.any(state) else "zeros",
    )
