"""Refine a decoupled function on the coupled model, or on the data.

The slope weight is the weight of the coupled model's slopes relative to the data when a decoupled
function is refined on them. None means no refinement: only the offset is fitted to the data.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..data._samples import Samples
from ..model._fit_record import FitRecord
from ..model._function import NO_HELD_OUT_ERRORS, DecoupledFunction
from ..pipeline._joint_fit import FitObjective, FitTask, fit_together, problem_for
from ..solvers._base import StopCriteria
from ._rows import Rows

SlopeWeight = float | None
COUPLED_SLOPE_WEIGHT = 0.1  # of the slopes relative to the values of the coupled model
CANCELLATION = 1e-4  # weight of the penalty on the variance of the branches
FINAL_STOP = StopCriteria(20)
FOLD_STOP = StopCriteria(20, tolerance=3e-3, patience=2)  # errors of a fold need no more


def refine_on_coupled(
    functions: Sequence[DecoupledFunction],
    coupled: Sequence[Samples],
    basis: Basis,
    stop: StopCriteria = FINAL_STOP,
) -> list[DecoupledFunction]:
    """Refine each on the values and slopes of its coupled model, in this basis."""
    tasks = [
        _make_task(d, samples, COUPLED_SLOPE_WEIGHT, basis)
        for d, samples in zip(functions, coupled, strict=True)
    ]
    return _refine(tasks, COUPLED_SLOPE_WEIGHT, stop)


def refine_on_data(
    functions: Sequence[DecoupledFunction],
    data: Sequence[tuple[Rows, Samples]],
    slope_weight: SlopeWeight,
    stop: StopCriteria = FINAL_STOP,
) -> list[DecoupledFunction]:
    """Refine each on its rows of data and the slopes of its coupled model."""
    pairs = zip(functions, data, strict=True)
    if slope_weight is None:
        return [_with_offset_of(d, rows) for d, (rows, _) in pairs]
    tasks = []
    for d, (rows, coupled) in pairs:
        samples = Samples(rows.X, rows.Y, coupled.jacobians)
        tasks.append(_make_task(d, samples, slope_weight, point_weights=rows.weights))
    return _refine(tasks, slope_weight, stop)


def _with_offset_of(d: DecoupledFunction, rows: Rows) -> DecoupledFunction:
    """The function with the offset that fits rows of data."""
    shift = np.average(rows.Y - d(rows.X), axis=0, weights=rows.weights)
    return replace(d, offset=d.offset + shift, **NO_HELD_OUT_ERRORS)


def _make_task(
    d: DecoupledFunction,
    samples: Samples,
    slope_weight: float,
    basis: Basis | None = None,
    point_weights: Array | None = None,
) -> FitTask:
    problem = problem_for(d, samples, None, compress=slope_weight > 0)
    return FitTask(d, samples, problem, basis, point_weights)


def _refine(
    tasks: Sequence[FitTask], slope_weight: float, stop: StopCriteria
) -> list[DecoupledFunction]:
    """Refine all parameters, and keep the records of how the functions were found."""
    objective = FitObjective(
        slope_weight, smoothing="auto", cancellation=CANCELLATION, selects_again=stop is FINAL_STOP
    )
    refined = []
    for task, (fitted, status) in zip(tasks, fit_together(tasks, objective, stop), strict=True):
        known = task.function
        assert known.fit is not None  # every function here comes from the solver
        record = FitRecord(known.fit.method, status)
        refined.append(replace(fitted, origin=known.origin, fit=record))
    return refined
