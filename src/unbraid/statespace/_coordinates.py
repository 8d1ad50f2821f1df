"""Coordinates of the states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._typing import Array
from ._equations import Equations
from ._integrators import find_integrators, restore_integrators, select_others
from ._simulation import StateRun

OBSERVED_SAMPLES = 20  # next outputs by which the effect of a state is measured
SMALLEST_VARIANCE = 1e-10  # of a state, relative to the largest: such states are not enlarged


def standardise_states(
    e: Equations, runs: Sequence[StateRun], initial: Array
) -> tuple[Equations, Array]:
    """The equations and initial states in standard coordinates of the states."""
    integrators = find_integrators(e)
    if not integrators:
        matrix, centre = find_state_coordinates(e.A, e.C, runs)
    else:
        matrix, centre = _find_separate_coordinates(e, runs)
    states = np.asarray(np.linalg.solve(matrix, (initial - centre).T).T)
    return restore_integrators(e.with_states(matrix, centre), integrators), states


def _find_separate_coordinates(e: Equations, runs: Sequence[StateRun]) -> tuple[Array, Array]:
    """Coordinates in which integrators stay apart: these are only scaled and shifted."""
    x = np.concatenate([run.x for run in runs])
    others = select_others(e)
    sums = np.setdiff1d(np.arange(e.n_states), others)
    matrix, centre = np.diag(np.maximum(x.std(axis=0), 1e-300)), x.mean(axis=0)
    if others.size:
        grid = np.ix_(others, others)
        parts = [StateRun(run.x[:, others], run.y) for run in runs]
        matrix[grid], centre[others] = find_state_coordinates(
            e.A[grid], e.A[np.ix_(sums, others)], parts
        )
    return matrix, centre


def find_state_coordinates(A: Array, C: Array, runs: Sequence[StateRun]) -> tuple[Array, Array]:
    """Matrix and centre of standard states: x = matrix x_new + centre.

    These have zero mean and unit covariance, and are ordered by their effect on the next outputs,
    which makes them unique.
    """
    x = np.concatenate([run.x for run in runs])
    centre = x.mean(axis=0)
    covariance = np.atleast_2d(np.cov(x.T))
    floor = SMALLEST_VARIANCE * max(np.trace(covariance), 1e-300)
    root = np.linalg.cholesky(covariance + floor * np.eye(len(covariance)))
    effect = [C @ root]
    step = np.linalg.solve(root, A @ root)
    for _ in range(OBSERVED_SAMPLES - 1):
        effect.append(effect[-1] @ step)
    rows = np.concatenate(effect)
    _, _, right = np.linalg.svd(rows, full_matrices=True)
    matrix = root @ right.T
    observed = rows @ right.T
    largest = observed[np.argmax(np.abs(observed), axis=0), np.arange(observed.shape[1])]
    return matrix * np.where(largest < 0, -1.0, 1.0), centre
