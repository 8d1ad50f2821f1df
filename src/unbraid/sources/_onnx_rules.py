"""Operators of ONNX that act on axes, and the table of all supported operators."""

from typing import Any

import numpy as np

from ._onnx_duals import (
    ELEMENTWISE_RULES,
    Attributes,
    Dual,
    Rule,
    UnsupportedOperatorError,
    align,
    apply_linear,
    check_size,
    count_layers,
)


def _matmul(attributes: Attributes, x: Any, matrix: Any) -> Dual:
    if not isinstance(x, Dual) or isinstance(matrix, Dual) or x.value.ndim < 2 or matrix.ndim != 2:
        raise UnsupportedOperatorError
    check_size((*x.value.shape[:-1], matrix.shape[1]), count_layers(x))
    return apply_linear(x, lambda v: v @ matrix)


def _gemm(attributes: Attributes, x: Any, matrix: Any, bias: Any = None) -> Any:
    if attributes.get("transA", 0) or isinstance(matrix, Dual):
        raise UnsupportedOperatorError
    matrix = matrix.T if attributes.get("transB", 0) else matrix
    product = _matmul({}, x, attributes.get("alpha", 1.0) * matrix)
    if bias is None:
        return product
    return ELEMENTWISE_RULES["Add"]({}, product, attributes.get("beta", 1.0) * bias)


def _softmax(attributes: Attributes, x: Dual) -> Dual:
    if attributes.get("axis", -1) not in (-1, 1) or x.value.ndim != 2:
        raise UnsupportedOperatorError
    powers = np.exp(x.value - x.value.max(axis=-1, keepdims=True))
    y = powers / powers.sum(axis=-1, keepdims=True)
    if x.slope is None:
        return Dual(y)
    return Dual(y, y * (x.slope - np.sum(y * x.slope, axis=-1, keepdims=True)))


def _check_axis(axis: int, rank: int) -> int:
    """An axis counted from the front that is not the axis of the points."""
    axis = axis + rank if axis < 0 else axis
    if not 0 < axis < rank:
        raise UnsupportedOperatorError
    return axis


def _read_axes(attributes: Attributes, axes: Any, rank: int) -> tuple[int, ...]:
    listed = attributes.get("axes") if axes is None else np.asarray(axes).ravel()
    if listed is None or len(listed) == 0:
        raise UnsupportedOperatorError
    return tuple(_check_axis(int(axis), rank) for axis in listed)


def _concat(attributes: Attributes, *parts: Any) -> Dual:
    first = next(part for part in parts if isinstance(part, Dual))
    axis, n = _check_axis(attributes["axis"], first.value.ndim), len(first.value)
    duals = [
        Dual(np.broadcast_to(p.value, (n, *p.value.shape[1:])), p.slope) for p in align(*parts)
    ]
    layers = count_layers(*duals)
    check_size((sum(d.value.size for d in duals),), layers)
    value = np.concatenate([d.value for d in duals], axis)
    if layers == 1:
        return Dual(value)
    slopes = [np.zeros((layers - 1, *d.value.shape)) if d.slope is None else d.slope for d in duals]
    return Dual(value, np.concatenate(slopes, axis + 1))


def _gather(attributes: Attributes, x: Any, indices: Any) -> Dual:
    axis = attributes.get("axis", 0)
    if isinstance(indices, Dual):  # every point selects entries of a constant
        if isinstance(x, Dual) or axis != 0:
            raise UnsupportedOperatorError
        check_size((*indices.value.shape, *x.shape[1:]))
        return Dual(np.take(x, indices.value.astype(int), axis=0))
    axis = _check_axis(axis, x.value.ndim)
    check_size((x.value.size // max(x.value.shape[axis], 1), np.size(indices)), count_layers(x))
    return apply_linear(x, lambda v: np.take(v, np.asarray(indices, dtype=int), axis=axis))


def _reshape(attributes: Attributes, x: Dual, shape: Any) -> Dual:
    target = [int(size) for size in np.asarray(shape)]
    if not attributes.get("allowzero", 0):
        target = [x.value.shape[k] if size == 0 else size for k, size in enumerate(target)]
    n_entries = int(np.prod(x.value.shape[1:]))
    rest = target[1:]
    if -1 in rest:
        rest[rest.index(-1)] = -n_entries // int(np.prod(rest))
    if not rest or int(np.prod(rest)) != n_entries or target[0] not in (-1, 1, len(x.value)):
        raise UnsupportedOperatorError
    return apply_linear(x, lambda v: v.reshape(len(v), *rest))


def _flatten(attributes: Attributes, x: Dual) -> Dual:
    if attributes.get("axis", 1) != 1:
        raise UnsupportedOperatorError
    return apply_linear(x, lambda v: v.reshape(len(v), -1))


def _squeeze(attributes: Attributes, x: Dual, axes: Any = None) -> Dual:
    if axes is None and "axes" not in attributes:  # all of length one except that of the points
        chosen = tuple(k for k, size in enumerate(x.value.shape) if k and size == 1)
    else:
        chosen = _read_axes(attributes, axes, x.value.ndim)
    return apply_linear(x, lambda v: np.squeeze(v, chosen))


def _unsqueeze(attributes: Attributes, x: Dual, axes: Any = None) -> Dual:
    count = len(attributes["axes"]) if axes is None else np.size(axes)
    chosen = _read_axes(attributes, axes, x.value.ndim + count)
    return apply_linear(x, lambda v: np.expand_dims(v, chosen))


def _make_reduction(function: Rule) -> Rule:
    def rule(attributes: Attributes, x: Dual, axes: Any = None) -> Dual:
        chosen = _read_axes(attributes, axes, x.value.ndim)
        keepdims = bool(attributes.get("keepdims", 1))
        return apply_linear(x, lambda v: function(v, axis=chosen, keepdims=keepdims))

    return rule


OPERATOR_RULES: dict[str, Rule] = {
    **ELEMENTWISE_RULES,
    "MatMul": _matmul,
    "Gemm": _gemm,
    "Softmax": _softmax,
    "Concat": _concat,
    "Gather": _gather,
    "Reshape": _reshape,
    "Flatten": _flatten,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "ReduceSum": _make_reduction(np.sum),
    "ReduceMean": _make_reduction(np.mean),
}
