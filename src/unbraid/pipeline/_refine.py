"""``refine``: fit all parameters of a decoupled function to samples, eq. (4)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .._typing import Array
from .._util.tables import check_same_names
from .._util.validation import check_integer, check_non_negative, finite_array
from ..bases import Basis
from ..data._samples import Samples
from ..errors import InvalidOptionError, InvalidSamplesError
from ..model._fit_record import FitRecord
from ..model._function import DecoupledFunction
from ..solvers._base import StopCriteria
from ._joint_fit import FitObjective, fit_jointly, problem_for
from ._partial_residuals import with_partial_residuals


def refine(
    d: DecoupledFunction,
    samples: Samples,
    *,
    basis: Basis | None = None,
    jacobian_weight: float = 0.0,
    value_weight: float = 1.0,
    smoothing: float | Literal["auto"] = 0.0,
    weights: Sequence[float] | Array | None = None,
    point_weights: Sequence[float] | Array | None = None,
    cancellation: float = 0.0,
    max_iterations: int = 50,
) -> DecoupledFunction:
    """Fit all parameters of a decoupled function to samples, from where they are.

    Entries of W and V that are zero stay zero, and branches along one direction stay together.

    Parameters
    ----------
    d : DecoupledFunction
        Branches must share one basis with second derivatives, unless ``basis`` is given.
    samples : Samples
    basis : Basis, optional
        Another basis for the branches.
    jacobian_weight, value_weight : float
        The default minimises eq. (4), the error of the values alone; a small weight on the
        Jacobians keeps branches smooth where values are few.
    smoothing : float or "auto"
        Weight of a penalty on g'''; "auto" selects it by generalised cross-validation.
    weights : (n,), optional
        Weight of each output, beside its own spread.
    point_weights : (N,), optional
        Weight of each point.
    cancellation : float
        Weight of a penalty on the variance of the branches: against large parts of them that
        cancel in their sum (1e-5 is little, 1e-2 much).
    max_iterations : int
        Levenberg-Marquardt steps; 0 fits the coefficients only.

    Returns
    -------
    DecoupledFunction
        Its ``converged`` is that of this fit.

    Examples
    --------
    >>> import unbraid
    >>> samples = unbraid.cases.toy_samples(random_state=0)
    >>> rough = unbraid.decouple(samples, n_branches=3, method="implicit", random_state=0,
    ...                          n_starts=2, basis=unbraid.Polynomial(3))
    >>> bool(refine(rough, samples).fitted_error.max() < 1e-6 < rough.fitted_error.max())
    True
    """
    _check(d, samples, jacobian_weight, value_weight, smoothing, max_iterations)
    fitted, status = fit_jointly(
        d,
        samples,
        problem_for(d, samples, weights, compress=jacobian_weight > 0),
        FitObjective(
            jacobian_weight,
            value_weight,
            smoothing,
            check_non_negative("cancellation", cancellation),
        ),
        StopCriteria(max_iterations),
        basis=basis,
        point_weights=_check_point_weights(point_weights, samples),
    )
    origin = f"{d.origin}\nRefined on {samples.words}." if d.origin else ""
    method = "refine" if d.fit is None else d.fit.method
    fitted = replace(fitted, origin=origin, fit=FitRecord(method, status))
    return with_partial_residuals(fitted, samples)


def _check_point_weights(weights: Sequence[float] | Array | None, samples: Samples) -> Array | None:
    if weights is None:
        return None
    rows = finite_array("point_weights", weights, ndim=1)
    if rows.shape != (len(samples),) or np.any(rows < 0) or not np.any(rows > 0):
        raise InvalidOptionError(
            f"point_weights must be {len(samples)} numbers >= 0, one per point and not all 0"
        )
    return rows


def _check(
    d: DecoupledFunction,
    samples: Samples,
    jacobian_weight: Any,
    value_weight: Any,
    smoothing: Any,
    max_iterations: Any,
) -> None:
    if not isinstance(d, DecoupledFunction) or not isinstance(samples, Samples):
        raise InvalidOptionError(
            f"refine(d, samples) takes a DecoupledFunction and Samples, got {type(d).__name__} and "
            f"{type(samples).__name__}"
        )
    weights = (
        check_non_negative("jacobian_weight", jacobian_weight),
        check_non_negative("value_weight", value_weight),
    )
    if sum(weights) == 0:
        raise InvalidOptionError("jacobian_weight and value_weight are both 0: nothing to fit")
    if not isinstance(smoothing, str) or smoothing != "auto":
        check_non_negative("smoothing", smoothing)
    check_integer("max_iterations", max_iterations, least=0)
    if (samples.n_inputs, samples.n_outputs) != (d.n_inputs, d.n_outputs):
        raise InvalidSamplesError(
            f"the function has {d.n_inputs} inputs and {d.n_outputs} outputs, the samples "
            f"{samples.n_inputs} and {samples.n_outputs}"
        )
    check_same_names("samples", samples.input_names, d.input_names)
