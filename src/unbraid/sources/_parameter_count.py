"""How many numbers a model is made of: what a decoupled one is compared with."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ._onnx import is_onnx, onnx_parameter_count
from ._sklearn import is_sklearn
from ._torch import is_torch


def parameter_count(model: Any) -> int | None:
    """The numbers of a model that says, or shows, how many it has; None of any other.

    >>> from unbraid import PolynomialFunction
    >>> parameter_count(PolynomialFunction([[1.0, 2.0, 3.0]], [[1], [2], [3]]))
    3
    >>> parameter_count(abs) is None
    True
    """
    own = getattr(model, "n_parameters", None)
    if isinstance(own, Integral):
        return int(own)
    if is_torch(model):
        return _torch_count(model)
    if is_onnx(model):
        return onnx_parameter_count(model)
    if is_sklearn(model):
        return _sklearn_count(model)
    return None


def _torch_count(model: Any) -> int | None:
    """Of a module whose parameters all have a size; a scripted function shows none."""
    if not hasattr(model, "parameters"):
        return None
    try:
        return sum(int(part.numel()) for part in model.parameters())
    except ValueError:  # those of a lazy module get their sizes when it first runs
        return None


def _sklearn_count(model: Any) -> int | None:
    """Coefficients and intercepts of the last step; of models that keep data, nothing."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if hasattr(last, "coefs_"):
        return sum(int(np.size(part)) for part in (*last.coefs_, *last.intercepts_))
    if hasattr(last, "coef_"):
        return int(np.size(last.coef_) + np.size(getattr(last, "intercept_", ())))
    return None
