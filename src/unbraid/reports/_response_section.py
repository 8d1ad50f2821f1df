"""Responses of a dynamic model to steps and sines, which the page simulates."""

import json
from typing import Any

import numpy as np

from .._typing import Array
from .._util.markup import Markup, shorten_distinctly, tag
from ..dynamics._records import Records
from ..errors import UnbraidError
from ..export._step_model import StepModel
from ._model_data import step_data
from ._provenance_section import show_section
from ._what_if_section import MOST_MODEL_BYTES, SLIDER_QUANTILES, split_unit

MOST_RESPONDING_OUTPUTS = 4  # outputs that are drawn
AMPLITUDE_REACH = 2.0  # of the largest deviation of an input from its mean


def show_responses(model: Any, records: Records | None) -> Markup | None:
    """Return the section that the script fills; None for models it cannot run."""
    try:
        step: StepModel = model.step_model()
        content = json.dumps(_describe_model(step, records), separators=(",", ":"))
    except UnbraidError:  # branches of Python functions, no past samples
        return None
    if len(content) > MOST_MODEL_BYTES or not _uses_inputs(step):
        return None
    note = (
        "The model is at rest at the base level of its inputs; then one of them makes a step or a "
        "sine. Dashed: the response to a very small amplitude, scaled, which is that of the model "
        "linearised at the base level, not its linear part over all data. Where the two differ, "
        "the curves of the model matter."
    )
    return show_section(
        "Responses",
        tag("p", note, class_="note"),
        tag("div", class_="responses", data_responses=content),
        class_="explore",
    )


def _uses_inputs(step: StepModel) -> bool:
    """Whether an input has an effect: it is an argument, or part of the next state."""
    inputs = range(step.n_states, step.n_states + step.n_inputs)
    return any(index in inputs for index in (*step.arguments, *step.updates))


def _describe_model(step: StepModel, records: Records | None) -> dict[str, Any]:
    names = shorten_distinctly(step.input_names)
    u = None if records is None else np.concatenate([record.u for record in records.items])
    return {
        "model": step_data(step),
        "inputs": [
            _describe_input(name, None if u is None else u[:, k]) for k, name in enumerate(names)
        ],
        "outputs": [
            list(split_unit(name))
            for name in shorten_distinctly(step.output_names)[:MOST_RESPONDING_OUTPUTS]
        ],
        "time": step.sampling_time,
    }


def _describe_input(name: str, u: Array | None) -> dict[str, Any]:
    """Return the name, the unit, the levels and the amplitudes of an input."""
    text, unit = split_unit(name)
    known = u is not None and np.ptp(u) > 0
    if u is None or not known:
        u = np.linspace(-1.0, 1.0, 21)
    size = np.abs(u - u.mean())
    return {
        "name": text,
        "unit": unit,
        "range": [float(u.min()), float(u.max())],
        "quantiles": np.quantile(u, SLIDER_QUANTILES).tolist(),
        "known": bool(known),
        "base": float(u.mean()),
        "reach": AMPLITUDE_REACH * float(size.max()),
        "amplitudes": [*np.quantile(size, SLIDER_QUANTILES[1:]).tolist(), float(size.max())],
    }
