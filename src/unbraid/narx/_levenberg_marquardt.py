"""Levenberg-Marquardt on the simulation error; continuation for diverging models."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..dynamics._refinement import RefinementStatus
from ..model._function import DecoupledFunction
from ._parameters import Parametrisation
from ._problem import SimulationProblem
from ._simulation import SimulationResult

FIRST_DAMPING = 1e-3  # at the start, relative to the diagonal
SMALLEST_DAMPING, LARGEST_DAMPING = 1e-12, 1e8
DAMPING_INCREASE, DAMPING_DECREASE = 6, 8  # factors after a refused and after a taken step
NO_EFFECT = 1e-7  # effect of a parameter on the outputs, relative to the largest effect
STAGE_SHRINKAGE = 0.3  # distance to full feedback, relative to that of the stage before
MAX_STAGE_SHRINKAGE = 0.99  # continuation gives up when stages get closer than this
FULL_FEEDBACK_TOLERANCE = 1e-3  # a feedback this close to 1 is replaced by 1
STAGE_ITERATIONS, STAGE_TOLERANCE, STAGE_PATIENCE = 25, 1e-2, 2  # stopping criteria of a stage
MAX_STAGES = 40
MAX_SENSITIVITY = 1e8  # change of the outputs over the relative change of a parameter


StepCallback = Callable[[float, DecoupledFunction], bool]  # gets the loss; true stops


def minimise_simulation_error(
    problem: SimulationProblem,
    form: Parametrisation,
    parameters: Array,
    results: Sequence[SimulationResult],
    max_iterations: int,
    tolerance: float = 1e-4,
    patience: int = 3,
    callback: StepCallback | None = None,
) -> tuple[Array, RefinementStatus | None]:
    """Levenberg-Marquardt from these parameters and their simulation.

    It converges after ``patience`` steps in a row that lower the loss by less than ``tolerance``,
    relative to the loss, or where even the largest damping gives no step that lowers it. Returns
    the final parameters, and why it stopped; None where the callback stopped it.
    """
    d = form.unpack(parameters)
    loss, damping, n_small = problem.loss(results), FIRST_DAMPING, 0
    for _ in range(max_iterations):
        matrix, gradient = problem.normal_equations(form, d, results)
        if not _measure_sensitivity(form, matrix / problem.n_residuals) < MAX_SENSITIVITY:
            return parameters, RefinementStatus.SENSITIVE
        while True:
            trial = parameters - _damped_step(form, matrix, gradient, damping)
            function = form.unpack(trial)
            trial_results = problem.simulate(function, [result.y for result in results])
            trial_loss = problem.loss(trial_results)
            if trial_loss < loss and trial_results is not None:
                break
            damping *= DAMPING_INCREASE
            if damping > LARGEST_DAMPING:
                return parameters, RefinementStatus.CONVERGED
        damping = max(damping / DAMPING_DECREASE, SMALLEST_DAMPING)
        n_small = n_small + 1 if 1 - trial_loss / loss < tolerance else 0
        parameters, d, results, loss = trial, function, trial_results, trial_loss
        if callback is not None and callback(loss, d):
            return parameters, None
        if n_small >= patience or loss == 0:
            return parameters, RefinementStatus.CONVERGED
    return parameters, RefinementStatus.MAX_ITERATIONS


def _measure_sensitivity(form: Parametrisation, matrix: Array) -> float:
    """Largest rms change of the scaled outputs per relative change of a parameter."""
    return float(np.max(form.scales * np.sqrt(np.maximum(np.diag(matrix), 0.0))))


def _damped_step(form: Parametrisation, matrix: Array, gradient: Array, damping: float) -> Array:
    """A damped step that leaves parameters without effect on the records unchanged."""
    scales = form.scales
    size = scales * np.sqrt(np.maximum(np.diag(matrix), 0.0))
    size = np.maximum(size, NO_EFFECT * size.max() + 1e-300) / scales
    scaled = matrix / size[:, None] / size
    scaled[np.diag_indices_from(scaled)] += damping + 1e-14
    return np.asarray(np.linalg.solve(scaled, gradient / size) / size)


def stabilise_by_continuation(
    problem: SimulationProblem, form: Parametrisation
) -> tuple[Array, tuple[float, ...]]:
    """Parameters whose simulation does not diverge, and the feedback of every stage.

    One-step prediction cannot diverge. From there the feedback is raised stage by stage, and each
    stage is fitted before the next. If the next one would diverge, the feedback is raised by less.
    The last feedback is 1 on success.
    """
    stages: list[float] = []
    parameters = form.pack()
    feedback, shrinkage = 0.0, STAGE_SHRINKAGE
    while len(stages) < MAX_STAGES:
        stage = replace(problem, feedback=feedback)
        report_progress(f"continuation, feedback {feedback:.3g}")
        results = stage.simulate(form.unpack(parameters))
        if results is not None:
            criteria = STAGE_ITERATIONS, STAGE_TOLERANCE, STAGE_PATIENCE
            parameters, _ = minimise_simulation_error(stage, form, parameters, results, *criteria)
            stages.append(feedback)
            shrinkage = STAGE_SHRINKAGE
            if feedback == 1.0:
                break
        else:
            shrinkage = 0.5 * (1 + shrinkage)
            if not stages or shrinkage > MAX_STAGE_SHRINKAGE:
                break
        ahead = 1 - shrinkage * (1 - stages[-1])
        feedback = 1.0 if 1 - ahead < FULL_FEEDBACK_TOLERANCE else ahead
    return parameters, tuple(stages)
