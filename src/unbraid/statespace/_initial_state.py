"""Initial states of a simulation: from the first outputs, or at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Mask
from ..dynamics._levenberg_marquardt import DescentSettings
from ..dynamics._records import Record
from ..errors import DivergenceError
from ._descent import descend
from ._problem import StateSpaceProblem
from ._simulation import Transition

MAX_REST_STEPS = 50
REST_ROUNDS = 10  # of Newton's method, with a simulation between two of them
REST_SAMPLES = 200  # of that simulation
REST_TOLERANCE = 1e-10
INITIAL_ROUNDS = 4  # each takes the error of the last one as the noise


@dataclass(frozen=True, eq=False)
class FixedSystem:
    """Equations without parameters to estimate."""

    system: Any
    size: int = 0

    @property
    def free(self) -> Mask:
        return np.ones(0, dtype=bool)

    def pack(self) -> Array:
        return np.zeros(0)

    def unpack(self, parameters: Array) -> Any:
        return self.system

    def sensitivities(self, system: Any, table: Array, n_more: int = 0) -> Array:
        n_equations = system.values(table[:1]).shape[1]
        return np.zeros((len(table), n_equations, n_more))


@dataclass(frozen=True, eq=False)
class ScaledOutputs:
    """A map whose values are divided by a unit each."""

    system: Transition
    units: Array

    @property
    def vectorised(self) -> bool:
        return self.system.vectorised

    @property
    def rounding(self) -> float:
        return self.system.rounding

    def values(self, table: Array) -> Array:
        return np.asarray(self.system.values(table) / self.units)

    def linearise(self, table: Array, columns: Any) -> tuple[Array, Array]:
        values, slopes = self.system.linearise(table, columns)
        return values / self.units, slopes / self.units[:, None]


def estimate_initial_state(
    system: Transition,
    u: Array,
    y: Array,
    starts: Array,
    bounds: tuple[Array, Array] | None = None,
    spread: Array | None = None,
) -> Array:
    """The initial state that matches these first outputs best, from several starts.

    ``spread`` is the unit of each output, 1 by default. DivergenceError is raised if the simulation
    diverges from every start.
    """
    if spread is not None:
        system = ScaledOutputs(system, np.concatenate([np.ones(starts.shape[1]), spread]))
        y = y / spread
        bounds = None if bounds is None else (bounds[0] / spread, bounds[1] / spread)
    problem = StateSpaceProblem([Record(u, y)], bounds=bounds)
    settings = DescentSettings(tolerance=1e-6, first_damping=1e-3)
    found = []
    for start in starts:
        initial = start[None]
        try:
            for _ in range(INITIAL_ROUNDS):
                descent = descend(problem, FixedSystem(system), initial, settings)
                initial = descent.initial
        except DivergenceError:
            continue
        found.append(descent)
    if not found:
        raise DivergenceError(
            "the simulation of the initial samples diverges: pass x0, or fewer initial samples", 0
        )
    return np.asarray(min(found, key=lambda descent: descent.loss).initial[0])


def find_rest(system: Transition, u: Array, n_states: int) -> Array | None:
    """The steady state x = F(x, u); None if none is found."""
    x = find_rests(system, u[None], n_states)[0]
    return None if np.isnan(x).any() else x


def find_rests(system: Transition, u: Array, n_states: int) -> Array:
    """The steady states (N, n_x) at rows of inputs (N, n_u); NaN where none is found.

    Newton's method can cycle around a kink of a curve. It is repeated from states that a simulation
    with constant input reaches.
    """
    x = np.zeros((len(u), n_states))
    found = np.full_like(x, np.nan)
    rows = np.arange(len(u))
    with np.errstate(all="ignore"):
        for _ in range(REST_ROUNDS):
            found[rows] = _solve_rests(system, x[rows], u[rows])
            rows = rows[np.isnan(found[rows, 0])]
            for _ in range(REST_SAMPLES):
                if not rows.size:
                    return found
                table = np.concatenate([x[rows], u[rows]], axis=1)
                x[rows] = system.values(table)[:, :n_states]
                rows = rows[np.isfinite(x[rows]).all(axis=1)]
    return found


def _solve_rests(system: Transition, x: Array, u: Array) -> Array:
    """Newton's method for steady states; NaN where it does not converge."""
    n_states = x.shape[1]
    x, found = x.copy(), np.full_like(x, np.nan)
    rows = np.arange(len(x))
    for _ in range(MAX_REST_STEPS):
        table = np.concatenate([x[rows], u[rows]], axis=1)
        values, slopes = system.linearise(table, np.arange(n_states))
        residual, slopes = values[:, :n_states] - x[rows], slopes[:, :n_states]
        size = np.maximum(np.abs(x[rows]).max(axis=1), 1.0)
        is_solved = np.abs(residual).max(axis=1) <= REST_TOLERANCE * size
        found[rows[is_solved]] = x[rows[is_solved]]
        is_finite = np.isfinite(residual).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
        left = is_finite & ~is_solved
        rows = rows[left]
        if not rows.size:
            break
        matrices = np.eye(n_states) - slopes[left]
        x[rows] += [
            np.linalg.lstsq(matrix, target, rcond=1e-10)[0]
            for matrix, target in zip(matrices, residual[left], strict=True)
        ]
    return found
