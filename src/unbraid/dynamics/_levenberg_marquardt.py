"""Levenberg-Marquardt on a simulation error, with early stopping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from .._typing import Array
from .._util.deadline import is_time_up
from .._util.progress import report_progress
from ._refinement import RefinementStatus


@dataclass(frozen=True)
class DescentSettings:
    """How a descent damps its steps, and when it stops."""

    max_iterations: int = 60
    tolerance: float = 1e-4  # relative decrease of the cost that counts as progress
    patience: int = 3  # steps without progress in a row, after which the descent has converged
    first_damping: float = 1e-2  # relative to the scaled Gauss-Newton matrix
    smallest_damping: float = 1e-14
    largest_damping: float = 1e8  # where even this gives no step, the descent has converged
    increase: float = 4.0  # of the damping after a refused step
    decrease: float = 10.0  # of the damping after a taken step


@dataclass(frozen=True, eq=False)
class Point:
    """Parameters with the model and the simulations that follow from them."""

    parameters: Array
    model: Any
    runs: Any
    loss: float  # mean square error
    cost: float  # what is minimised: the loss and a penalty


class Objective(Protocol):
    """A simulation error as a function of parameters."""

    def evaluate(self, parameters: Array, near: Point) -> Point | None:
        """Simulate parameters near a point; None if that diverges or costs more."""

    def linearise(self, point: Point) -> Callable[[float], Array] | None:
        """Steps as a function of the damping; None if sensitivities are too large."""


def minimise(
    objective: Objective,
    point: Point,
    settings: DescentSettings,
    callback: Callable[[Point], RefinementStatus | None] = lambda point: None,
) -> tuple[Point, RefinementStatus]:
    """The last point of a descent, and why it stopped.

    The callback gets the start and the point after every step; a status stops the descent.
    """
    damping, n_small, status = settings.first_damping, 0, callback(point)
    for _ in range(settings.max_iterations):
        if is_time_up():
            status = RefinementStatus.TIME_LIMIT
        if status is not None:
            break
        step = objective.linearise(point)
        if step is None:
            return point, RefinementStatus.SENSITIVE
        while True:
            trial = objective.evaluate(point.parameters - step(damping), point)
            if trial is not None and trial.cost < point.cost:
                break
            damping *= settings.increase
            if damping > settings.largest_damping:
                return point, RefinementStatus.CONVERGED
        damping = max(damping / settings.decrease, settings.smallest_damping)
        n_small = n_small + 1 if 1 - trial.cost / point.cost < settings.tolerance else 0
        point, status = trial, callback(trial)
        if status is None and (n_small >= settings.patience or point.cost == 0):
            status = RefinementStatus.CONVERGED
    return point, status or RefinementStatus.MAX_ITERATIONS


@dataclass(eq=False)
class DescentHistory:
    """Errors after every step in %, and the best step, which held-out samples choose."""

    measure_held_out: Callable[[Point], float] | None = None  # held-out loss
    held_out_patience: float = np.inf  # steps without progress on the held-out samples
    callback: Callable[[int, float], object] | None = None  # gets step and error; true stops
    first_step: int = 0
    n_branches: int | None = None
    errors: list[float] = field(default_factory=list)
    held_out_errors: list[float] = field(default_factory=list)
    least: float = np.inf  # loss of the best step
    best: Point = field(init=False)
    n_since_best: int = 0
    status: RefinementStatus = RefinementStatus.MAX_ITERATIONS

    def add(self, point: Point) -> RefinementStatus | None:
        """Record a step; a status if the descent should stop."""
        loss = point.loss
        self.errors.append(100 * float(np.sqrt(loss)))
        if self.measure_held_out is not None:
            loss = self.measure_held_out(point)
            self.held_out_errors.append(100 * float(np.sqrt(loss)))
        self.n_since_best += 1
        if loss < self.least or not np.isfinite(self.least):
            self.least, self.best, self.n_since_best = loss, point, 0
        step = self.first_step + len(self.errors) - 1
        report_progress(f"step {step}, error {self.errors[-1]:.3g} %", self.n_branches)
        if self.callback is not None and self.callback(step, self.errors[-1]):
            return RefinementStatus.CALLBACK
        stalled = self.n_since_best >= self.held_out_patience
        return RefinementStatus.EARLY_STOPPING if stalled else None
