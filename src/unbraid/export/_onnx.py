"""Decoupled functions as ONNX models: a dozen plain operators, no framework."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bases._piecewise import Pieces
from ..errors import InvalidOption
from ..model._function import DecoupledFunction
from ._formula import Bumps, Formula, Harmonics, Legendre, formulas
from ._support import check_function, check_single, load_extra, write_file

if TYPE_CHECKING:
    from onnx import ModelProto

OPSET, IR_VERSION = 17, 8
DTYPES = ("float64", "float32")


def to_onnx(
    d: DecoupledFunction, path: str | Path | None = None, dtype: str = "float64"
) -> ModelProto:
    """A decoupled function as an ONNX model from ``p`` (N, m) to ``f`` (N, n).

    Parameters
    ----------
    d : DecoupledFunction
    path : str or Path, optional
        Also write the model there.
    dtype : {"float64", "float32"}
        Of the inputs, the outputs and all that is in between.

    Examples
    --------
    >>> import unbraid
    >>> from unbraid.export import to_onnx
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, n_branches=2,
    ...                      basis=unbraid.Polynomial(2), random_state=0)
    >>> model = to_onnx(d)
    >>> model.graph.input[0].name, model.graph.output[0].name
    ('p', 'f')
    """
    check_function(d)
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise InvalidOption(f"dtype is {dtype!r}: choose 'float64' or 'float32'")
    onnx = load_extra("onnx")
    graph = _Graph(onnx, dtype)
    total: Any = d.offset
    for columns, bank in _banks(formulas(d)):
        z = graph("MatMul", "p", d.V[:, columns])
        g = _branches(graph, z, bank)
        total = graph("Add", graph("MatMul", g, d.W[:, columns].T), total)
    graph("Identity", total, output="f")
    model = graph.model(d)
    write_file(path, model.SerializeToString())
    return model


class _Graph:
    """Nodes and constants as they are added; calling it adds a node and names its output."""

    def __init__(self, onnx: Any, dtype: str) -> None:
        self.onnx = onnx
        self.dtype = dtype
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
                check_single(array)
            array = array.astype(self.dtype)
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def model(self, d: DecoupledFunction) -> ModelProto:
        """All of it, checked."""
        helper = self.onnx.helper
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))
        graph = helper.make_graph(
            self.nodes,
            "decoupled",
            [helper.make_tensor_value_info("p", kind, ["N", d.n_inputs])],
            [helper.make_tensor_value_info("f", kind, ["N", d.n_outputs])],
            self.constants,
        )
        model: ModelProto = helper.make_model(
            graph,
            producer_name="unbraid",
            doc_string="f(p) = W g(V' p) + offset, every g_i a function of one variable",
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
        )
        self.onnx.checker.check_model(model)
        return model


def _banks(branches: Sequence[Formula]) -> list[tuple[list[int], list[Formula]]]:
    """Branches that are computed alike, and their columns in V and W."""
    alike: dict[Any, list[int]] = defaultdict(list)
    for column, formula in enumerate(branches):
        alike[type(formula.curve), formula.tails is None, formula.bounds is None].append(column)
    return [(columns, [branches[c] for c in columns]) for columns in alike.values()]


def _branches(graph: _Graph, z: str, bank: Sequence[Formula]) -> str:
    """The values of a bank, a column of z each."""
    curves: list[Any] = [formula.curve for formula in bank]
    tails = [formula.tails for formula in bank if formula.tails is not None]
    bounds = [formula.bounds for formula in bank if formula.bounds is not None]
    if tails:
        low, high, low_slope, high_slope = np.array(
            [(t.low, t.high, t.low_slope, t.high_slope) for t in tails]
        ).T
        inside = graph("Min", graph("Max", z, low), high)
        beyond = graph("Sub", z, inside)
        slope = graph("Where", graph("Less", z, low), low_slope, high_slope)
        return graph("Add", _curves(graph, inside, curves), graph("Mul", slope, beyond))
    g = _curves(graph, z, curves)
    if bounds:
        low, high = np.array(bounds).T
        outside = graph("Or", graph("Less", z, low), graph("Greater", z, high))
        return graph("Where", outside, np.float64(np.nan), g)
    return g


def _curves(graph: _Graph, z: str, curves: Sequence[Any]) -> str:
    if isinstance(curves[0], Pieces):
        return _pieces(graph, z, curves)
    low = np.array([curve.low for curve in curves])
    rate = np.array([curve.rate for curve in curves])
    t = graph("Sub", graph("Mul", graph("Sub", z, low), rate), np.float64(1.0))
    if isinstance(curves[0], Legendre):
        return _legendre(graph, t, curves)
    if isinstance(curves[0], Harmonics):
        return _harmonics(graph, t, curves)
    return _bumps(graph, t, curves)


def _pieces(graph: _Graph, z: str, curves: Sequence[Pieces]) -> str:
    """The piece is the number of inner breaks passed; its polynomial by Horner's rule."""
    most = max(curve.coefficients.shape[1] for curve in curves)
    degree = max(curve.degree for curve in curves)
    ends = np.full((len(curves), most), np.inf)
    starts = np.zeros((len(curves), most))
    table = np.zeros((degree + 1, len(curves), most))
    for i, curve in enumerate(curves):
        count = curve.coefficients.shape[1]
        ends[i, : count - 1] = curve.breaks[1:-1]
        starts[i, :count] = curve.breaks[:-1]
        table[degree - curve.degree :, i, :count] = curve.coefficients
    passed = graph("GreaterOrEqual", _column(graph, z), ends)
    passed = graph("Cast", passed, to=graph.onnx.TensorProto.INT64)
    piece = graph("ReduceSum", passed, np.array([-1]), keepdims=0)
    piece = graph("Add", piece, most * np.arange(len(curves)))
    x = graph("Sub", z, graph("Gather", starts.ravel(), piece))
    g = graph("Gather", table[0].ravel(), piece)
    for row in table[1:]:
        g = graph("Add", graph("Mul", g, x), graph("Gather", row.ravel(), piece))
    return g


