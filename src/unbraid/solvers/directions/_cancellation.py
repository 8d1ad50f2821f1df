"""Curves that cancel each other, and how one more direction avoids them.

A product of one input and a curve of another is a sum of two curves along close directions. Where
the product has a mean as well, the two directions are drawn together, and their curves grow and
cancel. A curve along one of the inputs takes the mean over, and the directions spread.
"""

from __future__ import annotations

import numpy as np

from ..._typing import Array
from ._descent import fit_directions
from ._fit import DirectionFit, curve_values, total_error, validation_errors
from ._problem import DirectionProblem

ACCEPTED_CANCELLATION = 1.4  # variances of the terms over that of the output
FINAL_ITERATIONS = 25


def measure_cancellation(problem: DirectionProblem, fit: DirectionFit) -> float:
    """Variances of linear part and curves over that of their sum; the largest output.

    The slopes of the curves count as linear part. Without cancellation the ratio is near 1.
    """
    points = problem.points
    curves = curve_values(fit, points)
    curves = curves - curves.mean(axis=0)
    z = points @ fit.directions.T
    slopes = np.einsum("kd,kdo->do", z, curves) / np.sum(z**2, axis=0)[:, None]
    linear = fit.coefficients[1 : 1 + points.shape[1]] + fit.directions.T @ slopes
    curves -= z[:, :, None] * slopes
    parts = curves.var(axis=0).sum(axis=0) + (points @ linear).var(axis=0)
    whole = fit.predict(points).var(axis=0)
    return float(np.max(parts / np.maximum(whole, np.finfo(float).tiny)))


def avoid_cancellation(
    problem: DirectionProblem, fit: DirectionFit, max_increase: float
) -> DirectionFit:
    """Directions, and one input among them where the curves cancel without it."""
    if len(fit.directions) < 2 or measure_cancellation(problem, fit) <= ACCEPTED_CANCELLATION:
        return fit
    limit = (1 + max_increase) * total_error(validation_errors(problem, fit))
    trials = [_fit_with(problem, fit, axis) for axis in _find_missing_inputs(fit.directions)]
    within = [t for t in trials if total_error(validation_errors(problem, t)) <= limit]
    return min([fit, *within], key=lambda trial: measure_cancellation(problem, trial))


def _find_missing_inputs(directions: Array) -> Array:
    """Inputs of mixed directions that are no direction yet, as unit rows."""
    used = directions != 0
    several = np.any(used[used.sum(axis=1) > 1], axis=0)
    alone = np.any(used[used.sum(axis=1) == 1], axis=0)
    return np.asarray(np.eye(directions.shape[1])[several & ~alone])


def _fit_with(problem: DirectionProblem, fit: DirectionFit, direction: Array) -> DirectionFit:
    directions = np.vstack([fit.directions, direction])
    return fit_directions(
        problem, directions, fit.n_splines, directions != 0, max_iterations=FINAL_ITERATIONS
    )
