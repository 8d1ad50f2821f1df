"""Coordinates of the states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._typing import Array
from ._equations import Equations
from ._simulation import StateRun

OBSERVED_SAMPLES = 20  # next outputs by which the effect of a state is measured
SMALLEST_VARIANCE = 1e-10  # of a state, relative to the largest: such states are not enlarged


def standardise_states(
    e: Equations, runs: Sequence[StateRun], initial: Array
) -> tuple[Equations, Array]:
    """The equations and initial states in standard coordinates of the states."""
    matrix, centre = find_state_coordinates(e.A, e.C, runs)
    states = np.asarray(np.linalg.solve(matrix, (initial - centre).T).T)
    return e.with_states(matrix, centre), states


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
