"""The bases of all branches, of one start or of many, evaluated at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._typing import Array, Index
from ...bases import Basis, Polynomial
from ...bases._legendre import legendre_designs

ENDS = np.array([-1.0, 1.0])
LEAST_PENALTY = 1e-15  # lost in the rounding where there are data
MOST_PENALTY = 1e6  # under it branches are parabolas already


@dataclass(frozen=True)
class Stack:
    """One bound basis for each of r branches in each of S starts, all of the same size K.

    Polynomials are evaluated for all of them in one go; other bases one after the other.
    """

    n_functions: int
    centre: Array
    half: Array
    bound: tuple[tuple[Basis, ...], ...] | None

    def design(self, z: Array, order: int) -> Array:
        """(S, N, r, K) functions or derivatives at z (S, N, r)."""
        return self.designs(z, (order,))[0]

    def designs(self, z: Array, orders: Sequence[int]) -> list[Array]:
        """Several derivatives at once."""
        if self.bound is None:
            t = (z - self.centre) / self.half
            tables = legendre_designs(t, self.n_functions, orders)
            return [
                table * (self.half**-order)[..., None] if order else table
                for table, order in zip(tables, orders, strict=True)
            ]
        tables = [np.empty((*z.shape, self.n_functions)) for _ in orders]
        for s, bases in enumerate(self.bound):
            for i, basis in enumerate(bases):
                for table, order in zip(tables, orders, strict=True):
                    table[s, :, i] = basis.design(z[s, :, i], order)
        return tables

    def select(self, starts: Index) -> Stack:
        """The stack of some of the starts."""
        bound = None if self.bound is None else tuple(self.bound[s] for s in starts)
        return Stack(self.n_functions, self.centre[starts], self.half[starts], bound)

    def penalty(self, weight: float) -> Array | None:
        """``weight`` times the roughness; never quite nothing where a span may hold no data."""
        weight = weight if self.bound is None else max(weight, LEAST_PENALTY)
        weight = min(weight, MOST_PENALTY)
        return weight * self.roughness() if weight else None

    def energy(self, n_nodes: int = 200) -> Array:
        """(S, r, K, K) variance of the branches over their intervals."""
        nodes = np.linspace(-1, 1, n_nodes)[None, :, None]
        table = self.design(self.centre + self.half * nodes, 0)
        table = (table - table.mean(axis=1, keepdims=True)).transpose(0, 2, 1, 3)
        return np.asarray(table.swapaxes(-1, -2) @ table / n_nodes)

    def roughness(self, n_nodes: int = 200) -> Array:
        """(S, r, K, K) mean square of the third derivative over each interval, as a slope.

        Of the second one for splines that have no third.
        """
        kinds = [] if self.bound is None else [basis.smoothness for basis in self.bound[0]]
        order = 2 if min(kinds, default=2) < 2 else 3
        nodes = np.linspace(-1, 1, n_nodes)[None, :, None]
        z = self.centre + self.half * nodes
        table = self.design(z, order) * (self.half ** (order - 1))[..., None]
        table = table.transpose(0, 2, 1, 3)
        return np.asarray(table.swapaxes(-1, -2) @ table / n_nodes)


def make_stack(basis: Basis, z: Array, margin: float = 0.0) -> Stack:
    """Bind a basis to the range of every branch of every start, z (S, N, r), and a margin."""
    low, high = z.min(axis=1, keepdims=True), z.max(axis=1, keepdims=True)
    centre, half = 0.5 * (low + high), 0.5 * (1 + margin) * (high - low)
    half = np.where(half > 1e-12 * np.abs(centre), half, 1.0)  # a branch that no point moves
    if isinstance(basis, Polynomial):
        return Stack(basis.degree, centre, half, None)
    bound = []
    for s in range(z.shape[0]):
        columns = [
            np.append(z[s, :, i], centre[s, 0, i] + half[s, 0, i] * ENDS)
            if margin or low[s, 0, i] == high[s, 0, i]
            else z[s, :, i]
            for i in range(z.shape[2])
        ]
        bound.append(tuple(basis.bind(column) for column in columns))
    return Stack(basis.n_functions, centre, half, tuple(bound))
