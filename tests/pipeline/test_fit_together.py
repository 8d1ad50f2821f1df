"""Fits that run together, against each of them alone."""

import numpy as np

from unbraid import BSpline, Polynomial, Samples, decouple
from unbraid.pipeline import _joint_fit
from unbraid.pipeline._joint_fit import (
    FitObjective,
    FitTask,
    fit_jointly,
    fit_together,
    problem_for,
)
from unbraid.solvers._base import StopCriteria
from unbraid.solvers.varpro import _data

OBJECTIVE = FitObjective(0.1, smoothing="auto", cancellation=1e-4)
STOP = StopCriteria(12, 1e-3)


def make_tasks(basis):
    """Parts of noisy samples of unequal size, with weights, and the function of all."""
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (90, 3))
    V = np.array([[1.0, 0.2], [0.5, -1.0], [0.0, 0.7]])
    z = points @ V
    values = np.column_stack([np.sin(2 * z[:, 0]) + z[:, 1] ** 2, z[:, 1] ** 3])
    slopes = np.stack([2 * np.cos(2 * z[:, 0]), 2 * z[:, 1], 3 * z[:, 1] ** 2], axis=1)
    jacobians = np.stack(
        [np.outer(slopes[:, 0], V[:, 0]) + np.outer(slopes[:, 1], V[:, 1]),
         np.outer(slopes[:, 2], V[:, 1])], axis=1,
    )  # fmt: skip
    noisy = values + 0.05 * rng.standard_normal(values.shape)
    samples = Samples(points, noisy, jacobians)
    d = decouple(samples, n_branches=3, basis=Polynomial(3), refine=False, random_state=0)
    tasks = []
    for part in (slice(0, 60), slice(13, 74), slice(20, 90)):
        some = samples.subset(part)
        weights = rng.uniform(0.5, 2.0, len(some))
        tasks.append(FitTask(d, some, problem_for(d, some, None), basis, weights))
    return tasks


def fit_alone(task):
    return fit_jointly(
        task.function, task.samples, task.problem, OBJECTIVE, STOP,
        basis=task.basis, point_weights=task.point_weights,
    )  # fmt: skip


def test_fits_together_are_those_of_each_alone(monkeypatch):
    sizes = []
    real = _joint_fit._fit_batch
    monkeypatch.setattr(
        _joint_fit, "_fit_batch", lambda starts, *a: sizes.append(len(starts)) or real(starts, *a)
    )
    for basis in (BSpline(7), Polynomial(4)):
        tasks = make_tasks(basis)
        sizes.clear()
        together = fit_together(tasks, OBJECTIVE, STOP)
        assert sizes == [3]
        for task, (found, status) in zip(tasks, together, strict=True):
            alone, expected = fit_alone(task)
            points = task.samples.points
            assert status is expected
            np.testing.assert_allclose(found(points), alone(points), atol=1e-6)
            np.testing.assert_allclose(found.fitted_error, alone.fitted_error, rtol=1e-5)


def test_large_fits_run_one_by_one(monkeypatch):
    tasks = make_tasks(BSpline(7))
    together = fit_together(tasks, OBJECTIVE, STOP)
    monkeypatch.setattr(_data, "CHUNK_ENTRIES", 64 * 3 * 8)
    for (found, _), (again, _) in zip(together, fit_together(tasks, OBJECTIVE, STOP), strict=True):
        np.testing.assert_allclose(found.W, again.W, atol=1e-5)
        np.testing.assert_allclose(found.V, again.V, atol=1e-5)