def _legendre(graph: _Graph, t: str, curves: Sequence[Legendre]) -> str:
    """P_(k+1) = ((2k + 1) t P_k - k P_(k-1)) / (k + 1)."""
    coefficients = _padded([curve.coefficients for curve in curves])
    below: Any = np.float64(1.0)
    current = t
    g = graph("Mul", current, coefficients[:, 0])
    for k in range(1, coefficients.shape[1]):
        rising = graph("Mul", graph("Mul", t, current), np.float64((2 * k + 1) / (k + 1)))
        falling = graph("Mul", below, np.float64(k / (k + 1)))
        below, current = current, graph("Sub", rising, falling)
        g = graph("Add", g, graph("Mul", current, coefficients[:, k]))
    return g


def _harmonics(graph: _Graph, t: str, curves: Sequence[Harmonics]) -> str:
    """Cosines are sines a quarter turn ahead: runtimes lack Cos in double more often than Sin."""
    frequencies = np.tile(_padded([curve.frequencies for curve in curves]), 2)
    sines = _padded([curve.sines for curve in curves])
    cosines = _padded([curve.cosines for curve in curves])
    turn = np.repeat([0.0, 0.5 * np.pi], sines.shape[1])
    waves = graph("Sin", graph("Add", graph("Mul", _column(graph, t), frequencies), turn))
    waves = graph("Mul", waves, np.hstack([sines, cosines]))
    line = graph("Mul", t, np.array([curve.line for curve in curves]))
    return graph("Add", line, graph("ReduceSum", waves, np.array([-1]), keepdims=0))


def _bumps(graph: _Graph, t: str, curves: Sequence[Bumps]) -> str:
    centres = _padded([curve.centres for curve in curves])
    heights = _padded([curve.heights for curve in curves])
    rate = np.array([[1.0 / curve.width] for curve in curves])
    x = graph("Mul", graph("Sub", _column(graph, t), centres), rate)
    bumps = graph("Exp", graph("Mul", graph("Mul", x, x), np.float64(-0.5)))
    bumps = graph("Mul", bumps, heights)
    return graph("ReduceSum", bumps, np.array([-1]), keepdims=0)


def _column(graph: _Graph, z: str) -> str:
    """(N, r) as (N, r, 1), to meet a row of numbers a branch."""
    return graph("Unsqueeze", z, np.array([-1]))


def _padded(rows: Sequence[Any]) -> Any:
    """Rows of numbers as a table, zeros where one is short."""
    table = np.zeros((len(rows), max(row.size for row in rows)))
    for line, row in zip(table, rows, strict=True):
        line[: row.size] = row
    return table
