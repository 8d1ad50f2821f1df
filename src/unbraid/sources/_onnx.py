"""ONNX models: walked in double precision where every operator is known, else run as they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.documents import content_of
from .._util.validation import counted
from ..errors import InvalidFile, InvalidSamples, MissingExtra, SamplingError
from ._batches import ROWS, in_batches
from ._onnx_constants import MOST, check_growth, folded
from ._onnx_graph import MOST as MOST_HELD
from ._onnx_graph import Dual, TooLarge, Unsupported, apply, known, layers_of, start

FLOATS = {1: np.float32, 10: np.float16, 11: np.float64}  # types of elements, by ONNX's numbers
NAMES = {"tensor(float)": 1, "tensor(float16)": 10, "tensor(double)": 11}
ENDLESS = ("Loop", "Scan")  # operators that may run for ever
MOST_SHOWN = 300  # letters of what others complain of


def is_onnx(model: Any) -> bool:
    """Is it a path to an .onnx file, a loaded model, or a session of onnxruntime?

    >>> is_onnx("model.onnx"), is_onnx("model.pt")
    (True, False)
    """
    if isinstance(model, (str, Path)):
        return Path(model).suffix.lower() == ".onnx"
    kind = type(model)
    root = str(kind.__module__).split(".")[0]
    return (root, kind.__name__) in (("onnx", "ModelProto"), ("onnxruntime", "InferenceSession"))


def onnx_function(model: Any) -> OnnxGraph | OnnxRun:
    """The model as a function of arrays, with ``jacobian`` where the whole graph is known."""
    if type(model).__name__ == "InferenceSession":
        return _session(model)
    proto = _loaded(model) if isinstance(model, (str, Path)) else model
    tensor = _single_input(proto)
    graph = OnnxGraph(proto, tensor)
    if tensor.batched and tensor.shape[0] in (None, 1) and graph.works():
        return graph
    _check_run(proto, tensor, graph)
    return OnnxRun(_runner(proto, tensor.name), tensor)


def onnx_parameter_count(model: Any) -> int | None:
    """Numbers in the weights of a model; a session does not show them."""
    if type(model).__name__ == "InferenceSession":
        return None
    proto = _loaded(model) if isinstance(model, (str, Path)) else model
    weights = (t for t in proto.graph.initializer if t.data_type in FLOATS)
    return sum(int(math.prod(t.dims)) for t in weights)


def _loaded(path: str | Path) -> Any:
    onnx = _onnx()
    content = content_of(path)
    try:
        model = onnx.load_from_string(content)
        onnx.load_external_data_for_model(model, str(Path(path).absolute().parent))
    except Exception as error:
        said = str(error)[:MOST_SHOWN]
        raise InvalidFile(f"{path} is not an ONNX model, or a damaged one: {said}") from None
    if not model.graph.output:
        raise InvalidFile(f"{path} is not an ONNX model, or a damaged one: it has no outputs")
    return model


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise MissingExtra("ONNX models need onnx: pip install 'unbraid[onnx]'") from None
    return onnx


@dataclass(frozen=True)
class Tensor:
    """The input of a graph: its name, type, and the sizes that are not left open."""

    name: str
    type: int
    shape: tuple[int | None, ...]

    @property
    def batched(self) -> bool:
        return len(self.shape) == 2

    @property
    def width(self) -> int | None:
        return self.shape[-1]

    @property
    def rows(self) -> int:
        """Points at once."""
        return self.shape[0] or ROWS

    def checked(self) -> Tensor:
        if any(size is not None and not 0 < size <= MOST for size in self.shape):
            raise SamplingError(
                f"the ONNX model's input {self.name!r} has the sizes {self.shape}: export it with "
                f"sizes (points, inputs) greater than 0 that fit into memory"
            )
        if self.type not in FLOATS:
            raise SamplingError(
                f"the ONNX model's input {self.name!r} takes no real numbers (type {self.type}), "
                f"so it has no derivative"
            )
        if len(self.shape) not in (1, 2):
            raise SamplingError(
                f"the ONNX model's input {self.name!r} has {len(self.shape)} axes where (points, "
                f"inputs) are needed; pass a callable that reshapes points and runs the model"
            )
        return self

    def table(self, points: Any) -> Array:
        table = np.array(points, dtype=float, ndmin=2)
        if self.width not in (None, table.shape[1]):
            raise InvalidSamples(
                f"points has {table.shape[1]} columns but the ONNX model takes {self.width} inputs"
            )
        return table


def _single_input(model: Any) -> Tensor:
    graph = model.graph
    weights = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in weights]
    _one_each([value.name for value in inputs], [value.name for value in graph.output])
    kind = inputs[0].type.tensor_type
    sizes = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
    shape = tuple(sizes) if kind.HasField("shape") else (None, None)
    return Tensor(inputs[0].name, kind.elem_type, shape).checked()


def _one_each(inputs: list[str], outputs: list[str]) -> None:
    for word, names in (("input", inputs), ("output", outputs)):
        if len(names) != 1:
            listed = ", ".join(map(repr, names)) or "none"
            raise SamplingError(
                f"the ONNX model has {len(names)} {word}s ({listed}) where one is needed; pass a "
                f"callable that takes points (N, m), runs the model and returns one table"
            )


class OnnxGraph:
    """A graph of known operators, in double precision, with exact Jacobians."""

    source = "exact, from the graph"

    def __init__(self, model: Any, tensor: Tensor) -> None:
        self.model, self.tensor = model, tensor
        self.constants, self.nodes = folded(model)
        self.per_point = 1  # numbers of the largest tensor on the way

    def works(self) -> bool:
        """Is every operator known, and does the graph keep points apart? Found on two of them."""
        if self.tensor.width is None or not all(map(_has_rule, self.nodes)):
            return False
        try:
            outcome = self._walk(np.zeros((2, self.tensor.width)), with_slopes=True)
        except TooLarge as error:
            raise SamplingError(f"the ONNX model cannot be run: {error}") from None
        except Exception:
            return False
        return outcome.value.ndim in (1, 2) and len(outcome.value) == 2

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""

        def values(part: Array) -> Any:
            return _columns(self._walk(part, with_slopes=False).value)

        return in_batches(values, self.tensor.table(points), self._rows)

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m)."""

        def slopes(part: Array) -> Array:
            outcome = self._walk(part, with_slopes=True)
            table = _columns(outcome.value)
            if outcome.slope is None:
                return np.zeros((*table.shape, part.shape[1]))
            return np.moveaxis(outcome.slope.reshape(-1, *table.shape), 0, 2)

        return in_batches(slopes, self.tensor.table(points), self._rows)

    @property
    def _rows(self) -> int:
        """Points at once that the largest tensor leaves room for."""
        return max(1, MOST_HELD // self.per_point)

    def _walk(self, points: Array, with_slopes: bool) -> Dual:
        tensors = {**self.constants, "": None, self.tensor.name: start(points, with_slopes)}
        with np.errstate(all="ignore"):  # what is not finite is reported with its points
            for node in self.nodes:
                arguments = [tensors[name] for name in node.input]
                made = apply(node.op_type, _attributes(node), arguments)
                tensors[node.output[0]] = made
                self._note(made, len(points))
        outcome = tensors[self.model.graph.output[0].name]
        if not isinstance(outcome, Dual):
            raise Unsupported
        return outcome

    def _note(self, made: Dual, n_points: int) -> None:
        numbers = made.value.size * layers_of(made) // max(n_points, 1)
        self.per_point = max(self.per_point, numbers)


def _has_rule(node: Any) -> bool:
    extra = node.output[1:] if node.op_type != "Dropout" else []
    return node.domain in ("", "ai.onnx") and known(node.op_type) and not any(extra)


def _attributes(node: Any) -> dict[str, Any]:
    from onnx.helper import get_attribute_value

    return {attribute.name: get_attribute_value(attribute) for attribute in node.attribute}


def _columns(values: Any) -> Any:
    return values[:, None] if values.ndim == 1 else values


@dataclass(frozen=True, eq=False)
class OnnxRun:
    """A model run as it is, in its own precision, without Jacobians."""

    run: Callable[[Any], Any]
    tensor: Tensor

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        table = self.tensor.table(points).astype(FLOATS[self.tensor.type])
        if not self.tensor.batched:
            return np.stack([np.ravel(self.run(point)) for point in table])
        rows = self.tensor.rows
        starts = range(0, len(table), rows)
        return np.concatenate([self._batch(table[k : k + rows]) for k in starts])

    def _batch(self, part: Any) -> Any:
        """A graph of fixed size gets its last batch filled up."""
        size = self.tensor.shape[0] or len(part)
        filled = np.concatenate([part, np.repeat(part[-1:], size - len(part), axis=0)])
        found = np.asarray(self.run(filled))
        if size == 1 and found.ndim < 2:  # a squeezed graph drops the axis of a single point
            found = found.reshape(1, -1)
        if found.ndim == 0 or len(found) != size:
            raise InvalidSamples(
                f"the ONNX model makes a tensor of the shape {found.shape} of "
                f"{counted(size, 'point')}: it must return one row a point"
            )
        return _columns(found)[: len(part)]


def _session(session: Any) -> OnnxRun:
    """A session of onnxruntime that is there already."""
    inputs, outputs = session.get_inputs(), session.get_outputs()
    _one_each([value.name for value in inputs], [value.name for value in outputs])
    shape = tuple(size if isinstance(size, int) else None for size in inputs[0].shape)
    tensor = Tensor(inputs[0].name, NAMES.get(inputs[0].type, 0), shape).checked()
    return OnnxRun(lambda p: session.run(None, {tensor.name: p})[0], tensor)


def _check_run(model: Any, tensor: Tensor, graph: OnnxGraph) -> None:
    """Refuse what would take all memory or time before anyone can stop it."""
    try:
        check_growth(graph.nodes, graph.constants)
    except TooLarge as error:
        raise SamplingError(
            f"the ONNX model cannot be run: {error}, more than can be held"
        ) from None
    operators = {node.op_type for node in _all_nodes(model.graph)}
    endless = sorted(operators.intersection(ENDLESS))
    if endless:
        raise SamplingError(
            f"the ONNX model has loops ({', '.join(endless)}), which may never end: pass a "
            f"callable that takes points (N, m), runs the model and returns one table"
        )
    if tensor.batched and (tensor.shape[0] or 1) * (tensor.width or 1) > MOST:
        raise SamplingError(
            f"the ONNX model takes {tensor.rows} points of {tensor.width} inputs at a time, more "
            f"than can be held: export it with a batch of any size"
        )


def _all_nodes(graph: Any) -> list[Any]:
    """Nodes of a graph, and of the graphs inside of them."""
    found, graphs = [], [graph]
    while graphs:
        nodes = graphs.pop().node
        found += nodes
        inner = (a for node in nodes for a in node.attribute)
        graphs += [g for a in inner for g in (*([a.g] if a.HasField("g") else []), *a.graphs)]
    return found


def _runner(model: Any, name: str) -> Callable[[Any], Any]:
    """By onnxruntime where it is installed, else by the reference that comes with onnx."""
    evaluator: Any
    try:
        try:
            import onnxruntime
        except ImportError:
            from onnx.reference import ReferenceEvaluator

            evaluator = ReferenceEvaluator(model)
        else:
            evaluator = _quiet_session(onnxruntime, model)
    except Exception as error:
        strange = sorted({str(node.op_type) for node in model.graph.node if not _has_rule(node)})
        raise SamplingError(
            f"the ONNX model cannot be run; operators that unbraid does not know: "
            f"{', '.join(map(str, strange[:12])) or 'none'} ({str(error)[:MOST_SHOWN]})"
        ) from error
    return lambda points: evaluator.run(None, {name: points})[0]


def _quiet_session(onnxruntime: Any, model: Any) -> Any:
    """It prints what it cannot do, and raises as well: once is enough."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    with redirect_stdout(StringIO()):
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
