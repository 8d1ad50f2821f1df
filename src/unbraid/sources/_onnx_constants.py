"""Constants of an ONNX graph worked out beforehand, as long as they stay small."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import InvalidFile
from ._onnx_graph import BINARY, COMPARISONS, UNARY, TooLarge

MOST = 1 << 23  # numbers that all constants may have, beyond the weights in the file
Feeds = list[Any]


def folded(model: Any) -> tuple[dict[str, Any], list[Any]]:
    """Constants of the graph, those computed from constants included, and the nodes left."""
    from onnx.reference import ReferenceEvaluator

    opsets = {entry.domain: entry.version for entry in model.opset_import}
    constants = {tensor.name: initial(tensor) for tensor in model.graph.initializer}
    nodes, room = [], float(MOST)
    for node in model.graph.node:
        known = all(name in constants for name in node.input if name)
        size = _size(node, constants) if known else np.inf
        if room < size < np.inf and node.op_type not in LOOSE:
            raise InvalidFile(
                f"the ONNX model cannot be run: {node.op_type} makes a constant of {size} numbers, "
                f"more than can be held"
            )
        if size > room:
            nodes.append(node)
            continue
        room -= max(size, 0)
        feeds = {name: constants[name] for name in node.input if name}
        try:
            outcome = ReferenceEvaluator(node, opsets=opsets).run(None, feeds)
            constants.update(zip(node.output, map(_double, outcome), strict=True))
        except Exception:  # the node is left to whoever runs the graph, to complain of
            nodes.append(node)
    return constants, nodes


def initial(tensor: Any) -> Any:
    """The numbers of a weight, or InvalidFile where they are not as many as it says."""
    from onnx import numpy_helper

    try:
        if min(tensor.dims, default=0) < 0:
            raise ValueError(f"a negative size, {list(tensor.dims)}")
        return _double(numpy_helper.to_array(tensor))
    except Exception as error:
        raise InvalidFile(
            f"the ONNX model is damaged: its weight {tensor.name!r} cannot be read ({error})"
        ) from None


def _double(array: Any) -> Any:
    return array.astype(float) if array.dtype.kind == "f" else array


def _size(node: Any, constants: Mapping[str, Any]) -> float:
    """At most so many numbers come out of a node on constants; infinite where nobody knows."""
    size = SIZES.get(node.op_type)
    if size is None or node.domain not in ("", "ai.onnx"):
        return np.inf
    try:
        return size([np.asarray(constants[name]) for name in node.input if name])
    except (ValueError, IndexError, TypeError, OverflowError, ArithmeticError):
        return np.inf


def _broadcast(feeds: Feeds) -> int:
    return math.prod(np.broadcast_shapes(*(feed.shape for feed in feeds)))


def _expanded(feeds: Feeds) -> int:
    return math.prod(np.broadcast_shapes(feeds[0].shape, tuple(map(int, feeds[1]))))


KEEPING = """Identity Cast CastLike Concat Constant Flatten Reshape Shape Size Slice Split Squeeze
Transpose Unsqueeze Not Softmax Dropout ReduceSum ReduceMean ReduceProd ReduceMax ReduceMin"""
AXES = 64  # a shape has an entry an axis
SIZES: dict[str, Callable[[Feeds], int]] = {  # at most so many numbers come out
    **dict.fromkeys((*UNARY, *BINARY, *COMPARISONS, "Where", "Mod"), _broadcast),
    **dict.fromkeys(KEEPING.split(), lambda feeds: sum(feed.size for feed in feeds) + AXES),
    "ConstantOfShape": lambda feeds: math.prod(map(int, feeds[0])),
    "Expand": _expanded,
    "Tile": lambda feeds: feeds[0].size * math.prod(map(int, feeds[1])),
    "Gather": lambda feeds: feeds[0].size * feeds[1].size,
    "Range": lambda feeds: int((float(feeds[1]) - float(feeds[0])) / float(feeds[2])) + 1,
    "MatMul": lambda feeds: feeds[0].size * feeds[1].size,
    "Gemm": lambda feeds: feeds[0].size * feeds[1].size,
}
LOOSE = ("Gather", "Gemm", "MatMul")  # whose sizes are guessed generously
GROWING = {"ConstantOfShape": 0, "Expand": 1, "Tile": 1}  # which of their inputs is a shape


def check_growth(nodes: list[Any], constants: Mapping[str, Any]) -> None:
    """Refuse nodes that would blow their input up."""
    for node in nodes:
        place = GROWING.get(node.op_type, len(node.input))
        if place < len(node.input) and node.input[place] in constants:
            shape = [int(size) for size in np.ravel(constants[node.input[place]])]
            if math.prod(map(abs, shape)) > MOST:
                raise TooLarge(f"{node.op_type} makes a tensor of the shape {shape}")
