"""Evaluate a model and its Jacobian at operating points."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._typing import Array
from .._util.tables import column_names, match_columns
from .._util.validation import check_magnitude, finite_array
from ..data._samples import Samples
from ..errors import InvalidOptionError, InvalidSamplesError
from ._dispatch import as_function, trace_callable
from ._evaluator import EPSILON, Evaluator, evaluate_finite, find_precision
from ._files import is_data_file, read_samples
from ._jacobians import estimate_jacobians, evaluate_jacobian
from ._selection import make_selection


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
        A callable takes all points (N, m) and returns (N, n), or takes one point (m,) and returns
        (n,) or a number. Which of the two is found by trying. Models of PyTorch (in evaluation
        mode), JAX, scikit-learn, SymPy and ONNX, also as a path to an .onnx file, have exact
        Jacobians, as do plain functions of torch or JAX operations. Any other model with
        ``predict`` is accepted. A path to a .mat, .npz or .csv file of points, values and
        Jacobians needs no points, see ``unbraid.sources.read_samples``.
    points : (N, m)
        The columns of a table with names are matched with those that the model was fitted on.
    jacobian : callable, optional
        Takes points in the same way and returns (N, n, m) or (n, m). Without it, the model's own
        ``jacobian`` method is used if there is one; else a complex step where the model accepts
        complex numbers (exact to rounding); else central differences, whose estimated relative
        error is in ``samples.accuracy``. ``samples.source`` names the method.
    inputs : list of int, optional
        Inputs of the model that the columns of points hold, counted from 0.
    fixed : dict of int to float, or a point with all inputs, optional
        Values of the fixed inputs.
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
            raise InvalidOptionError(f"{model} holds its own samples: pass the file alone")
        return read_samples(model)
    if jacobian is not None and not callable(jacobian):
        raise InvalidOptionError(
            f"jacobian is {type(jacobian).__name__}: pass a function of points; arrays of values "
            f"and Jacobians go into Samples(points, values, jacobians)"
        )
    f = as_function(model)
    points = match_columns(points, _input_names(model)) if inputs is None else points
    table, names = _check_points(points), column_names(points)
    selection = make_selection(table.shape[1], inputs, fixed, outputs)
    full = selection.expand_points(table)
    f = f if jacobian is not None else trace_callable(f, full)
    evaluator = Evaluator(f, full)

    def evaluate(rows: Any) -> Any:
        return selection.select_outputs(evaluator(selection.expand_points(rows)))

    values = evaluate_finite(evaluate, table)
    exact = jacobian if jacobian is not None else getattr(f, "jacobian", None)
    if not callable(exact):
        estimate = estimate_jacobians(evaluate, table, values)
        return Samples(table, values, *estimate, estimated=True, input_names=names)
    source = "given" if jacobian is not None else getattr(f, "source", "given")
    first = np.asarray(evaluator(full[:1]))
    if source == "given":
        jacobians, precision = evaluate_jacobian(exact, full, first.shape[1]), 0.0
    else:
        jacobians, precision = np.asarray(exact(full)), find_precision(first)
    accuracy = precision if precision > EPSILON else 0.0
    jacobians = selection.select_jacobians(jacobians)
    return Samples(table, values, jacobians, source, accuracy, input_names=names)


def _input_names(model: Any) -> Sequence[str] | None:
    """Names of the columns that a model expects: scikit-learn's, or our own."""
    names: Sequence[str] | None = getattr(model, "feature_names_in_", None)
    if names is None and isinstance(getattr(model, "input_names", None), tuple):
        names = model.input_names
    return names


def _check_points(points: Any) -> Array:
    if points is None:
        raise InvalidOptionError(
            "points are missing: a model is evaluated at points (N, m), one row per point"
        )
    table = finite_array("points", points, ndim=2)
    if table.size == 0:
        raise InvalidSamplesError(
            f"points is empty: its shape is {table.shape}; pass one row per point and one column "
            f"per input"
        )
    return check_magnitude("points", table)
