"""Simulation error of parameters; continuation for diverging models."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..dynamics._levenberg_marquardt import DescentSettings, Point, minimise
from ._parameters import Parametrisation
from ._problem import SimulationProblem

NARX_DESCENT = DescentSettings(first_damping=1e-3, smallest_damping=1e-12, increase=6, decrease=8)
STAGE_DESCENT = replace(NARX_DESCENT, max_iterations=25, tolerance=1e-2, patience=2)
NO_EFFECT = 1e-7  # effect of a parameter on the outputs, relative to the largest effect
STAGE_SHRINKAGE = 0.3  # distance to full feedback, relative to that of the stage before
MAX_STAGE_SHRINKAGE = 0.99  # continuation gives up when stages get closer than this
FULL_FEEDBACK_TOLERANCE = 1e-3  # a feedback this close to 1 is replaced by 1
MAX_STAGES = 40
MAX_SENSITIVITY = 1e8  # change of the outputs over the relative change of a parameter


@dataclass(frozen=True, eq=False)
class NarxObjective:
    """Simulation error of a NARX model as a function of its parameters."""

    problem: SimulationProblem
    form: Parametrisation

    def evaluate(
        self, parameters: Array, near: Point | None = None, thorough: bool = False
    ) -> Point | None:
        """Simulate, from outputs of a point nearby or measured ones; None if it diverges."""
        d = self.form.unpack(parameters)
        guesses = None if near is None else [result.y for result in near.runs]
        results = self.problem.simulate(d, guesses, thorough)
        loss = self.problem.loss(results)
        return None if results is None else Point(parameters, d, results, loss, loss)

    def linearise(self, point: Point) -> Callable[[float], Array] | None:
        """Damped steps that leave parameters without effect on the records unchanged."""
        matrix, gradient = self.problem.normal_equations(self.form, point.model, point.runs)
        scales = self.form.scales
        size = scales * np.sqrt(np.maximum(np.diag(matrix), 0.0))
        if not size.max() < MAX_SENSITIVITY * np.sqrt(self.problem.n_residuals):
            return None
        size = np.maximum(size, NO_EFFECT * size.max() + 1e-300) / scales
        scaled, identity = matrix / size[:, None] / size, np.eye(size.size)

        def step(damping: float) -> Array:
            damped = scaled + (damping + 1e-14) * identity
            return np.asarray(np.linalg.solve(damped, gradient / size) / size)

        return step


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
        objective = NarxObjective(stage, form)
        start = objective.evaluate(parameters)
        if start is not None:
            parameters = minimise(objective, start, STAGE_DESCENT)[0].parameters
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
