"""State and output equation as one static map of states and inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from ..dynamics._change_of_variable import change_variable
from ..model._branch import Branch


@dataclass(frozen=True, eq=False)
class Equations:
    """``q = linear p + W g(V' p) + offset`` with p = [x; u] and q = [next x; y].

    It has ``values`` and ``linearise`` like the maps in ``dynamics/_static_map.py``.
    """

    n_states: int
    linear: Array  # (n_x + n_y, n_x + n_u): the matrices A, B, C, D
    offset: Array  # (n_x + n_y,)
    W: Array  # (n_x + n_y, r)
    V: Array  # (n_x + n_u, r)
    branches: tuple[Branch, ...] = ()
    vectorised: bool = True
    rounding: float = float(np.finfo(float).eps)

    @property
    def A(self) -> Array:
        return self.linear[: self.n_states, : self.n_states]

    @property
    def B(self) -> Array:
        return self.linear[: self.n_states, self.n_states :]

    @property
    def C(self) -> Array:
        return self.linear[self.n_states :, : self.n_states]

    @property
    def D(self) -> Array:
        return self.linear[self.n_states :, self.n_states :]

    @property
    def n_inputs(self) -> int:
        return int(self.linear.shape[1]) - self.n_states

    @property
    def n_outputs(self) -> int:
        return int(self.linear.shape[0]) - self.n_states

    @property
    def n_branches(self) -> int:
        return len(self.branches)

    def values(self, table: Array) -> Array:
        """q at rows of p, (N, n_x + n_y)."""
        return self._combine(table, [b(z) for b, z in self._arguments(table)])

    def linearise(self, table: Array, columns: Any) -> tuple[Array, Array]:
        """q and its derivatives by these columns of p, (N, n_x + n_y, k)."""
        pairs = [b.linearise(z) for b, z in self._arguments(table)]
        values = self._combine(table, [value for value, _ in pairs])
        shape = (len(table), len(self.linear), len(columns))
        if not pairs:
            return values, np.broadcast_to(self.linear[:, columns], shape)
        slopes = np.stack([slope for _, slope in pairs], axis=1)
        gains = np.einsum("oi,li->iol", self.W, self.V[columns]).reshape(self.n_branches, -1)
        return values, (slopes @ gains).reshape(shape) + self.linear[:, columns]

    def _arguments(self, table: Array) -> list[tuple[Branch, Array]]:
        return list(zip(self.branches, (table @ self.V).T, strict=True))

    def _combine(self, table: Array, curves: Sequence[Array]) -> Array:
        values = table @ self.linear.T + self.offset
        return values + np.stack(curves, axis=1) @ self.W.T if curves else values

    def substitute(self, inner: Array, shift: Array, outer: Array, level: Array) -> Equations:
        """The equations of new p and q: p = inner p_new + shift, q_new = outer q + level."""
        branches, constants = [], []
        for branch, offset in zip(self.branches, self.V.T @ shift, strict=True):
            moved, constant = change_variable(branch, 1.0, float(offset))
            branches.append(moved)
            constants.append(constant)
        old = self.linear @ shift + self.offset + self.W @ np.array(constants).reshape(-1)
        return replace(
            self,
            linear=outer @ self.linear @ inner,
            offset=outer @ old + level,
            W=outer @ self.W,
            V=inner.T @ self.V,
            branches=tuple(branches),
        )

    def with_states(self, matrix: Array, centre: Array) -> Equations:
        """The equations of new states: x = matrix x_new + centre."""
        inverse = np.linalg.inv(matrix)
        inner, shift = np.eye(self.linear.shape[1]), np.zeros(self.linear.shape[1])
        outer, level = np.eye(len(self.linear)), np.zeros(len(self.linear))
        n = self.n_states
        inner[:n, :n], shift[:n] = matrix, centre
        outer[:n, :n], level[:n] = inverse, -inverse @ centre
        return self.substitute(inner, shift, outer, level)


def make_linear_equations(A: Array, B: Array, C: Array, D: Array) -> Equations:
    """Equations without branches and offsets."""
    linear = np.block([[A, B], [C, D]])
    n, m = linear.shape
    return Equations(len(A), linear, np.zeros(n), np.zeros((n, 0)), np.zeros((m, 0)))


def add_branches(equations: Equations, W: Array, V: Array, branches: Sequence[Branch]) -> Equations:
    """The equations with more branches."""
    return replace(
        equations,
        W=np.column_stack([equations.W, W]),
        V=np.column_stack([equations.V, V]),
        branches=(*equations.branches, *branches),
    )
