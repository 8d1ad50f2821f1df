"""Graphs of plain ONNX operators: branches, and what sums them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bases._piecewise import Pieces
from ._formula import Bumps, Formula, FunctionFormula, Harmonics, Legendre
from ._support import check_float32_range

if TYPE_CHECKING:
    from onnx import ModelProto

OPSET, IR_VERSION = 17, 8
LAST_AXIS = np.array([-1])


class GraphBuilder:
    """Builder of an ONNX graph: it collects nodes and constants.

    A call adds a node and returns the name of its output.
    """

    def __init__(self, onnx: Any, dtype: str) -> None:
        self.onnx, self.dtype = onnx, dtype
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def __call__(
        self, operator: str, *inputs: Any, output: str | None = None, **options: Any
    ) -> str:
        names = [value if isinstance(value, str) else self._constant(value) for value in inputs]
        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, names, [output], **options))
        return output

    def _constant(self, value: Any) -> str:
        array = np.asarray(value)
        if array.dtype.kind == "f":
            if self.dtype == "float32":
                check_float32_range(array)
            array = array.astype(self.dtype)
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def model(
        self,
        name: str,
        inputs: Mapping[str, int],
        outputs: Mapping[str, int],
        description: str,
        metadata: Mapping[str, Any],
    ) -> ModelProto:
        """Return the checked model; inputs and outputs have a number of columns each."""
        helper = self.onnx.helper
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))
        ends = [
            [helper.make_tensor_value_info(key, kind, ["N", size]) for key, size in sizes.items()]
            for sizes in (inputs, outputs)
        ]
        model: ModelProto = helper.make_model(
            helper.make_graph(self.nodes, name, *ends, self.constants),
            producer_name="unbraid",
            doc_string=description,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
        )
        known = {key: json.dumps(value) for key, value in metadata.items() if value is not None}
        helper.set_model_props(model, known)
        self.onnx.checker.check_model(model)
        return model


def add_function(graph: GraphBuilder, p: str, formula: FunctionFormula) -> Any:
    """Add a function at rows of points; return the name of its values."""
    total: Any = formula.offset
    if formula.linear is not None:
        total = graph("Add", graph("MatMul", p, formula.linear.T), total)
    for columns, bank in _group_branches(formula.branches):
        z = graph("MatMul", p, formula.V[:, columns])
        g = _add_branches(graph, z, bank)
        total = graph("Add", graph("MatMul", g, formula.W[:, columns].T), total)
    return total


def _group_branches(branches: Sequence[Formula]) -> list[tuple[list[int], list[Formula]]]:
    """Return branches of the same kind together, with their columns in V and W."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for column, formula in enumerate(branches):
        groups[type(formula.curve), formula.tails is None, formula.bounds is None].append(column)
    return [(columns, [branches[c] for c in columns]) for columns in groups.values()]


def _add_branches(graph: GraphBuilder, z: str, bank: Sequence[Formula]) -> str:
    """Add branches of the same kind, one per column of z."""
    curves: list[Any] = [formula.curve for formula in bank]
    add_curves = _add_pieces if isinstance(curves[0], Pieces) else _add_smooth
    tails = [formula.tails for formula in bank if formula.tails is not None]
    bounds = [formula.bounds for formula in bank if formula.bounds is not None]
    if tails:
        low, high, low_slope, high_slope = np.array(
            [(t.low, t.high, t.low_slope, t.high_slope) for t in tails]
        ).T
        inside = graph("Min", graph("Max", z, low), high)
        beyond = graph("Sub", z, inside)
        slope = graph("Where", graph("Less", z, low), low_slope, high_slope)
        return graph("Add", add_curves(graph, inside, curves), graph("Mul", slope, beyond))
    g = add_curves(graph, z, curves)
    if bounds:
        low, high = np.array(bounds).T
        outside = graph("Or", graph("Less", z, low), graph("Greater", z, high))
        return graph("Where", outside, np.float64(np.nan), g)
    return g


