"""ONNX models run by onnxruntime or by onnx itself, in their own precision."""

from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from .._util.validation import count_noun
from ..errors import InvalidSamplesError, SamplingError
from ._batches import ROWS_PER_BATCH, map_batches
from ._evaluator import MAX_REASON_LENGTH
from ._onnx_constants import MAX_CONSTANT_ENTRIES, check_growth
from ._onnx_duals import TensorTooLargeError
from ._onnx_graph import FLOAT_TYPES, InputTensor, OnnxGraph, as_columns, has_rule

LOOPS = ("Loop", "Scan")  # operators that may never end
MAX_LISTED_OPERATORS = 12  # operators that a message lists


@dataclass(frozen=True, eq=False)
class OnnxRun:
    """A model run as it is, in its own precision, without Jacobians."""

    run: Callable[[Any], Any]
    tensor: InputTensor

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        table = self.tensor.check_points(points).astype(FLOAT_TYPES[self.tensor.type])
        if not self.tensor.batched:
            return np.stack([np.ravel(self.run(point)) for point in table])
        return map_batches(self._run_batch, table, self.tensor.shape[0] or ROWS_PER_BATCH)

    def _run_batch(self, batch: Any) -> Any:
        """Values of a batch, which is filled up to the size that the graph may require."""
        size = self.tensor.shape[0] or len(batch)
        filled = np.concatenate([batch, np.repeat(batch[-1:], size - len(batch), axis=0)])
        found = np.asarray(self.run(filled))
        if size == 1 and found.ndim < 2:  # a squeezed graph drops the axis of a single point
            found = found.reshape(1, -1)
        if found.ndim == 0 or len(found) != size:
            raise InvalidSamplesError(
                f"the ONNX model makes a tensor of the shape {found.shape} of "
                f"{count_noun(size, 'point')}: it must return one row per point"
            )
        return as_columns(found)[: len(batch)]


def wrap_session(session: Any, tensor: InputTensor) -> OnnxRun:
    """Wrap a session of onnxruntime, or an evaluator of onnx."""
    return OnnxRun(lambda points: session.run(None, {tensor.name: points})[0], tensor)


def make_session(model: Any) -> Any:
    """Make a session of onnxruntime where it is installed, else an evaluator of onnx."""
    try:
        return _make_session(model)
    except Exception as error:
        unknown = sorted({str(node.op_type) for node in model.graph.node if not has_rule(node)})
        raise SamplingError(
            f"the ONNX model cannot be run; operators that unbraid does not know: "
            f"{', '.join(unknown[:MAX_LISTED_OPERATORS]) or 'none'} "
            f"({str(error)[:MAX_REASON_LENGTH]})"
        ) from error


def _make_session(model: Any) -> Any:
    try:
        import onnxruntime
    except ImportError:
        from onnx.reference import ReferenceEvaluator

        return ReferenceEvaluator(model)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    with redirect_stdout(StringIO()):  # it prints what it raises as well
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )


def check_can_run(model: Any, graph: OnnxGraph) -> None:
    """Refuse a model that would exhaust memory or never end."""
    tensor = graph.tensor
    try:
        check_growth(graph.nodes, graph.constants)
    except TensorTooLargeError as error:
        raise SamplingError(
            f"the ONNX model cannot be run: {error}, more than can be held"
        ) from None
    loops = sorted({node.op_type for node in _list_nodes(model.graph)}.intersection(LOOPS))
    if loops:
        raise SamplingError(
            f"the ONNX model has loops ({', '.join(loops)}), which may never end: pass a "
            f"callable that takes points (N, m), runs the model and returns one table"
        )
    rows, width = tensor.shape[0] or 1, tensor.width or 1
    if tensor.batched and rows * width > MAX_CONSTANT_ENTRIES:
        raise SamplingError(
            f"the ONNX model takes {rows} points of {width} inputs at a time, more than can be "
            f"held: export it with a batch of any size"
        )


def _list_nodes(graph: Any) -> list[Any]:
    """The nodes of a graph and of the graphs inside them."""
    found, graphs = [], [graph]
    while graphs:
        nodes = graphs.pop().node
        found += nodes
        inner = (a for node in nodes for a in node.attribute)
        graphs += [g for a in inner for g in (*([a.g] if a.HasField("g") else []), *a.graphs)]
    return found
