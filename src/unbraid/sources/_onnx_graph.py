"""ONNX models of supported operators, evaluated in double precision with exact Jacobians."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidSamplesError, SamplingError
from ._batches import map_batches
from ._onnx_constants import MAX_CONSTANT_ENTRIES, fold_constants
from ._onnx_duals import (
    MAX_TENSOR_ENTRIES,
    Dual,
    TensorTooLargeError,
    UnsupportedOperatorError,
    count_layers,
    make_dual,
)
from ._onnx_rules import OPERATOR_RULES

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
        if self.width not in (None, table.shape[1]):
            raise InvalidSamplesError(
                f"points has {table.shape[1]} columns but the ONNX model takes {self.width} inputs"
            )
        return table


class OnnxGraph:
    """A graph of supported operators, in double precision, with exact Jacobians."""

    source = "exact, from the graph"

    def __init__(self, model: Any, tensor: InputTensor) -> None:
        self.model, self.tensor = model, tensor
        self.constants, self.nodes = fold_constants(model)
        self.entries_per_point = 1  # of the largest tensor

    def works(self) -> bool:
        """Return whether all operators are supported and rows stay apart, tried on two points."""
        if self.tensor.width is None or not all(map(has_rule, self.nodes)):
            return False
        try:
            result = self._walk(np.zeros((2, self.tensor.width)), with_slopes=True)
        except TensorTooLargeError as error:
            raise SamplingError(f"the ONNX model cannot be run: {error}") from None
        except Exception:
            return False
        return result.value.ndim in (1, 2) and len(result.value) == 2

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
