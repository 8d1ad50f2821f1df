"""Constants of an ONNX graph, computed in advance as long as they stay small."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import InvalidFileError
from ._onnx_duals import ELEMENTWISE_RULES, TensorTooLargeError

MAX_CONSTANT_ENTRIES = 1 << 23  # entries of all constants, beyond the weights in the file


def fold_constants(model: Any) -> tuple[dict[str, Any], list[Any]]:
    """The constants of the graph, those computed from constants included, and the other nodes."""
    from onnx.reference import ReferenceEvaluator

    opsets = {entry.domain: entry.version for entry in model.opset_import}
    constants = {tensor.name: _read_weight(tensor) for tensor in model.graph.initializer}
    nodes, room = [], float(MAX_CONSTANT_ENTRIES)
    for node in model.graph.node:
        known = all(name in constants for name in node.input if name)
        size = _bound_size(node, constants) if known else np.inf
        if room < size < np.inf and node.op_type not in ROUGHLY_BOUNDED:
            raise InvalidFileError(
                f"the ONNX model cannot be run: {node.op_type} makes a constant of {size} numbers, "
                f"more than can be held"
            )
        if size > room:
            nodes.append(node)
            continue
        room -= max(size, 0)
        feeds = {name: constants[name] for name in node.input if name}
        try:
            results = ReferenceEvaluator(node, opsets=opsets).run(None, feeds)
            constants.update(zip(node.output, map(_to_double, results), strict=True))
        except Exception:  # whatever runs the graph will report it
            nodes.append(node)
    return constants, nodes


def _read_weight(tensor: Any) -> Any:
    """The entries of a weight, or InvalidFileError where their number does not fit its shape."""
    from onnx import numpy_helper

    try:
        if min(tensor.dims, default=0) < 0:
            raise ValueError(f"a negative size, {list(tensor.dims)}")
        return _to_double(numpy_helper.to_array(tensor))
    except Exception as error:
        raise InvalidFileError(
            f"the ONNX model is damaged: its weight {tensor.name!r} cannot be read ({error})"
        ) from None


def _to_double(array: Any) -> Any:
    return array.astype(float) if array.dtype.kind == "f" else array


def _bound_size(node: Any, constants: Mapping[str, Any]) -> float:
    """An upper bound of the entries that a node makes of constants; infinite if unknown."""
    bound = SIZE_BOUNDS.get(node.op_type)
    if bound is None or node.domain not in ("", "ai.onnx"):
        return np.inf
    try:
        return bound([np.asarray(constants[name]) for name in node.input if name])
    except (ValueError, IndexError, TypeError, OverflowError, ArithmeticError):
        return np.inf


def _bound_broadcast(feeds: list[Any]) -> int:
    return math.prod(np.broadcast_shapes(*(feed.shape for feed in feeds)))


def _bound_expand(feeds: list[Any]) -> int:
    return math.prod(np.broadcast_shapes(feeds[0].shape, tuple(map(int, feeds[1]))))


KEEPING = """Identity Cast CastLike Concat Constant Flatten Reshape Shape Size Slice Split Squeeze
Transpose Unsqueeze Not Softmax Dropout ReduceSum ReduceMean ReduceProd ReduceMax ReduceMin"""
MAX_RANK = 64  # a shape has one entry per axis
SIZE_BOUNDS: dict[str, Callable[[list[Any]], int]] = {  # entries that come out, at most
    **dict.fromkeys((*ELEMENTWISE_RULES, "Mod"), _bound_broadcast),
    **dict.fromkeys(KEEPING.split(), lambda feeds: sum(feed.size for feed in feeds) + MAX_RANK),
    "ConstantOfShape": lambda feeds: math.prod(map(int, feeds[0])),
    "Expand": _bound_expand,
    "Tile": lambda feeds: feeds[0].size * math.prod(map(int, feeds[1])),
    "Gather": lambda feeds: feeds[0].size * feeds[1].size,
    "Range": lambda feeds: int((float(feeds[1]) - float(feeds[0])) / float(feeds[2])) + 1,
    "MatMul": lambda feeds: feeds[0].size * feeds[1].size,
    "Gemm": lambda feeds: feeds[0].size * feeds[1].size,
}
ROUGHLY_BOUNDED = ("Gather", "Gemm", "MatMul")  # operators whose bounds are far too large
SHAPE_INPUTS = {"ConstantOfShape": 0, "Expand": 1, "Tile": 1}  # which of their inputs is a shape


def check_growth(nodes: list[Any], constants: Mapping[str, Any]) -> None:
    """Refuse nodes that would expand their input beyond memory."""
    for node in nodes:
        place = SHAPE_INPUTS.get(node.op_type, len(node.input))
        if place < len(node.input) and node.input[place] in constants:
            shape = [int(size) for size in np.ravel(constants[node.input[place]])]
            if math.prod(map(abs, shape)) > MAX_CONSTANT_ENTRIES:
                raise TensorTooLargeError(f"{node.op_type} makes a tensor of the shape {shape}")