def _add_pieces(graph: GraphBuilder, z: str, curves: Sequence[Pieces]) -> str:
    """Count the inner breaks below z to find the piece; evaluate it by Horner's rule."""
    width = max(curve.coefficients.shape[1] for curve in curves)
    degree = max(curve.degree for curve in curves)
    ends = np.full((len(curves), width), np.inf)
    starts = np.zeros((len(curves), width))
    table = np.zeros((degree + 1, len(curves), width))
    for i, curve in enumerate(curves):
        count = curve.coefficients.shape[1]
        ends[i, : count - 1] = curve.breaks[1:-1]
        starts[i, :count] = curve.breaks[:-1]
        table[degree - curve.degree :, i, :count] = curve.coefficients
    passed = graph("GreaterOrEqual", graph("Unsqueeze", z, LAST_AXIS), ends)
    passed = graph("Cast", passed, to=graph.onnx.TensorProto.INT64)
    piece = graph("ReduceSum", passed, LAST_AXIS, keepdims=0)
    piece = graph("Add", piece, width * np.arange(len(curves)))
    x = graph("Sub", z, graph("Gather", starts.ravel(), piece))
    g = graph("Gather", table[0].ravel(), piece)
    for row in table[1:]:
        g = graph("Add", graph("Mul", g, x), graph("Gather", row.ravel(), piece))
    return g


def _add_smooth(graph: GraphBuilder, z: str, curves: Sequence[Any]) -> str:
    low, rate = np.array([(curve.low, curve.rate) for curve in curves]).T
    t = graph("Sub", graph("Mul", graph("Sub", z, low), rate), np.float64(1.0))
    add = {Legendre: _add_legendre, Harmonics: _add_harmonics, Bumps: _add_bumps}
    return add[type(curves[0])](graph, t, curves)


def _add_legendre(graph: GraphBuilder, t: str, curves: Sequence[Any]) -> str:
    """Apply P_(k+1) = ((2k + 1) t P_k - k P_(k-1)) / (k + 1)."""
    coefficients = _stack(curves, "coefficients")
    below: Any = np.float64(1.0)
    current = t
    g = graph("Mul", current, coefficients[:, 0])
    for k in range(1, coefficients.shape[1]):
        rising = graph("Mul", graph("Mul", t, current), np.float64((2 * k + 1) / (k + 1)))
        falling = graph("Mul", below, np.float64(k / (k + 1)))
        below, current = current, graph("Sub", rising, falling)
        g = graph("Add", g, graph("Mul", current, coefficients[:, k]))
    return g


def _add_harmonics(graph: GraphBuilder, t: str, curves: Sequence[Any]) -> str:
    """Add straight lines plus sines and cosines; cosines become shifted sines.

    Runtimes lack Cos in double precision more often than Sin.
    """
    frequencies = np.tile(_stack(curves, "frequencies"), 2)
    sines, cosines = _stack(curves, "sines"), _stack(curves, "cosines")
    shift = np.repeat([0.0, 0.5 * np.pi], sines.shape[1])
    phase = graph("Mul", graph("Unsqueeze", t, LAST_AXIS), frequencies)
    waves = graph("Sin", graph("Add", phase, shift))
    waves = graph("Mul", waves, np.hstack([sines, cosines]))
    line = graph("Mul", t, np.array([curve.line for curve in curves]))
    return graph("Add", line, graph("ReduceSum", waves, LAST_AXIS, keepdims=0))


def _add_bumps(graph: GraphBuilder, t: str, curves: Sequence[Any]) -> str:
    rate = np.array([[1.0 / curve.width] for curve in curves])
    x = graph("Sub", graph("Unsqueeze", t, LAST_AXIS), _stack(curves, "centres"))
    x = graph("Mul", x, rate)
    bumps = graph("Exp", graph("Mul", graph("Mul", x, x), np.float64(-0.5)))
    bumps = graph("Mul", bumps, _stack(curves, "heights"))
    return graph("ReduceSum", bumps, LAST_AXIS, keepdims=0)


def _stack(curves: Sequence[Any], name: str) -> Any:
    """Return one row of parameters per curve, padded with zeros."""
    rows = [getattr(curve, name) for curve in curves]
    return np.array(list(zip_longest(*rows, fillvalue=0.0))).T
