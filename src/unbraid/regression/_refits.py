"""Refine a decoupled function on the coupled model, or on the data.

The slope weight is the weight of the coupled model's slopes relative to the data when a decoupled
function is refined on them. None means no refinement: only the offset is fitted to the data.
"""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..model._fit_record import FitRecord
from ..model._function import NO_HELD_OUT_ERRORS, DecoupledFunction
from ..pipeline._joint_fit import FitObjective, fit_jointly, problem_for
from ..solvers._base import StopCriteria
from ._rows import Rows

SlopeWeight = float | None
COUPLED_SLOPE_WEIGHT = 0.1  # of the slopes relative to the values of the coupled model
CANCELLATION = 1e-4  # weight of the penalty on the variance of the branches
FINAL_STOP = StopCriteria(20)
FOLD_STOP = StopCriteria(20, tolerance=3e-3, patience=2)  # errors of a fold need no more


def refine_on_coupled(
    d: DecoupledFunction, coupled: Samples, basis: Basis, stop: StopCriteria = FINAL_STOP
) -> DecoupledFunction:
    """Refine on the values and slopes of the coupled model, in this basis."""
    return _refine(d, coupled, COUPLED_SLOPE_WEIGHT, stop, basis)


def refine_on_data(
    d: DecoupledFunction,
    rows: Rows,
    coupled: Samples,
    slope_weight: SlopeWeight,
    stop: StopCriteria = FINAL_STOP,
) -> DecoupledFunction:
    """Refine on the data and the slopes of the coupled model."""
    if slope_weight is not None:
        data = Samples(rows.X, rows.Y, coupled.jacobians)
        return _refine(d, data, slope_weight, stop, point_weights=rows.weights)
    shift = np.average(rows.Y - d(rows.X), axis=0, weights=rows.weights)
    return replace(d, offset=d.offset + shift, **NO_HELD_OUT_ERRORS)


def _refine(
    d: DecoupledFunction,
    samples: Samples,
    slope_weight: float,
    stop: StopCriteria,
    basis: Basis | None = None,
    point_weights: Array | None = None,
) -> DecoupledFunction:
    """Refine all parameters, and keep the record of how the function was found."""
    objective = FitObjective(slope_weight, smoothing="auto", cancellation=CANCELLATION)
    problem = problem_for(d, samples, None, compress=slope_weight > 0)
    fitted, status = fit_jointly(
        d, samples, problem, objective, stop, basis=basis, point_weights=point_weights
    )
    assert d.fit is not None  # every function here comes from the solver
    return replace(fitted, origin=d.origin, fit=FitRecord(d.fit.method, status))
