"""Points, Jacobians and values with the weights of a fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._typing import Array
from ...errors import InvalidSamplesError
from .._problem import Problem

CHUNK_ENTRIES = 1 << 20  # entries of the largest array of a chunk


@dataclass(frozen=True)
class Data:
    """Points, Jacobians (flattened) and centred values, with their weights."""

    points: Array
    jacobians: Array
    values: Array
    value_map: Array
    root: Array  # square roots of the weights of the points, (N, 1)
    jacobian_weight: float
    value_weight: float

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(N, n, m)."""
        n_points, n_inputs = self.points.shape
        return n_points, self.values.shape[1], n_inputs

    def chunks(self, n_starts: int, n_branches: int, n_functions: int) -> Iterator[slice]:
        """Yield the rows to be taken at a time."""
        n_points, n, m = self.sizes
        n_features = max(n * m, n_branches * max(n_functions, m))
        size = max(64, CHUNK_ENTRIES // (n_starts * n_features))
        for begin in range(0, n_points, size):
            yield slice(begin, min(begin + size, n_points))


def make_data(
    problem: Problem,
    jacobian_weight: float = 1.0,
    value_weight: float = 1.0,
    point_weights: Array | None = None,
) -> Data:
    """Divide each part by its norm; scale the two weights to sum to 1."""
    n_points = len(problem.points)
    weights = np.ones(n_points) if point_weights is None else point_weights / point_weights.mean()
    root = np.sqrt(weights)[:, None]
    values = root * (problem.values - np.mean(root**2 * problem.values, axis=0))
    jacobians = problem.jacobians.reshape(n_points, -1)
    jacobians = jacobians if point_weights is None else root * jacobians
    total = jacobian_weight + value_weight
    size_J, size_F = float(np.sum(jacobians**2)), float(np.sum(values**2))
    if not (jacobian_weight * size_J > 0 or value_weight * size_F > 0):
        raise InvalidSamplesError(
            "the part of the data that is to count does not vary: give the other part a weight, or "
            "choose points where f varies"
        )
    return Data(
        problem.points,
        jacobians,
        values,
        problem.value_map,
        root,
        jacobian_weight / total / size_J if size_J > 0 else 0.0,
        value_weight / total / size_F if size_F > 0 else 0.0,
    )
