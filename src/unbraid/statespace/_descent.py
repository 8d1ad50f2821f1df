"""Levenberg-Marquardt on the simulation error of a state-space model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Mask
from ..dynamics._levenberg_marquardt import DescentHistory, DescentSettings, Point, minimise
from ..dynamics._refinement import RefinementStatus
from ..errors import DivergenceError
from ._problem import Parameters, StateSpaceProblem
from ._simulation import StateRun

SMALLEST_EFFECT = 1e-6  # of a parameter, relative to the largest: others are not scaled
RANK_TOLERANCE = 1e-13  # eigenvalues below it belong to a change of coordinates


@dataclass(frozen=True, eq=False)
class EstimationResult:
    """The last step of a descent, and its errors."""

    system: Any
    initial: Array  # initial states, (records, n_x)
    runs: list[StateRun]
    loss: float
    held_out_loss: float
    status: RefinementStatus
    errors: tuple[float, ...]  # in %, after every step
    held_out_errors: tuple[float, ...]


def descend(
    problem: StateSpaceProblem,
    form: Parameters,
    initial: Array,
    settings: DescentSettings | None = None,
    penalty: Array | None = None,
    is_acceptable: Callable[[Any], bool] | None = None,
    guesses: list[Array] | None = None,
) -> EstimationResult:
    """Minimise the simulation error and the penalty from these parameters and states.

    The states have about unit covariance. The initial states are drawn towards their mean, as a
    prior of unit variance does if the loss at the start is noise. ``penalty`` is a ridge on the
    parameters in the same unit. DivergenceError is raised if the simulation diverges at the start.
    """
    settings = DescentSettings() if settings is None else settings
    size, n = form.size, initial.shape[1]
    unknowns = np.concatenate([form.pack(), initial.ravel()])
    free = np.concatenate([form.free, np.full(initial.size, not problem.fixed_initial)])
    system = form.unpack(unknowns[:size])
    runs = problem.simulate(system, initial, guesses, thorough=True)
    if runs is None:
        raise DivergenceError("the simulation diverges at the start of the estimation", 0)
    loss = problem.loss(runs)
    ridge = np.eye(unknowns.size)
    ridge[:size, :size] = 0.0 if penalty is None else penalty
    ridge *= loss / problem.n_values
    objective = _SimulationObjective(problem, form, free, ridge, is_acceptable)
    start = Point(unknowns, system, runs, loss, loss + float(unknowns @ ridge @ unknowns))

    def held_out_loss(point: Point) -> float:
        return problem.held_out_loss(point.runs)

    history = DescentHistory(held_out_loss if problem.held_out else None)
    end, status = minimise(objective, start, settings, history.add)
    return EstimationResult(
        end.model,
        end.parameters[size:].reshape(-1, n),
        end.runs,
        end.loss,
        held_out_loss(end),
        status,
        tuple(history.errors),
        tuple(history.held_out_errors),
    )


@dataclass(frozen=True, eq=False)
class _SimulationObjective:
    """Simulation error and ridge as a function of parameters and initial states."""

    problem: StateSpaceProblem
    form: Parameters
    free: Mask
    ridge: Array
    is_acceptable: Callable[[Any], bool] | None

    def evaluate(self, unknowns: Array, near: Point) -> Point | None:
        """Simulate from the states of a point nearby; None if that costs more."""
        system = self.form.unpack(unknowns[: self.form.size])
        if self.is_acceptable is not None and not self.is_acceptable(system):
            return None
        initial = unknowns[self.form.size :].reshape(len(near.runs), -1)
        guesses = [run.x for run in near.runs]
        penalty = float(unknowns @ self.ridge @ unknowns)
        runs = self.problem.simulate(system, initial, guesses, ceiling=near.cost - penalty)
        if runs is None:
            return None
        loss = self.problem.loss(runs)
        return Point(unknowns, system, runs, loss, loss + penalty)

    def linearise(self, point: Point) -> Callable[[float], Array] | None:
        """Damped steps from one eigenvalue decomposition.

        The coordinates of the states are free: n_x^2 eigenvalues are 0, and no step goes there.
        """
        with np.errstate(all="ignore"):
            matrix, gradient = self.problem.normal_equations(self.form, point.model, point.runs)
        matrix, gradient = matrix + self.ridge, gradient + self.ridge @ point.parameters
        matrix, gradient = matrix[np.ix_(self.free, self.free)], gradient[self.free]
        if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(gradient))):
            return None
        scale = np.sqrt(np.maximum(np.diag(matrix), 0.0))
        scale = np.maximum(scale, SMALLEST_EFFECT * scale.max() + 1e-300)
        values, vectors = np.linalg.eigh(matrix / scale[:, None] / scale)
        kept = values > RANK_TOLERANCE * values[-1]
        values, vectors = values[kept], vectors[:, kept]
        projected = vectors.T @ (gradient / scale)

        def step(damping: float) -> Array:
            full = np.zeros(self.free.size)
            damped = projected / (values + damping * values[-1])
            full[self.free] = (vectors @ damped) / scale
            return full

        return step
