"""Partial residuals as the estimate of each branch."""

from dataclasses import replace

import numpy as np

from ..data._samples import Samples
from ..model._function import DecoupledFunction

MAX_PARTIAL_RESIDUALS = 2000  # points of the estimate that are kept with a branch


def with_partial_residuals(function: DecoupledFunction, samples: Samples) -> DecoupledFunction:
    """The function with partial residuals as the estimate of each branch.

    Outputs are weighted by the inverse of their spread, so that units do not matter.
    """
    count = min(MAX_PARTIAL_RESIDUALS, len(samples))
    rows = np.unique(np.linspace(0, len(samples) - 1, count).astype(int))
    points = samples.points[rows]
    spread = samples.values.std(axis=0)
    least = np.min(spread[spread > 0], initial=np.inf)
    size = np.divide(least, spread, out=np.zeros_like(spread), where=spread > 0)[:, None]
    energy = np.sum((size * function.W) ** 2, axis=0)
    projection = size**2 * function.W / np.where(energy > 0, energy, 1)
    rest = (samples.values[rows] - function(points)) @ projection
    z = function.transform(points)
    return replace(
        function,
        branches=tuple(
            replace(branch, estimate=np.column_stack([z[:, i], branch(z[:, i]) + rest[:, i]]))
            for i, branch in enumerate(function.branches)
        ),
    )
