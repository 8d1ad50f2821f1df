"""Walking an ONNX graph in double precision, derivatives alongside.

Every tensor on the way is a constant array or a ``Dual``: values (N, ...), one row a point, and
slopes (m, N, ...) with one layer an input. As inputs come first, slopes broadcast and multiply as
values do. What would mix rows raises ``Unsupported``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from .._typing import Array

Attributes = Mapping[str, Any]
Rule = Callable[..., Any]
MOST = 1 << 24  # numbers that a tensor may have, slopes included
ROOT_TAU = float(np.sqrt(2 * np.pi))


class Unsupported(Exception):
    """The graph does something for which there is no rule."""


class TooLarge(Exception):
    """A tensor on the way would be larger than can be held."""


def held(shape: Sequence[int], layers: int = 1) -> None:
    """Refuse a shape before memory is taken: a small file may unfold to a vast one."""
    if math.prod(shape) * layers > MOST:
        raise TooLarge(f"a tensor on the way would have the shape {tuple(shape)}")


@dataclass(frozen=True, eq=False)
class Dual:
    """Values, and slopes where they are wanted and not zero."""

    value: Any
    slope: Any = None


def elementwise(value: Any, *terms: tuple[Any, Any]) -> Dual:
    """The chain rule: a sum of derivative times slope over the arguments."""
    moving = [factor * slope for factor, slope in terms if slope is not None]
    if not moving:
        return Dual(value)
    slope = sum(moving[1:], start=moving[0])
    return Dual(value, np.broadcast_to(slope, (len(slope), *value.shape)))


def linear(x: Dual, action: Callable[[Any], Any]) -> Dual:
    """An action that slopes undergo as values do, one layer at a time."""
    slope = None if x.slope is None else np.stack([action(layer) for layer in x.slope])
    return Dual(action(x.value), slope)


def unary(name: str, x: Dual, attributes: Attributes) -> Dual:
    value, derivative = UNARY[name]
    y = value(x.value, attributes)
    factor = None if x.slope is None else derivative(x.value, y, attributes)
    return elementwise(y, (factor, x.slope))


def aligned(*arguments: Any) -> list[Dual]:
    """Arguments of an elementwise operator as duals of which no row meets another."""
    rank = max(a.value.ndim for a in arguments if isinstance(a, Dual))
    for a in arguments:
        array = a.value if isinstance(a, Dual) else np.asarray(a)
        constant = not isinstance(a, Dual)
        if array.ndim > rank or (not constant and array.ndim != rank):
            raise Unsupported
        if constant and array.ndim == rank and array.shape[0] != 1:
            raise Unsupported
    return [a if isinstance(a, Dual) else Dual(np.asarray(a)) for a in arguments]


def broadcast(*arguments: Any) -> list[Dual]:
    """The same for arguments that are combined entry by entry."""
    duals = aligned(*arguments)
    held(np.broadcast_shapes(*(dual.value.shape for dual in duals)), layers_of(*duals))
    return duals


def layers_of(*duals: Dual) -> int:
    """How many numbers a tensor made of these holds for each of its values."""
    return 1 + max(0 if dual.slope is None else len(dual.slope) for dual in duals)


def _gelu(x: Any, attributes: Attributes) -> Any:
    if attributes.get("approximate", b"none") == b"tanh":
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return x * scipy.special.ndtr(x)


def _gelu_slope(x: Any, y: Any, attributes: Attributes) -> Any:
    if attributes.get("approximate", b"none") == b"tanh":
        t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
        inner = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
        return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * inner
    return scipy.special.ndtr(x) + x * np.exp(-(x**2) / 2) / ROOT_TAU


UNARY: dict[str, tuple[Rule, Rule]] = {
    "Neg": (lambda x, a: -x, lambda x, y, a: -np.ones_like(x)),
    "Abs": (lambda x, a: np.abs(x), lambda x, y, a: np.sign(x)),
    "Sqrt": (lambda x, a: np.sqrt(x), lambda x, y, a: 0.5 / y),
    "Exp": (lambda x, a: np.exp(x), lambda x, y, a: y),
    "Log": (lambda x, a: np.log(x), lambda x, y, a: 1 / x),
    "Reciprocal": (lambda x, a: 1 / x, lambda x, y, a: -(y**2)),
    "Sin": (lambda x, a: np.sin(x), lambda x, y, a: np.cos(x)),
    "Cos": (lambda x, a: np.cos(x), lambda x, y, a: -np.sin(x)),
    "Tan": (lambda x, a: np.tan(x), lambda x, y, a: 1 + y**2),
    "Atan": (lambda x, a: np.arctan(x), lambda x, y, a: 1 / (1 + x**2)),
    "Sinh": (lambda x, a: np.sinh(x), lambda x, y, a: np.cosh(x)),
    "Cosh": (lambda x, a: np.cosh(x), lambda x, y, a: np.sinh(x)),
    "Tanh": (lambda x, a: np.tanh(x), lambda x, y, a: 1 - y**2),
    "Sigmoid": (lambda x, a: scipy.special.expit(x), lambda x, y, a: y * (1 - y)),
    "Erf": (
        lambda x, a: scipy.special.erf(x),
        lambda x, y, a: 2 / np.sqrt(np.pi) * np.exp(-(x**2)),
    ),
    "Gelu": (_gelu, _gelu_slope),
    "Softplus": (lambda x, a: np.logaddexp(0, x), lambda x, y, a: scipy.special.expit(x)),
    "Softsign": (lambda x, a: x / (1 + np.abs(x)), lambda x, y, a: 1 / (1 + np.abs(x)) ** 2),
    "Relu": (lambda x, a: np.maximum(x, 0), lambda x, y, a: (x > 0) * 1.0),
    "LeakyRelu": (
        lambda x, a: np.where(x < 0, a.get("alpha", 0.01) * x, x),
        lambda x, y, a: np.where(x < 0, a.get("alpha", 0.01), 1.0),
    ),
    "Elu": (
        lambda x, a: np.where(x < 0, a.get("alpha", 1.0) * np.expm1(np.minimum(x, 0)), x),
        lambda x, y, a: np.where(x < 0, y + a.get("alpha", 1.0), 1.0),
    ),
    "Floor": (lambda x, a: np.floor(x), lambda x, y, a: np.zeros_like(x)),
    "Ceil": (lambda x, a: np.ceil(x), lambda x, y, a: np.zeros_like(x)),
}


def _add(x: Dual, y: Dual) -> Dual:
    return elementwise(x.value + y.value, (1.0, x.slope), (1.0, y.slope))


def _subtract(x: Dual, y: Dual) -> Dual:
    return elementwise(x.value - y.value, (1.0, x.slope), (-1.0, y.slope))


def _multiply(x: Dual, y: Dual) -> Dual:
    return elementwise(x.value * y.value, (y.value, x.slope), (x.value, y.slope))


def _divide(x: Dual, y: Dual) -> Dual:
    ratio = x.value / y.value
    return elementwise(ratio, (1 / y.value, x.slope), (-ratio / y.value, y.slope))


def _power(x: Dual, y: Dual) -> Dual:
    if y.slope is not None:
        raise Unsupported
    lower = np.where(y.value == 0, 0.0, x.value ** np.where(y.value == 0, 1.0, y.value - 1))
    return elementwise(x.value**y.value, (y.value * lower, x.slope))


def _larger(x: Dual, y: Dual) -> Dual:
    first = x.value >= y.value
    return elementwise(np.maximum(x.value, y.value), (first, x.slope), (~first, y.slope))


def _smaller(x: Dual, y: Dual) -> Dual:
    first = x.value <= y.value
    return elementwise(np.minimum(x.value, y.value), (first, x.slope), (~first, y.slope))


BINARY: dict[str, Callable[[Dual, Dual], Dual]] = {
    "Add": _add,
    "Sub": _subtract,
    "Mul": _multiply,
    "Div": _divide,
    "Pow": _power,
    "Max": _larger,
    "Min": _smaller,
    "Sum": _add,
}

COMPARISONS: dict[str, Rule] = {
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Equal": np.equal,
    "And": np.logical_and,
    "Or": np.logical_or,
}


def _matmul(attributes: Attributes, x: Any, matrix: Any) -> Dual:
    if not isinstance(x, Dual) or isinstance(matrix, Dual) or x.value.ndim < 2 or matrix.ndim != 2:
        raise Unsupported
    held((*x.value.shape[:-1], matrix.shape[1]), layers_of(x))
    return linear(x, lambda v: v @ matrix)


def _gemm(attributes: Attributes, x: Any, matrix: Any, bias: Any = None) -> Dual:
    if attributes.get("transA", 0) or isinstance(matrix, Dual):
        raise Unsupported
    turned = matrix.T if attributes.get("transB", 0) else matrix
    product = _matmul({}, x, attributes.get("alpha", 1.0) * turned)
    return (
        product if bias is None else _add(*broadcast(product, attributes.get("beta", 1.0) * bias))
    )


def _softmax(attributes: Attributes, x: Dual) -> Dual:
    if attributes.get("axis", -1) not in (-1, 1) or x.value.ndim != 2:
        raise Unsupported
    raised = np.exp(x.value - x.value.max(axis=-1, keepdims=True))
    y = raised / raised.sum(axis=-1, keepdims=True)
    if x.slope is None:
        return Dual(y)
    return Dual(y, y * (x.slope - np.sum(y * x.slope, axis=-1, keepdims=True)))


def _clip(attributes: Attributes, x: Dual, low: Any = None, high: Any = None) -> Dual:
    low = attributes.get("min", -np.inf) if low is None else low
    high = attributes.get("max", np.inf) if high is None else high
    if np.size(low) != 1 or np.size(high) != 1:
        raise Unsupported
    inside = (x.value >= low) & (x.value <= high)
    return elementwise(np.clip(x.value, low, high), (inside, x.slope))


def _where(attributes: Attributes, condition: Any, x: Any, y: Any) -> Dual:
    c, x, y = broadcast(condition, x, y)
    value = np.where(c.value, x.value, y.value)
    return elementwise(value, (c.value * 1.0, x.slope), (~c.value * 1.0, y.slope))


def _inner_axis(axis: int, rank: int) -> int:
    """An axis from the front that is not the one of the points."""
    axis = axis + rank if axis < 0 else axis
    if not 0 < axis < rank:
        raise Unsupported
    return axis


def _concat(attributes: Attributes, *parts: Any) -> Dual:
    first = next(part for part in parts if isinstance(part, Dual))
    axis, n = _inner_axis(attributes["axis"], first.value.ndim), len(first.value)
    duals = [
        Dual(np.broadcast_to(p.value, (n, *p.value.shape[1:])), p.slope) for p in aligned(*parts)
    ]
    held((sum(d.value.size for d in duals),), layers_of(*duals))
    layers = next((len(d.slope) for d in duals if d.slope is not None), None)
    value = np.concatenate([d.value for d in duals], axis)
    if layers is None:
        return Dual(value)
    slopes = [np.zeros((layers, *d.value.shape)) if d.slope is None else d.slope for d in duals]
    return Dual(value, np.concatenate(slopes, axis + 1))


def _gather(attributes: Attributes, x: Any, indices: Any) -> Dual:
    axis = attributes.get("axis", 0)
    if isinstance(indices, Dual):  # a constant looked up with an index for every point
        if isinstance(x, Dual) or axis != 0:
            raise Unsupported
        held((*indices.value.shape, *x.shape[1:]))
        return Dual(np.take(x, indices.value.astype(int), axis=0))
    inner = _inner_axis(axis, x.value.ndim)
    held((x.value.size // max(x.value.shape[inner], 1), np.size(indices)), layers_of(x))
    return linear(x, lambda v: np.take(v, np.asarray(indices, dtype=int), axis=inner))


def _reshape(attributes: Attributes, x: Dual, shape: Any) -> Dual:
    target = [int(size) for size in np.asarray(shape)]
    if not attributes.get("allowzero", 0):
        target = [x.value.shape[k] if size == 0 else size for k, size in enumerate(target)]
    inner = int(np.prod(x.value.shape[1:]))
    rest = target[1:]
    if -1 in rest:
        rest[rest.index(-1)] = -inner // int(np.prod(rest))
    if not rest or int(np.prod(rest)) != inner or target[0] not in (-1, 1, len(x.value)):
        raise Unsupported
    return linear(x, lambda v: v.reshape(len(v), *rest))


def _flatten(attributes: Attributes, x: Dual) -> Dual:
    if attributes.get("axis", 1) != 1:
        raise Unsupported
    return linear(x, lambda v: v.reshape(len(v), -1))


def _axes(attributes: Attributes, given: Any, rank: int) -> tuple[int, ...]:
    listed = attributes.get("axes") if given is None else np.asarray(given).ravel()
    if listed is None or len(listed) == 0:
        raise Unsupported
    return tuple(_inner_axis(int(axis), rank) for axis in listed)


def _squeeze(attributes: Attributes, x: Dual, axes: Any = None) -> Dual:
    if axes is None and "axes" not in attributes:  # all of length one, never that of the points
        chosen = tuple(k for k, size in enumerate(x.value.shape) if k and size == 1)
    else:
        chosen = _axes(attributes, axes, x.value.ndim)
    return linear(x, lambda v: np.squeeze(v, chosen))


def _unsqueeze(attributes: Attributes, x: Dual, axes: Any = None) -> Dual:
    count = len(attributes["axes"]) if axes is None else np.size(axes)
    chosen = _axes(attributes, axes, x.value.ndim + count)
    return linear(x, lambda v: np.expand_dims(v, chosen))


def _reduced(action: Rule) -> Rule:
    def rule(attributes: Attributes, x: Dual, axes: Any = None) -> Dual:
        chosen = _axes(attributes, axes, x.value.ndim)
        kept = bool(attributes.get("keepdims", 1))
        return linear(x, lambda v: action(v, axis=chosen, keepdims=kept))

    return rule


def _cast(attributes: Attributes, x: Dual) -> Dual:
    """To any kind of float changes nothing here; to whole numbers, cuts them off."""
    if attributes["to"] in (1, 10, 11, 16):
        return Dual(x.value * 1.0, x.slope)
    if attributes["to"] in (6, 7):
        return Dual(np.trunc(x.value).astype(np.int64))
    raise Unsupported


def _identity(attributes: Attributes, x: Dual, *rest: Any) -> Dual:
    return x


OTHER: dict[str, Rule] = {
    "MatMul": _matmul,
    "Gemm": _gemm,
    "Softmax": _softmax,
    "Clip": _clip,
    "Where": _where,
    "Concat": _concat,
    "Gather": _gather,
    "Reshape": _reshape,
    "Flatten": _flatten,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "ReduceSum": _reduced(np.sum),
    "ReduceMean": _reduced(np.mean),
    "Cast": _cast,
    "Identity": _identity,
    "Dropout": _identity,
    "Not": lambda attributes, x: Dual(~x.value),
}


def apply(operator: str, attributes: Attributes, arguments: list[Any]) -> Dual:
    """One node of the graph."""
    if operator in OTHER:
        return OTHER[operator](attributes, *arguments)  # type: ignore[no-any-return]
    if operator in UNARY:
        return unary(operator, arguments[0], attributes)
    if operator in BINARY:
        duals = broadcast(*arguments)
        result = duals[0]
        for other in duals[1:]:
            result = BINARY[operator](result, other)
        return result
    if operator in COMPARISONS:
        x, y = broadcast(*arguments)
        return Dual(COMPARISONS[operator](x.value, y.value))
    raise Unsupported


def known(operator: str) -> bool:
    return any(operator in rules for rules in (OTHER, UNARY, BINARY, COMPARISONS))


def start(points: Array, with_slopes: bool) -> Dual:
    """The inputs themselves, with the identity as slopes."""
    if not with_slopes:
        return Dual(points)
    n_points, m = points.shape
    if m * m > MOST:
        raise Unsupported
    return Dual(points, np.broadcast_to(np.eye(m)[:, None, :], (m, n_points, m)))
