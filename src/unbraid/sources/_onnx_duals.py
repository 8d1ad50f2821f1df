"""Tensors with derivatives, and the operators that act on them elementwise.

Every tensor of a graph is a constant array or a ``Dual``: values (N, ...), one row per point, and
slopes (m, N, ...), one layer per input. Since inputs come first, slopes broadcast and multiply as
values do. An operation that would mix rows raises ``UnsupportedOperatorError``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import scipy

from .._typing import Array

Attributes = Mapping[str, Any]
Rule = Callable[..., Any]
MAX_TENSOR_ENTRIES = 1 << 24  # entries that a tensor may have, slopes included


class UnsupportedOperatorError(Exception):
    """The graph has an operation for which there is no rule."""


class TensorTooLargeError(Exception):
    """A tensor of the graph would not fit into memory."""


@dataclass(frozen=True, eq=False)
class Dual:
    """Values, and slopes where they are wanted and not zero."""

    value: Any
    slope: Any = None


def make_dual(points: Array, with_slopes: bool) -> Dual:
    """The inputs, with the identity as slopes."""
    if not with_slopes:
        return Dual(points)
    n_points, m = points.shape
    if m * m > MAX_TENSOR_ENTRIES:
        raise UnsupportedOperatorError
    return Dual(points, np.broadcast_to(np.eye(m)[:, None, :], (m, n_points, m)))


def count_layers(*duals: Dual) -> int:
    """The number of entries that a tensor made of these holds for each of its values."""
    return 1 + max(0 if dual.slope is None else len(dual.slope) for dual in duals)


def check_size(shape: Sequence[int], layers: int = 1) -> None:
    """Raise TensorTooLargeError for a shape too large to be allocated.

    A small file may expand to a huge tensor.
    """
    if math.prod(shape) * layers > MAX_TENSOR_ENTRIES:
        raise TensorTooLargeError(f"a tensor on the way would have the shape {tuple(shape)}")


def apply_chain_rule(value: Any, *terms: tuple[Any, Any]) -> Dual:
    """A dual whose slope is the sum of derivative times slope over the arguments."""
    products = [factor * slope for factor, slope in terms if slope is not None]
    if not products:
        return Dual(value)
    slope = sum(products[1:], start=products[0])
    return Dual(value, np.broadcast_to(slope, (len(slope), *value.shape)))


def apply_linear(x: Dual, function: Callable[[Any], Any]) -> Dual:
    """Apply a linear function to the values and to every layer of the slopes."""
    slope = None if x.slope is None else np.stack([function(layer) for layer in x.slope])
    return Dual(function(x.value), slope)


def align(*arguments: Any) -> list[Dual]:
    """Convert arguments of an elementwise operator to duals whose rows do not mix."""
    rank = max(a.value.ndim for a in arguments if isinstance(a, Dual))
    for a in arguments:
        shape = np.shape(a.value if isinstance(a, Dual) else a)
        full_rank = len(shape) == rank
        one_row = len(shape) < rank or (full_rank and shape[0] == 1)
        if not (full_rank if isinstance(a, Dual) else one_row):
            raise UnsupportedOperatorError
    return [a if isinstance(a, Dual) else Dual(np.asarray(a)) for a in arguments]


def broadcast(*arguments: Any) -> list[Dual]:
    """Align arguments of an elementwise operator and check the size of the result."""
    duals = align(*arguments)
    check_size(np.broadcast_shapes(*(dual.value.shape for dual in duals)), count_layers(*duals))
    return duals


def _make_rule(function: Rule, *derivatives: Rule) -> Rule:
    """The rule of an elementwise operator, from its function and derivatives.

    An operator of two arguments accepts more, combined from left to right.
    """

    def apply(*duals: Dual) -> Dual:
        values = [dual.value for dual in duals]
        result = function(*values)
        pairs = zip(derivatives, duals, strict=False)  # comparisons have no derivatives
        terms = [(f(*values, result), x.slope) for f, x in pairs if x.slope is not None]
        return apply_chain_rule(result, *terms)

    def rule(attributes: Attributes, *arguments: Any) -> Dual:
        duals = broadcast(*arguments)
        return apply(*duals) if len(derivatives) == 1 else reduce(apply, duals)

    return rule


def _power_slope(x: Any, y: Any, z: Any) -> Any:
    return y * np.where(y == 0, 0.0, x ** np.where(y == 0, 1.0, y - 1))


def _refuse(*arguments: Any) -> Any:
    raise UnsupportedOperatorError


UNARY: dict[str, tuple[Rule, Rule]] = {  # the function, and its derivative from x and the value y
    "Neg": (np.negative, lambda x, y: -1.0),
    "Abs": (np.abs, lambda x, y: np.sign(x)),
    "Sqrt": (np.sqrt, lambda x, y: 0.5 / y),
    "Exp": (np.exp, lambda x, y: y),
    "Log": (np.log, lambda x, y: 1 / x),
    "Reciprocal": (lambda x: 1 / x, lambda x, y: -(y**2)),
    "Sin": (np.sin, lambda x, y: np.cos(x)),
    "Cos": (np.cos, lambda x, y: -np.sin(x)),
    "Tan": (np.tan, lambda x, y: 1 + y**2),
    "Atan": (np.arctan, lambda x, y: 1 / (1 + x**2)),
    "Sinh": (np.sinh, lambda x, y: np.cosh(x)),
    "Cosh": (np.cosh, lambda x, y: np.sinh(x)),
    "Tanh": (np.tanh, lambda x, y: 1 - y**2),
    "Sigmoid": (lambda x: scipy.special.expit(x), lambda x, y: y * (1 - y)),
    "Erf": (lambda x: scipy.special.erf(x), lambda x, y: 2 / np.sqrt(np.pi) * np.exp(-(x**2))),
    "Softplus": (lambda x: np.logaddexp(0, x), lambda x, y: scipy.special.expit(x)),
    "Softsign": (lambda x: x / (1 + np.abs(x)), lambda x, y: 1 / (1 + np.abs(x)) ** 2),
    "Relu": (lambda x: np.maximum(x, 0), lambda x, y: x > 0),
    "Floor": (np.floor, lambda x, y: 0.0),
    "Ceil": (np.ceil, lambda x, y: 0.0),
}
BINARY: dict[str, tuple[Rule, Rule, Rule]] = {  # with derivatives from x, y and the value z
    "Add": (np.add, lambda x, y, z: 1.0, lambda x, y, z: 1.0),
    "Sum": (np.add, lambda x, y, z: 1.0, lambda x, y, z: 1.0),
    "Sub": (np.subtract, lambda x, y, z: 1.0, lambda x, y, z: -1.0),
    "Mul": (np.multiply, lambda x, y, z: y, lambda x, y, z: x),
    "Div": (np.divide, lambda x, y, z: 1 / y, lambda x, y, z: -z / y),
    "Max": (np.maximum, lambda x, y, z: x >= y, lambda x, y, z: ~(x >= y)),
    "Min": (np.minimum, lambda x, y, z: x <= y, lambda x, y, z: ~(x <= y)),
    "Pow": (np.power, _power_slope, _refuse),
}
COMPARISONS: dict[str, tuple[Rule]] = {
    "Less": (np.less,),
    "LessOrEqual": (np.less_equal,),
    "Greater": (np.greater,),
    "GreaterOrEqual": (np.greater_equal,),
    "Equal": (np.equal,),
    "And": (np.logical_and,),
    "Or": (np.logical_or,),
}


def _gelu(attributes: Attributes, x: Dual) -> Dual:
    v = x.value
    if attributes.get("approximate", b"none") != b"tanh":
        share = scipy.special.ndtr(v)
        density = np.exp(-(v**2) / 2) / np.sqrt(2 * np.pi)
        return apply_chain_rule(v * share, (share + v * density, x.slope))
    t = np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3))
    inner = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * v**2)
    slope = 0.5 * (1 + t) + 0.5 * v * (1 - t**2) * inner
    return apply_chain_rule(0.5 * v * (1 + t), (slope, x.slope))


def _leaky_relu(attributes: Attributes, x: Dual) -> Dual:
    factor = np.where(x.value < 0, attributes.get("alpha", 0.01), 1.0)
    return apply_chain_rule(factor * x.value, (factor, x.slope))


def _elu(attributes: Attributes, x: Dual) -> Dual:
    negative, alpha = x.value < 0, attributes.get("alpha", 1.0)
    y = np.where(negative, alpha * np.expm1(np.minimum(x.value, 0)), x.value)
    return apply_chain_rule(y, (np.where(negative, y + alpha, 1.0), x.slope))


def _clip(attributes: Attributes, x: Dual, low: Any = None, high: Any = None) -> Dual:
    low = attributes.get("min", -np.inf) if low is None else low
    high = attributes.get("max", np.inf) if high is None else high
    if np.size(low) != 1 or np.size(high) != 1:
        raise UnsupportedOperatorError
    inside = (x.value >= low) & (x.value <= high)
    return apply_chain_rule(np.clip(x.value, low, high), (inside, x.slope))


def _cast(attributes: Attributes, x: Dual) -> Dual:
    """Cast to a float type, which changes nothing here, or truncate to integers."""
    if attributes["to"] in (1, 10, 11, 16):
        return Dual(x.value * 1.0, x.slope)
    if attributes["to"] in (6, 7):
        return Dual(np.trunc(x.value).astype(np.int64))
    raise UnsupportedOperatorError


def _where(attributes: Attributes, condition: Any, x: Any, y: Any) -> Dual:
    c, x, y = broadcast(condition, x, y)
    value = np.where(c.value, x.value, y.value)
    return apply_chain_rule(value, (c.value * 1.0, x.slope), (~c.value * 1.0, y.slope))


ELEMENTWISE_RULES: dict[str, Rule] = {
    **{name: _make_rule(*parts) for name, parts in (UNARY | BINARY | COMPARISONS).items()},
    "Gelu": _gelu,
    "LeakyRelu": _leaky_relu,
    "Elu": _elu,
    "Clip": _clip,
    "Cast": _cast,
    "Where": _where,
    "Identity": lambda attributes, x: x,
    "Dropout": lambda attributes, x, *rest: x,
    "Not": lambda attributes, x: Dual(~x.value),
}
