"""Tests of Levenberg-Marquardt and early stopping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from unbraid.dynamics._levenberg_marquardt import (
    DescentHistory,
    DescentSettings,
    Point,
    minimise,
)
from unbraid.dynamics._refinement import RefinementStatus

START = np.array([-1.2, 1.0])


@dataclass
class Rosenbrock:
    """A curved valley with its minimum at (1, 1); nothing is simulated beyond the limit."""

    limit: float = np.inf
    floor: float = 0.0
    sensitive: bool = False

    def evaluate(self, parameters, near=None):
        if np.abs(parameters).max() > self.limit:
            return None
        residual = np.array([10 * (parameters[1] - parameters[0] ** 2), 1 - parameters[0]])
        loss = float(residual @ residual) + self.floor
        return Point(parameters, None, residual, loss, loss)

    def linearise(self, point):
        if self.sensitive:
            return None
        rows = np.array([[-20 * point.parameters[0], 10.0], [-1.0, 0.0]])
        matrix, gradient = rows.T @ rows, rows.T @ point.runs
        return lambda damping: np.linalg.solve(matrix + damping * np.eye(2), gradient)


@pytest.mark.parametrize(("limit", "floor"), [(np.inf, 0.0), (1.5, 0.0), (np.inf, 1.0)])
def test_the_minimum_is_found(limit, floor):
    problem = Rosenbrock(limit, floor)
    end, status = minimise(problem, problem.evaluate(START), DescentSettings())
    np.testing.assert_allclose(end.parameters, [1, 1], atol=1e-3)
    assert status is RefinementStatus.CONVERGED


def test_the_status_says_why_it_stopped():
    problem, start = Rosenbrock(), Rosenbrock().evaluate(START)
    end, status = minimise(problem, start, DescentSettings(max_iterations=2))
    assert status is RefinementStatus.MAX_ITERATIONS
    assert end.cost < start.cost
    end, status = minimise(Rosenbrock(sensitive=True), start, DescentSettings())
    assert status is RefinementStatus.SENSITIVE
    assert end is start
    trapped = Rosenbrock(limit=0.0)  # every trial diverges
    end, status = minimise(trapped, start, DescentSettings())
    assert status is RefinementStatus.CONVERGED
    assert end is start


def test_a_callback_sees_every_step_and_can_stop():
    seen = []
    history = DescentHistory(callback=lambda *step: seen.append(step) or len(seen) == 3)
    start = Rosenbrock().evaluate(START)
    end, status = minimise(Rosenbrock(), start, DescentSettings(), history.add)
    assert status is RefinementStatus.CALLBACK
    assert [step for step, _ in seen] == [0, 1, 2]
    assert history.errors == [error for _, error in seen]
    assert history.best is end
    assert history.errors[-1] == pytest.approx(100 * np.sqrt(end.loss))


def test_held_out_samples_choose_the_best_step():
    losses = iter([np.inf, 3.0, 2.0, 1.0, 1.5, np.inf, 1.2, 0.5])
    history = DescentHistory(lambda point: next(losses), held_out_patience=3)
    start = Rosenbrock().evaluate(START)
    points = [start] + [Point(START, None, None, 0.5**k, 0.5**k) for k in range(1, 7)]
    statuses = [history.add(point) for point in points]
    assert statuses == [None] * 6 + [RefinementStatus.EARLY_STOPPING]
    assert history.best is points[3]
    assert history.least == 1.0
    assert len(history.held_out_errors) == 7
