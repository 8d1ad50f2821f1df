"""ONNX models of supported operators, in double precision with exact Jacobians."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidFileError, SamplingError
from ._batches import check_width, map_batches
from ._onnx_duals import (
    ELEMENTWISE_RULES,
    MAX_TENSOR_ENTRIES,
    Dual,
    TensorTooLargeError,
    UnsupportedOperatorError,
    count_layers,
    make_dual,
)
from ._onnx_rules import OPERATOR_RULES

MAX_CONSTANT_ENTRIES = 1 << 23  # entries of all constants, beyond the weights in the file
FLOAT_TYPES = {1: np.float32, 10: np.float16, 11: np.float64}  # by ONNX's numbers of types


@dataclass(frozen=True)
class InputTensor:
    """The input of a graph. Sizes that the model leaves open are None."""

    name: str
    type: int
    shape: tuple[int | None, ...]

    def __post_init__(self) -> None:
        if any(size is not None and not 0 < size <= MAX_CONSTANT_ENTRIES for size in self.shape):
            raise SamplingError(
                f"the ONNX model's input {self.name!r} has the sizes {self.shape}: export it with "
                f"sizes (points, inputs) greater than 0 that fit into memory"
            )
        if self.type not in FLOAT_TYPES:
            raise SamplingError(
                f"the ONNX model's input {self.name!r} takes no real numbers (type {self.type}), "
                f"so it has no derivative"
            )
        if len(self.shape) not in (1, 2):
            raise SamplingError(
                f"the ONNX model's input {self.name!r} has {len(self.shape)} axes where (points, "
                f"inputs) are needed; pass a callable that reshapes points and runs the model"
            )

    @property
    def batched(self) -> bool:
        return len(self.shape) == 2

    @property
    def width(self) -> int | None:
        return self.shape[-1]

    def check_points(self, points: Any) -> Array:
        """Points as a table with as many columns as the model has inputs."""
        table = np.array(points, dtype=float, ndmin=2)
        return check_width(table, self.width, f"the ONNX model takes {self.width} inputs")


class OnnxGraph:
    """A graph of supported operators, in double precision, with exact Jacobians."""

    source = "exact, from the graph"

    def __init__(self, model: Any, tensor: InputTensor) -> None:
        self.model, self.tensor = model, tensor
        self.constants, self.nodes = _fold_constants(model)
        self.entries_per_point = 1  # of the largest tensor

    def works(self) -> bool:
        """Return whether all operators are supported and two test rows do not mix."""
        if self.tensor.width is None or not all(map(has_rule, self.nodes)):
            return False
        try:
            result = self._walk(np.zeros((2, self.tensor.width)), with_slopes=True)
        except TensorTooLargeError as error:
            raise SamplingError(f"the ONNX model cannot be run: {error}") from None
        except Exception:
            return False
        return result.value.ndim in (1, 2) and len(result.value) == 2

    def check_growth(self) -> None:
        """Refuse nodes that would expand their input beyond memory."""
        for node in self.nodes:
            place = SHAPE_INPUTS.get(node.op_type, len(node.input))
            if place < len(node.input) and node.input[place] in self.constants:
                shape = [int(size) for size in np.ravel(self.constants[node.input[place]])]
                if math.prod(map(abs, shape)) > MAX_CONSTANT_ENTRIES:
                    raise SamplingError(
                        f"the ONNX model cannot be run: {node.op_type} makes a tensor of the shape "
                        f"{shape}, more than can be held"
                    )

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return self._map(points, lambda batch: as_columns(self._walk(batch, False).value))

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m)."""

        def differentiate(batch: Array) -> Array:
            result = self._walk(batch, with_slopes=True)
            table = as_columns(result.value)
            if result.slope is None:
                return np.zeros((*table.shape, batch.shape[1]))
            return np.moveaxis(result.slope.reshape(-1, *table.shape), 0, 2)

        return self._map(points, differentiate)

    def _map(self, points: Any, function: Any) -> Any:
        """Call a function on batches for which the largest tensor fits into memory."""
        rows = max(1, MAX_TENSOR_ENTRIES // self.entries_per_point)
        return map_batches(function, self.tensor.check_points(points), rows)

    def _walk(self, points: Array, with_slopes: bool) -> Dual:
        tensors = {**self.constants, "": None, self.tensor.name: make_dual(points, with_slopes)}
        with np.errstate(all="ignore"):  # values that are not finite are reported with their points
            for node in self.nodes:
                arguments = [tensors[name] for name in node.input]
                made = OPERATOR_RULES[node.op_type](_read_attributes(node), *arguments)
                tensors[node.output[0]] = made
                entries = made.value.size * count_layers(made) // max(len(points), 1)
                self.entries_per_point = max(self.entries_per_point, entries)
        result = tensors[self.model.graph.output[0].name]
        if not isinstance(result, Dual):
            raise UnsupportedOperatorError
        return result


def has_rule(node: Any) -> bool:
    """Return whether a node can be evaluated with derivatives."""
    extra = node.output[1:] if node.op_type != "Dropout" else []
    return node.domain in ("", "ai.onnx") and node.op_type in OPERATOR_RULES and not any(extra)


def _read_attributes(node: Any) -> dict[str, Any]:
    from onnx.helper import get_attribute_value

    return {attribute.name: get_attribute_value(attribute) for attribute in node.attribute}


def as_columns(values: Any) -> Any:
    """Values (N, n); a vector is one column."""
    return values[:, None] if values.ndim == 1 else values


def _fold_constants(model: Any) -> tuple[dict[str, Any], list[Any]]:
    """The constants of the graph, given or computed, and the remaining nodes."""
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
    """The entries of a weight, or InvalidFileError if they do not fit its shape."""
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
    """Upper bound of the size of a constant that a node makes; infinite if unknown."""
    bound = SIZE_BOUNDS.get(node.op_type)
    if bound is None or node.domain not in ("", "ai.onnx"):
        return np.inf
    try:
        return bound([np.asarray(constants[name]) for name in node.input if name])
    except (ValueError, IndexError, TypeError, OverflowError, ArithmeticError):
        return np.inf


def _bound_broadcast(*shapes: Any) -> int:
    return math.prod(np.broadcast_shapes(*(tuple(map(int, shape)) for shape in shapes)))


KEEPING = """Identity Cast CastLike Concat Constant Flatten Reshape Shape Size Slice Split Squeeze
Transpose Unsqueeze Not Softmax Dropout ReduceSum ReduceMean ReduceProd ReduceMax ReduceMin"""
ROUGHLY_BOUNDED = ("Gather", "Gemm", "MatMul")  # operators whose bounds are far too large
MAX_RANK = 64  # a shape has one entry per axis
SIZE_BOUNDS: dict[str, Callable[[list[Any]], int]] = {  # entries that come out, at most
    **dict.fromkeys(
        (*ELEMENTWISE_RULES, "Mod"), lambda feeds: _bound_broadcast(*(feed.shape for feed in feeds))
    ),
    **dict.fromkeys(KEEPING.split(), lambda feeds: sum(feed.size for feed in feeds) + MAX_RANK),
    "ConstantOfShape": lambda feeds: math.prod(map(int, feeds[0])),
    "Expand": lambda feeds: _bound_broadcast(feeds[0].shape, feeds[1]),
    "Tile": lambda feeds: feeds[0].size * math.prod(map(int, feeds[1])),
    "Range": lambda feeds: int((float(feeds[1]) - float(feeds[0])) / float(feeds[2])) + 1,
    **dict.fromkeys(ROUGHLY_BOUNDED, lambda feeds: feeds[0].size * feeds[1].size),
}
SHAPE_INPUTS = {"ConstantOfShape": 0, "Expand": 1, "Tile": 1}  # which of their inputs is a shape
