"""Decoupled functions and dynamic models as ONNX models of plain operators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model._function import DecoupledFunction
from ._formula import translate_function
from ._onnx_graph import GraphBuilder, add_function
from ._step_model import StepModel
from ._support import check_dtype, describe_size, load_extra, resolve_model, write_file

if TYPE_CHECKING:
    from onnx import ModelProto


def to_onnx(
    model: Any, path: str | Path | None = None, dtype: str = "float64", *, x0: Any = None
) -> ModelProto:
    """A decoupled function or one sample of a dynamic model as an ONNX model.

    A function has the input ``p`` (N, m) and the output ``f`` (N, n). A dynamic model has the
    inputs ``u`` (N, n_u) and ``state`` (N, n_x), and the outputs ``y`` (N, n_y) and ``next_state``.
    The metadata has JSON lists: ``input_names`` and ``output_names``, and of dynamic models also
    ``state_names``, ``initial_state`` and the number ``sampling_time``.

    Parameters
    ----------
    model : DecoupledFunction, NARX or StateSpace
        Dynamic models must be decoupled or linear.
    path : str or Path, optional
        Also write the model there.
    dtype : {"float64", "float32"}
        Type of the inputs, the outputs and everything in between.
    x0 : (n_x,), optional
        Initial state of a dynamic model; zero by default.

    Examples
    --------
    >>> import unbraid
    >>> toy = unbraid.cases.toy_samples(random_state=0)
    >>> d = unbraid.decouple(toy, n_branches=3, random_state=0)
    >>> graph = unbraid.export.to_onnx(d).graph
    >>> graph.input[0].name, graph.output[0].name
    ('p', 'f')
    """
    model = resolve_model(model, x0)
    check_dtype(dtype)
    graph = GraphBuilder(load_extra("onnx"), dtype)
    written = _add_step(graph, model) if isinstance(model, StepModel) else _add_map(graph, model)
    write_file(path, written.SerializeToString())
    return written


def _add_map(graph: GraphBuilder, d: DecoupledFunction) -> ModelProto:
    graph("Identity", add_function(graph, "p", translate_function(d)), output="f")
    return graph.model(
        "decoupled",
        {"p": d.n_inputs},
        {"f": d.n_outputs},
        "f(p) = W g(V' p) + offset, every g_i a function of one variable",
        {"input_names": d.input_names, "output_names": d.output_names},
    )


def _add_step(graph: GraphBuilder, step: StepModel) -> ModelProto:
    known = graph("Concat", "state", "u", axis=1)
    q = add_function(graph, graph("Gather", known, np.array(step.arguments), axis=1), step.formula)
    everything = graph("Concat", known, q, axis=1)
    graph("Gather", everything, np.array(step.updates), output="next_state", axis=1)
    size = step.offset.size
    y = graph("Gather", q, np.arange(size - step.n_outputs, size), axis=1)
    if step.bounds is not None:
        low, high = step.bounds
        y = graph("Min", graph("Max", y, low), high)
    graph("Identity", y, output="y")
    return graph.model(
        "model",
        {"u": step.n_inputs, "state": step.n_states},
        {"y": step.n_outputs, "next_state": step.n_states},
        f"One sample of a {step.kind}: {describe_size(step)}",
        {
            "input_names": step.input_names,
            "output_names": step.output_names,
            "state_names": step.state_names,
            "initial_state": step.initial_state.tolist(),
            "sampling_time": step.sampling_time,
        },
    )
