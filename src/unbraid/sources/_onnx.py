"""ONNX models: differentiated where every operator is supported, else run as they are."""

import math
from pathlib import Path
from typing import Any

from .._util.documents import read_bytes
from ..errors import InvalidFileError, MissingExtraError, SamplingError
from ._evaluator import MAX_REASON_LENGTH
from ._onnx_graph import FLOAT_TYPES, InputTensor, OnnxGraph
from ._onnx_runtime import OnnxRun, check_can_run, make_session, wrap_session
from ._packages import package_of

TYPE_NUMBERS = {"tensor(float)": 1, "tensor(float16)": 10, "tensor(double)": 11}


def is_onnx(model: Any) -> bool:
    """Return whether it is a path to an .onnx file, a loaded model, or an onnxruntime session.

    >>> is_onnx("model.onnx"), is_onnx("model.pt")
    (True, False)
    """
    if isinstance(model, (str, Path)):
        return Path(model).suffix.lower() == ".onnx"
    kinds = (("onnx", "ModelProto"), ("onnxruntime", "InferenceSession"))
    return (package_of(type(model)), type(model).__name__) in kinds


def wrap_onnx_model(model: Any) -> OnnxGraph | OnnxRun:
    """Wrap a model as a function of arrays, with ``jacobian`` where all operators have rules."""
    if type(model).__name__ == "InferenceSession":
        return wrap_session(model, _read_session_input(model))
    model = _load(model)
    tensor = _read_model_input(model)
    graph = OnnxGraph(model, tensor)
    if tensor.batched and tensor.shape[0] in (None, 1) and graph.works():
        return graph
    check_can_run(model, graph)
    return wrap_session(make_session(model), tensor)


def count_onnx_parameters(model: Any) -> int | None:
    """The number of parameters of a model; None for a session, which does not show them."""
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
