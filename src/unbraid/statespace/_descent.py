"""Levenberg-Marquardt on the simulation error of a state-space model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._typing import Array, Mask
from .._util.progress import report_progress
from ..dynamics._refinement import RefinementStatus
from ..errors import DivergenceError
from ._problem import Parameters, StateSpaceProblem
from ._simulation import StateRun


@dataclass(frozen=True)
class DescentSettings:
    """How a descent damps its steps, and when it stops."""

    max_iterations: int = 60
    tolerance: float = 1e-4  # relative decrease of the loss that counts as progress
    patience: int = 3  # steps without progress in a row, after which the descent has converged
    early_stopping: bool = False  # whether the held-out samples choose the step that is kept
    held_out_patience: int = 12  # steps without progress on the held-out samples
    first_damping: float = 1e-2  # relative to the largest eigenvalue
    smallest_damping: float = 1e-14
    largest_damping: float = 1e8
    increase: float = 4.0  # of the damping after a refused step
    decrease: float = 10.0  # of the damping after a taken step
    smallest_effect: float = 1e-6  # of a parameter, relative to the largest: others are not scaled
    rank_tolerance: float = 1e-13  # eigenvalues below it belong to a change of coordinates


@dataclass(frozen=True, eq=False)
class EstimationResult:
    """The result of a descent: its last step, or the best on the held-out samples."""

    system: Any
    initial: Array  # initial states, (records, n_x)
    runs: list[StateRun]
    loss: float
    held_out_loss: float
    status: RefinementStatus
    errors: tuple[float, ...]  # in %, after every step
    held_out_errors: tuple[float, ...]


@dataclass(eq=False)
class _Best:
    """The best step so far, and whether steps have stopped being better."""

    patience: int
    early_stopping: bool
    least: float = np.inf
    at: int = 0
    errors: list[float] = field(default_factory=list)
    held_out_errors: list[float] = field(default_factory=list)
    kept: tuple[Any, ...] = ()

    def add(self, loss: float, held_out: float, step: tuple[Any, ...]) -> bool:
        """Record a step; true if the descent should stop."""
        self.errors.append(100 * float(np.sqrt(loss)))
        self.held_out_errors.append(100 * float(np.sqrt(held_out)))
        if held_out < self.least or not self.early_stopping:
            self.least, self.at, self.kept = held_out, len(self.errors), (*step, loss)
        report_progress(f"step {len(self.errors)}, error {self.errors[-1]:.3g} %")
        return len(self.errors) - self.at >= self.patience


def descend(
    problem: StateSpaceProblem,
    form: Parameters,
    initial: Array,
    settings: DescentSettings | None = None,
    penalty: Array | None = None,
    is_acceptable: Callable[[Any], bool] | None = None,
    guesses: list[Array] | None = None,
    callback: Callable[[int, float], object] | None = None,
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
    ridge = np.eye(unknowns.size)
    ridge[:size, :size] = 0.0 if penalty is None else penalty
    ridge *= problem.loss(runs) / problem.n_values

    def penalised(runs: list[StateRun], unknowns: Array) -> float:
        return problem.loss(runs) + float(unknowns @ ridge @ unknowns)

    cost, damping, n_small = penalised(runs, unknowns), settings.first_damping, 0
    best = _Best(settings.held_out_patience, settings.early_stopping)
    best.add(problem.loss(runs), problem.held_out_loss(runs), (system, initial, runs))
    status = RefinementStatus.MAX_ITERATIONS
    for iteration in range(settings.max_iterations):
        with np.errstate(all="ignore"):
            matrix, gradient = problem.normal_equations(form, system, runs)
        matrix += ridge
        gradient += ridge @ unknowns
        solver = _DampedSolver.factorise(matrix, gradient, free, settings)
        if solver is None:
            status = RefinementStatus.SENSITIVE
            break
        guess = [run.x for run in runs]
        while damping <= settings.largest_damping:
            trial = unknowns - solver.step(damping)
            trial_system = form.unpack(trial[:size])
            trial_runs = None
            if is_acceptable is None or is_acceptable(trial_system):
                states, ceiling = trial[size:].reshape(-1, n), cost - float(trial @ ridge @ trial)
                trial_runs = problem.simulate(trial_system, states, guess, ceiling=ceiling)
            if trial_runs is not None and penalised(trial_runs, trial) < cost:
                break
            damping *= settings.increase
        else:
            status = RefinementStatus.CONVERGED
            break
        assert trial_runs is not None
        damping = max(damping / settings.decrease, settings.smallest_damping)
        new_cost = penalised(trial_runs, trial)
        n_small = n_small + 1 if 1 - new_cost / cost < settings.tolerance else 0
        unknowns, system, runs, cost = trial, trial_system, trial_runs, new_cost
        loss = problem.loss(runs)
        step = (system, unknowns[size:].reshape(-1, n), runs)
        if best.add(loss, problem.held_out_loss(runs), step):
            status = RefinementStatus.EARLY_STOPPING
            break
        if callback is not None and callback(iteration + 1, best.errors[-1]):
            status = RefinementStatus.CALLBACK
            break
        if n_small >= settings.patience or cost == 0:
            status = RefinementStatus.CONVERGED
            break
    kept_system, kept_initial, kept_runs, kept_loss = best.kept
    held_out = tuple(best.held_out_errors) if problem.held_out else ()
    return EstimationResult(
        kept_system,
        kept_initial,
        kept_runs,
        kept_loss,
        best.least,
        status,
        tuple(best.errors),
        held_out,
    )


@dataclass(frozen=True, eq=False)
class _DampedSolver:
    """Damped Gauss-Newton steps from one eigenvalue decomposition.

    The coordinates of the states are free: n_x^2 eigenvalues are 0, and no step goes there.
    """

    values: Array
    vectors: Array
    gradient: Array  # in the eigenvectors
    scale: Array
    free: Mask

    @classmethod
    def factorise(
        cls, matrix: Array, gradient: Array, free: Mask, settings: DescentSettings
    ) -> _DampedSolver | None:
        """Scale the columns and decompose; None if the sensitivities overflowed."""
        matrix, gradient = matrix[np.ix_(free, free)], gradient[free]
        if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(gradient))):
            return None
        scale = np.sqrt(np.maximum(np.diag(matrix), 0.0))
        scale = np.maximum(scale, settings.smallest_effect * scale.max() + 1e-300)
        values, vectors = np.linalg.eigh(matrix / scale[:, None] / scale)
        kept = values > settings.rank_tolerance * values[-1]
        vectors = vectors[:, kept]
        return cls(values[kept], vectors, vectors.T @ (gradient / scale), scale, free)

    def step(self, damping: float) -> Array:
        """The step in all unknowns."""
        full = np.zeros(self.free.size)
        damped = self.gradient / (self.values + damping * self.values[-1])
        full[self.free] = (self.vectors @ damped) / self.scale
        return full
