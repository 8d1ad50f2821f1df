"""The number of parameters of a model, with which a decoupled one is compared."""

from numbers import Integral
from typing import Any

import numpy as np

from ._onnx import count_onnx_parameters, is_onnx
from ._sklearn import is_sklearn
from ._torch import is_torch


def parameter_count(model: Any) -> int | None:
    """The number of parameters of a model, or None where it cannot be known.

    >>> from unbraid import PolynomialFunction
    >>> parameter_count(PolynomialFunction([[1.0, 2.0, 3.0]], [[1], [2], [3]]))
    3
    >>> parameter_count(abs) is None
    True
    """
    count = getattr(model, "n_parameters", None)
    if isinstance(count, Integral):
        return int(count)
    if is_torch(model):
        return _count_torch_parameters(model)
    if is_onnx(model):
        return count_onnx_parameters(model)
    return _count_sklearn_parameters(model) if is_sklearn(model) else None


def _count_torch_parameters(model: Any) -> int | None:
    """Of a module whose parameters all have a size; a scripted function shows none."""
    if not hasattr(model, "parameters"):
        return None
    try:
        return sum(int(part.numel()) for part in model.parameters())
    except ValueError:  # the parameters of a lazy module get their sizes in its first run
        return None


def _count_sklearn_parameters(model: Any) -> int | None:
    """Coefficients and intercepts of the last step; None for models that keep data."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if hasattr(last, "coefs_"):
        return sum(int(np.size(part)) for part in (*last.coefs_, *last.intercepts_))
    if hasattr(last, "coef_"):
        return int(np.size(last.coef_) + np.size(getattr(last, "intercept_", ())))
    return None
