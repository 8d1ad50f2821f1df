"""Evaluate a model and its Jacobian at operating points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array, moderate
from ..data._samples import Samples
from ..errors import InvalidOption, InvalidSamples
from ._callables import (
    EPSILON,
    Evaluate,
    Evaluator,
    given_jacobians,
    numerical_jacobians,
    rounding,
    values_of,
)
from ._dispatch import as_function, traced
from ._files import is_data_file, read_samples
from ._selection import part_of
from ._sklearn import in_order


def sample(
    model: Any,
    points: Any = None,
    jacobian: Callable[..., Any] | None = None,
    *,
    inputs: Any = None,
    fixed: Any = None,
    outputs: Any = None,
) -> Samples:
    """Evaluate a model and its Jacobian at operating points.

    Parameters
    ----------
    model : callable, model or file
        A callable takes all points (N, m) and returns (N, n), or one point (m,) and returns (n,)
        or a number; which of the two is found out by trying. Models of PyTorch (in evaluation
        mode), JAX, scikit-learn, SymPy and ONNX, also as a path to an .onnx file, come with exact
        Jacobians, as do plain functions made of torch or JAX. Any other model with ``predict``
        will do. A path to a .mat, .npz or .csv file of points, values and Jacobians needs no
        points, see ``unbraid.sources.read_samples``.
    points : (N, m)
    jacobian : callable, optional
        Takes points likewise and returns (N, n, m) or (n, m). Without it, the model's own
        ``jacobian`` method is used if there is one; else a complex step where it survives complex
        numbers (exact to rounding); else central differences, whose estimated relative error is
        in ``samples.accuracy``. ``samples.source`` says which it was.
    inputs : list of int, optional
        Inputs of the model that the columns of points fill, counted from 0.
    fixed : dict of int to float, or a point with all inputs, optional
        Values of the inputs that do not move.
    outputs : list of int, optional
        Outputs of the model to keep.

    Examples
    --------
    >>> import numpy as np
    >>> samples = sample(lambda p: np.sin(p[:, :1] + 2 * p[:, 1:]), np.eye(2))
    >>> samples
    Samples(2 points, 2 inputs, 1 output, Jacobians by complex step)
    >>> bool(np.allclose(samples.jacobians[:, 0, 1], 2 * np.cos([1, 2])))
    True

    Of three inputs, the second held at 0.5:

    >>> sample(lambda p: p[:, :1] * p[:, 1:], np.eye(2), inputs=[0, 2], fixed={1: 0.5}).values
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    if is_data_file(model):
        if any(x is not None for x in (points, jacobian, inputs, fixed, outputs)):
            raise InvalidOption(f"{model} holds its own samples: pass the file alone")
        return read_samples(model)
    if jacobian is not None and not callable(jacobian):
        raise InvalidOption(
            f"jacobian is {type(jacobian).__name__}: pass a function of points; arrays of values "
            f"and Jacobians go into Samples(points, values, jacobians)"
        )
    f = as_function(model)
    if points is None:
        raise InvalidOption("points are missing: a model is evaluated at points (N, m), one a row")
    points = in_order(model, points) if inputs is None else points
    table = finite_array("points", points, ndim=2)
    if table.size == 0:
        raise InvalidSamples(
            f"points is empty: its shape is {table.shape}; pass one row a point and one column an "
            f"input"
        )
    moderate("points", table)
    part = part_of(table.shape[1], inputs, fixed, outputs)
    whole = part.whole(table)
    f = f if jacobian is not None else traced(f, whole)
    evaluate = Evaluator(f, whole)

    def chosen(rows: Any) -> Any:
        return part.picked(evaluate(part.whole(rows)))

    values = values_of(chosen, table)
    own = jacobian if jacobian is not None else getattr(f, "jacobian", None)
    if not callable(own):
        return Samples(table, values, *numerical_jacobians(chosen, table, values))
    source = "given" if jacobian is not None else getattr(f, "source", "given")
    jacobians, accuracy = _jacobians(own, evaluate, whole, source)
    return Samples(table, values, part.of_jacobians(jacobians), source, accuracy)


def _jacobians(
    own: Callable[..., Any], evaluate: Evaluate, points: Array, source: str
) -> tuple[Array, float]:
    """Jacobians (N, n, m) that come with a model, and the rounding of its arithmetic."""
    first = np.asarray(evaluate(points[:1]))
    if source == "given":
        return given_jacobians(own, points, first.shape[1]), 0.0
    lost = rounding(first)
    return np.asarray(own(points)), lost if lost > EPSILON else 0.0
