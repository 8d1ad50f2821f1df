"""Recognise the kind of a model by its class, without importing its package."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidOptionError
from ._evaluator import N_PROBE_POINTS
from ._jacobians import matches_differences
from ._jax import JaxFunction, is_jax, trace_with_jax
from ._onnx import is_onnx, wrap_onnx_model
from ._packages import package_of
from ._sklearn import is_sklearn, wrap_sklearn_model
from ._sympy import SymbolicFunction, is_sympy
from ._torch import is_torch, trace_with_torch, wrap_torch_model

MODEL_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (is_sklearn, wrap_sklearn_model),
    (is_torch, wrap_torch_model),
    (is_jax, JaxFunction),
    (is_onnx, wrap_onnx_model),
    (is_sympy, SymbolicFunction),
)


def as_function(model: Any) -> Callable[..., Any]:
    """The static map of a model: of a known kind, its ``predict``, or the callable.

    It may have a method ``jacobian``, and an attribute ``source`` that describes the Jacobians.

    >>> as_function(abs) is abs
    True
    """
    for recognise, wrap in MODEL_KINDS:
        if recognise(model):
            return wrap(model)  # type: ignore[no-any-return]
    for function in (getattr(model, "predict", None), model):
        if callable(function):
            return function  # type: ignore[no-any-return]
    text = f" {model!r}" if isinstance(model, str) else ""
    raise InvalidOptionError(
        f"cannot evaluate {type(model).__name__}{text}: pass a callable of points, a model of "
        f"PyTorch, JAX, scikit-learn or SymPy, an ONNX model or its .onnx file, or a model with "
        f"predict(points); to decouple data, Samples(points, values, jacobians) or a .mat, .npz "
        f"or .csv file of them. Anything else can be wrapped: lambda p: ..., from points (N, m) "
        f"to values (N, n)"
    )


def trace_callable(f: Callable[..., Any], points: Array) -> Callable[..., Any]:
    """Add exact Jacobians to a plain callable of torch or JAX operations."""
    if hasattr(f, "jacobian") or not {"torch", "jax"} & set(sys.modules):
        return f
    probe = points[:N_PROBE_POINTS]
    answer = _try_call(f, probe)
    package = _find_package(answer)
    if answer is not None and package not in ("torch", "jax", "jaxlib"):
        return f
    found = None if package == "torch" else trace_with_jax(f, probe)
    if found is None and package not in ("jax", "jaxlib"):
        found = trace_with_torch(f, probe, answer is not None)
    if found is None or not hasattr(found, "jacobian"):
        return found or f
    values, jacobians = np.asarray(found(probe)), np.asarray(found.jacobian(probe), dtype=float)
    with np.errstate(all="ignore"):  # values that are not finite are reported with their points
        agrees = matches_differences(found, probe, values, jacobians, 0.05, share=0.5)
    return found if agrees else found.__call__


def _try_call(f: Callable[..., Any], probe: Array) -> Any:
    """The result of f for one row or one point; None where it does not take arrays."""
    for argument in (probe[:1].copy(), probe[0].copy()):
        try:
            return f(argument)
        except Exception:
            continue
    return None


def _find_package(answer: Any) -> str:
    """The package of a result, or of the first entry of a list."""
    while isinstance(answer, (list, tuple)) and answer:
        answer = answer[0]
    return package_of(type(answer))
