"""Refinement of a decoupled NARX model on its simulation error, eq. (post_opt)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from .._util.validation import count_noun
from ..dynamics._levenberg_marquardt import DescentHistory, minimise
from ..dynamics._refinement import Refinement, RefinementStatus
from ..errors import ConvergenceWarning, DivergenceError, FitWarning
from ..model._function import DecoupledFunction
from ._descent import NARX_DESCENT, NarxObjective, stabilise_by_continuation
from ._linear_branch import gather_linear_parts
from ._normalisation import normalise
from ._parameters import Parametrisation, parametrise
from ._problem import SimulationProblem

EARLY_STOPPING_PATIENCE = 8  # steps without progress on the held-out samples
POOR_START_PERCENT = 30.0  # simulation error from which continuation is tried as well
LINEAR_BRANCH_TOLERANCE = 2e-3  # relative increase of the loss that a linear branch may cost

Callback = Callable[[int, float], object]


def refine_function(
    d: DecoupledFunction,
    problem: SimulationProblem,
    validation: SimulationProblem | None,
    max_iterations: int,
    callback: Callback | None = None,
) -> tuple[DecoupledFunction, Refinement]:
    """Minimise the simulation error, with early stopping if there is validation data."""
    began = time.perf_counter()
    table = problem.lags.regressors(problem.records, problem.initial)
    runner = _DescentRunner(problem, validation, max_iterations, callback)
    descent, stages = _descend_from(parametrise(d, table), runner)
    linear = gather_linear_parts(descent.best.model, table)
    if linear is not None and descent.status is not RefinementStatus.CALLBACK:
        other = runner.descend(parametrise(linear, table))
        tolerated = (1 + LINEAR_BRANCH_TOLERANCE) * descent.least
        if np.isfinite(other.least) and other.least <= tolerated:
            descent = other
    y = np.concatenate([record.y[problem.initial :] for record in problem.records])
    record = Refinement(
        tuple(descent.errors),
        tuple(descent.held_out_errors),
        stages,
        descent.status,
        time.perf_counter() - began,
    )
    return normalise(descent.best.model, table, y), record


def warn_if_incomplete(record: Refinement) -> None:
    """Warn the caller of the caller of what is incomplete."""
    if record.status is RefinementStatus.MAX_ITERATIONS:
        message = f"the refinement {record.stop_reason} before it converged: raise max_iterations"
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    if record.status is RefinementStatus.SENSITIVE:
        message = (
            f"the refinement ended after {count_noun(record.n_steps, 'step')}: "
            f"{record.stop_reason}; refine on many short records instead of a long one"
        )
        warnings.warn(message, FitWarning, stacklevel=3)
    if record.held_out_errors and not np.isfinite(min(record.held_out_errors)):
        message = (
            "the simulation of the held-out samples diverges at every step: they could not be used "
            "for early stopping"
        )
        warnings.warn(message, FitWarning, stacklevel=3)


def _descend_from(
    form: Parametrisation, runner: _DescentRunner
) -> tuple[DescentHistory, tuple[float, ...]]:
    """The best descent from the parameters, with continuation if the start is poor."""
    stages: tuple[float, ...] = (1.0,)
    direct = runner.descend(form, thorough=True)
    descents = [direct]
    poor = not direct.errors or direct.errors[0] > POOR_START_PERCENT
    if poor and direct.status is not RefinementStatus.CALLBACK:
        parameters, stages = stabilise_by_continuation(runner.problem, form)
        if stages[-1:] == (1.0,):
            descents.append(runner.descend(form, parameters, thorough=True))
    descents = [descent for descent in descents if descent.errors]
    if not descents:
        raise DivergenceError(
            "the simulation diverges or stays far from the data, also with continuation: decouple "
            "with more branches, or fit the model anew with other lags or a lower degree",
            sample=runner.problem.initial,
        )
    return min(descents, key=lambda descent: (descent.least, descent.errors[-1])), stages


@dataclass
class _DescentRunner:
    """Runs descents from several starts; the callback sees one count of steps."""

    problem: SimulationProblem
    validation: SimulationProblem | None
    max_iterations: int
    callback: Callback | None
    steps: int = 0

    def descend(
        self, form: Parametrisation, parameters: Array | None = None, thorough: bool = False
    ) -> DescentHistory:
        """Descend from the parameters; if the start diverges, the result has no errors."""
        objective, validation = NarxObjective(self.problem, form), self.validation
        start = form.pack() if parameters is None else parameters
        point = objective.evaluate(start, thorough=thorough)
        history = DescentHistory(
            None if validation is None else lambda p: validation.loss(validation.simulate(p.model)),
            EARLY_STOPPING_PATIENCE,
            self.callback,
            self.steps,
            form.reference.n_branches,
        )
        if point is not None:
            settings = replace(NARX_DESCENT, max_iterations=self.max_iterations)
            _, history.status = minimise(objective, point, settings, history.add)
        self.steps += len(history.errors)
        return history
