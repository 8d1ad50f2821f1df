"""ONNX models, differentiated if every operator is supported, else only run."""

import math
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from .._util.documents import read_bytes
from .._util.validation import count_noun
from ..errors import InvalidFileError, InvalidSamplesError, MissingExtraError, SamplingError
from ._batches import ROWS_PER_BATCH, map_batches
from ._evaluator import MAX_REASON_LENGTH
from ._onnx_graph import (
    FLOAT_TYPES,
    MAX_CONSTANT_ENTRIES,
    InputTensor,
    OnnxGraph,
    as_columns,
    has_rule,
)
from ._packages import package_of

LOOPS = ("Loop", "Scan")  # operators that may never end
MAX_LISTED_OPERATORS = 12  # operators that a message lists
TYPE_NUMBERS = {"tensor(float)": 1, "tensor(float16)": 10, "tensor(double)": 11}


@dataclass(frozen=True, eq=False)
class OnnxRun:
    """A model run as it is, in its own precision, without Jacobians."""

    session: Any  # of onnxruntime, or an evaluator of onnx
    tensor: InputTensor

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        table = self.tensor.check_points(points).astype(FLOAT_TYPES[self.tensor.type])
        if not self.tensor.batched:
            return np.stack([np.ravel(self._run(point)) for point in table])
        return map_batches(self._run_batch, table, self.tensor.shape[0] or ROWS_PER_BATCH)

    def _run(self, points: Any) -> Any:
        return np.asarray(self.session.run(None, {self.tensor.name: points})[0])

    def _run_batch(self, batch: Any) -> Any:
        """Values of a batch, which is filled up to the size that the graph may require."""
        size = self.tensor.shape[0] or len(batch)
        filled = np.concatenate([batch, np.repeat(batch[-1:], size - len(batch), axis=0)])
        found = self._run(filled)
        if size == 1 and found.ndim < 2:  # a squeezed graph drops the axis of a single point
            found = found.reshape(1, -1)
        if found.ndim == 0 or len(found) != size:
            raise InvalidSamplesError(
                f"the ONNX model makes a tensor of the shape {found.shape} of "
                f"{count_noun(size, 'point')}: it must return one row per point"
            )
        return as_columns(found)[: len(batch)]


def is_onnx(model: Any) -> bool:
    """Return whether it is an .onnx path, a loaded model or an onnxruntime session.

    >>> is_onnx("model.onnx"), is_onnx("model.pt")
    (True, False)
    """
    if isinstance(model, (str, Path)):
        return Path(model).suffix.lower() == ".onnx"
    kinds = (("onnx", "ModelProto"), ("onnxruntime", "InferenceSession"))
    return (package_of(type(model)), type(model).__name__) in kinds


def wrap_onnx_model(model: Any) -> OnnxGraph | OnnxRun:
    """Wrap a model as a function, with ``jacobian`` if all operators have rules."""
    if type(model).__name__ == "InferenceSession":
        return OnnxRun(model, _read_session_input(model))
    model = _load(model)
    tensor = _read_model_input(model)
    graph = OnnxGraph(model, tensor)
    if tensor.batched and tensor.shape[0] in (None, 1) and graph.works():
        return graph
    _check_can_run(model, graph)
    return OnnxRun(_make_session(model), tensor)


def count_onnx_parameters(model: Any) -> int | None:
    """Number of parameters of a model; None for a session, which hides them."""
    if type(model).__name__ == "InferenceSession":
        return None
    weights = (t for t in _load(model).graph.initializer if t.data_type in FLOAT_TYPES)
    return sum(int(math.prod(t.dims)) for t in weights)


def _load(model: Any) -> Any:
    """The model, read from its file where a path is given."""
    if not isinstance(model, (str, Path)):
        return model
    try:
        import onnx
    except ImportError:
        raise MissingExtraError("ONNX models need onnx: pip install 'unbraid[onnx]'") from None
    content = read_bytes(model)
    try:
        found = onnx.load_from_string(content)
        onnx.load_external_data_for_model(found, str(Path(model).absolute().parent))
        if not found.graph.output:
            raise ValueError("it has no outputs")
    except Exception as error:
        reason = str(error)[:MAX_REASON_LENGTH]
        raise InvalidFileError(
            f"{model} is not an ONNX model, or a damaged one: {reason}"
        ) from None
    return found


def _read_model_input(model: Any) -> InputTensor:
    """The single input of a model."""
    graph = model.graph
    weights = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in weights]
    _check_single(inputs, graph.output)
    kind = inputs[0].type.tensor_type
    sizes = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
    shape = tuple(sizes) if kind.HasField("shape") else (None, None)
    return InputTensor(inputs[0].name, kind.elem_type, shape)


def _read_session_input(session: Any) -> InputTensor:
    """The single input of a session of onnxruntime."""
    inputs = session.get_inputs()
    _check_single(inputs, session.get_outputs())
    shape = tuple(size if isinstance(size, int) else None for size in inputs[0].shape)
    return InputTensor(inputs[0].name, TYPE_NUMBERS.get(inputs[0].type, 0), shape)


def _check_single(inputs: Any, outputs: Any) -> None:
    for word, values in (("input", inputs), ("output", outputs)):
        if len(values) != 1:
            listed = ", ".join(repr(value.name) for value in values) or "none"
            raise SamplingError(
                f"the ONNX model has {len(values)} {word}s ({listed}) where one is needed; pass a "
                f"callable that takes points (N, m), runs the model and returns one table"
            )


def _make_session(model: Any) -> Any:
    """Make a session of onnxruntime where it is installed, else an evaluator of onnx."""
    try:
        return _start_session(model)
    except Exception as error:
        unknown = sorted({str(node.op_type) for node in model.graph.node if not has_rule(node)})
        raise SamplingError(
            f"the ONNX model cannot be run; operators that unbraid does not know: "
            f"{', '.join(unknown[:MAX_LISTED_OPERATORS]) or 'none'} "
            f"({str(error)[:MAX_REASON_LENGTH]})"
        ) from error


def _start_session(model: Any) -> Any:
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


def _check_can_run(model: Any, graph: OnnxGraph) -> None:
    """Refuse a model that would exhaust memory or never end."""
    tensor = graph.tensor
    graph.check_growth()
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
