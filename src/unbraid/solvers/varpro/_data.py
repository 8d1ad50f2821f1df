"""Points, Jacobians and values with the weights of a fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from ..._typing import Array, Index
from ...errors import InvalidSamplesError
from .._problem import Problem

CHUNK_ENTRIES = 1 << 20  # entries of the largest array of a chunk


@dataclass(frozen=True)
class Data:
    """Points, Jacobians (flattened) and centred values, with their weights.

    All arrays have a leading axis: of length 1 where all starts share the data, else of S starts.
    """

    points: Array  # (., N, m)
    jacobians: Array  # (., N, n m)
    values: Array  # (., N, n)
    value_map: Array  # (., n, n)
    root: Array  # square roots of the weights of the points, (., N, 1)
    jacobian_weight: Array  # (.,)
    value_weight: Array  # (.,)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(N, n, m)."""
        _, n_points, n_inputs = self.points.shape
        return n_points, self.values.shape[2], n_inputs

    @cached_property
    def n_points(self) -> Array:
        """Sum of the weights of the points, (.,)."""
        return np.asarray(np.sum(self.root[:, :, 0] ** 2, axis=1))

    @cached_property
    def has_point_weights(self) -> bool:
        """Whether some weights of points differ from 1."""
        return bool(np.any(self.root != 1))

    @property
    def has_jacobians(self) -> bool:
        return bool(np.any(self.jacobian_weight > 0))

    @property
    def has_values(self) -> bool:
        return bool(np.any(self.value_weight > 0))

    def weigh_jacobians(self, table: Array) -> Array:
        """Multiply what belongs to the Jacobians, (S, ...), by their weight."""
        return np.asarray(self.jacobian_weight.reshape(-1, *[1] * (table.ndim - 1)) * table)

    def weigh_values(self, table: Array) -> Array:
        """Multiply what belongs to the values, (S, ...), by their weight."""
        return np.asarray(self.value_weight.reshape(-1, *[1] * (table.ndim - 1)) * table)

    def select(self, starts: Index) -> Data:
        """Return the data of some of the starts."""
        if len(self.points) == 1:
            return self
        return Data(*(getattr(self, field.name)[starts] for field in fields(self)))

    def chunks(self, n_starts: int, n_branches: int, n_functions: int) -> Iterator[slice]:
        """Yield the rows to be taken at a time."""
        n_points = self.sizes[0]
        size = self.chunk_size(n_starts, n_branches, n_functions)
        for begin in range(0, n_points, size):
            yield slice(begin, min(begin + size, n_points))

    def chunk_size(self, n_starts: int, n_branches: int, n_functions: int) -> int:
        """Return how many points are taken at a time."""
        _, n, m = self.sizes
        n_features = max(n * m, n_branches * max(n_functions, m))
        return max(64, CHUNK_ENTRIES // (n_starts * n_features))


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
        problem.points[None],
        jacobians[None],
        values[None],
        problem.value_map[None],
        root[None],
        np.array([jacobian_weight / total / size_J if size_J > 0 else 0.0]),
        np.array([value_weight / total / size_F if size_F > 0 else 0.0]),
    )


def join_data(parts: Sequence[Data]) -> Data:
    """Return the data of several starts, each with its own, as one batch.

    Where they have different numbers of points, the last point is repeated without weight.
    """
    if len(parts) == 1:
        return parts[0]
    most = max(part.sizes[0] for part in parts)
    padded = [_with_points_without_weight(part, most - part.sizes[0]) for part in parts]
    names = [field.name for field in fields(Data)]
    return Data(*(np.concatenate([getattr(part, name) for part in padded]) for name in names))


def _with_points_without_weight(data: Data, count: int) -> Data:
    """Return the data with the last point repeated without weight."""
    if count == 0:
        return data
    ends = (0, 0), (0, count), (0, 0)
    zeros = {name: np.pad(getattr(data, name), ends) for name in ("jacobians", "values", "root")}
    return replace(data, points=np.pad(data.points, ends, mode="edge"), **zeros)
