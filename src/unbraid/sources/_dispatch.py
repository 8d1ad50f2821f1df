"""Which kind of model is it? Seen by what it is, so that no package is imported in vain."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidOption
from ._callables import PROBES
from ._jax import is_jax, jax_callable, jax_function
from ._onnx import is_onnx, onnx_function
from ._sklearn import is_sklearn, sklearn_function
from ._sympy import SymbolicFunction, is_sympy
from ._torch import is_torch, torch_callable, torch_function

KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (is_sklearn, sklearn_function),
    (is_torch, torch_function),
    (is_jax, jax_function),
    (is_onnx, onnx_function),
    (is_sympy, SymbolicFunction),
)


def as_function(model: Any) -> Callable[..., Any]:
    """The static map of a model: of a known kind, anything with ``predict``, or a callable.

    It may have ``jacobian``, and ``source`` that says in words what that is.

    >>> as_function(abs) is abs
    True
    """
    for recognised, wrapped in KINDS:
        if recognised(model):
            return wrapped(model)  # type: ignore[no-any-return]
    predict = getattr(model, "predict", None)
    if callable(predict):
        return predict  # type: ignore[no-any-return]
    if callable(model):
        return model  # type: ignore[no-any-return]
    raise InvalidOption(
        f"cannot evaluate {_described(model)}: pass a callable of points, a model of PyTorch, JAX, "
        f"scikit-learn or SymPy, an ONNX model or its .onnx file, or a model with "
        f"predict(points); to decouple data, Samples(points, values, jacobians) or a .mat, .npz "
        f"or .csv file of them. Anything else can be wrapped: lambda p: ..., from points (N, m) "
        f"to values (N, n)"
    )


def _described(model: Any) -> str:
    return f"{type(model).__name__} {model!r}" if isinstance(model, str) else type(model).__name__


def traced(f: Callable[..., Any], points: Array) -> Callable[..., Any]:
    """A plain callable made of torch or JAX, seen by what it returns, as one of theirs."""
    if hasattr(f, "jacobian") or not {"torch", "jax"} & set(sys.modules):
        return f
    probe = points[:PROBES]
    answer = _answer(f, probe)
    maker = _maker(answer)
    if answer is not None and maker not in ("torch", "jax", "jaxlib"):
        return f
    found = None if maker == "torch" else jax_callable(f, probe)
    if found is None and maker not in ("jax", "jaxlib"):
        found = torch_callable(f, probe, answer is not None)
    if found is None:
        return f
    with np.errstate(all="ignore"):  # what is not finite is reported with its points
        trusted = not hasattr(found, "jacobian") or believable(found, probe)
    return found if trusted else found.__call__


def _answer(f: Callable[..., Any], probe: Array) -> Any:
    """What f makes of a row or of a point; None where it takes no arrays."""
    for argument in (probe[:1].copy(), probe[0].copy()):
        try:
            return f(argument)
        except Exception:
            continue
    return None


def _maker(answer: Any) -> str:
    """The package that an answer, or the first of a list of answers, comes from."""
    while isinstance(answer, (list, tuple)) and answer:
        answer = answer[0]
    return str(type(answer).__module__).split(".")[0]


def believable(function: Any, probe: Array) -> bool:
    """Tracing is silently wrong where f leaves the framework on the way: compare with differences.

    Along one generic direction, and at half of the points at least: others may sit at a kink.
    """
    values = np.asarray(function(probe))
    epsilon = float(np.finfo(values.dtype if values.dtype.kind == "f" else float).eps)
    step = epsilon ** (1 / 3) * max(float(np.abs(probe).max()), 1e-3)
    direction = np.cos(1.0 + np.arange(probe.shape[1]))
    ahead, behind = function(probe + step * direction), function(probe - step * direction)
    change = (np.asarray(ahead, dtype=float) - behind) / (2 * step)
    expected = np.asarray(function.jacobian(probe), dtype=float) @ direction
    room = 0.05 * np.abs(change) + 100 * epsilon * np.abs(values).max() / step
    close = (np.abs(change - expected) <= room) | ~np.isfinite(change)
    return bool(np.all(close.mean(axis=0) >= 0.5))
