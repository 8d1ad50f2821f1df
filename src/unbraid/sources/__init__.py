"""From a model to ``Samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._checks import finite_array
from ..errors import InvalidSamples
from ..samples import Samples
from .callables import Evaluator, given_jacobians, numerical_jacobians, values_of
from .hermite import HermitePolynomial
from .models import as_function
from .polynomial import PolynomialFunction, monomial_exponents

__all__ = ["HermitePolynomial", "PolynomialFunction", "as_function", "monomial_exponents", "sample"]


def sample(
    f: Callable[..., Any], points: Any, jacobian: Callable[..., Any] | None = None
) -> Samples:
    """Evaluate a function and its Jacobian at operating points.

    Parameters
    ----------
    f : callable, PyTorch module, or a model with ``predict``
        Takes all points (N, m) and returns (N, n), or one point (m,) and returns (n,) or a number;
        which of the two is found out by trying.
    points : (N, m)
    jacobian : callable, optional
        Takes points likewise and returns (N, n, m) or (n, m). Without it, f's own ``jacobian``
        method is used if there is one; else a complex step where f survives complex
        numbers (exact to rounding); else central differences, whose estimated relative error is
        in ``samples.accuracy``.

    Examples
    --------
    >>> import numpy as np
    >>> samples = sample(lambda p: np.sin(p[:, :1] + 2 * p[:, 1:]), np.eye(2))
    >>> samples
    Samples(2 points, 2 inputs, 1 output, Jacobians by complex step)
    >>> bool(np.allclose(samples.jacobians[:, 0, 1], 2 * np.cos([1, 2])))
    True
    """
    f = as_function(f)
    table = finite_array("points", points, ndim=2)
    if table.size == 0:
        raise InvalidSamples(f"points is empty: its shape is {table.shape}")
    evaluate = Evaluator(f, table)
    values = values_of(evaluate, table)
    own = jacobian if jacobian is not None else getattr(f, "jacobian", None)
    if callable(own):
        jacobians = given_jacobians(own, table, values.shape[1])
        return Samples(table, values, jacobians, "given")
    return Samples(table, values, *numerical_jacobians(evaluate, table, values))
