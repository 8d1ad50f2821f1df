"""Tests of smoothing."""

from dataclasses import replace

import numpy as np
import scipy

import unbraid
from solvers.problems import cubic_problem
from unbraid import BSpline, Polynomial
from unbraid.solvers._problem import make_problem
from unbraid.solvers.varpro._data import make_data
from unbraid.solvers.varpro._joint import evaluate
from unbraid.solvers.varpro._smoothing import choose_smoothing
from unbraid.solvers.varpro._stack import make_stack


def test_smooths_noisy_data_only():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (200, 1))
    chosen = {}
    for noise in (0.0, 0.5):
        jacobians = np.cos(4 * points)[:, None] * 4 + noise * rng.standard_normal((200, 1, 1))
        samples = unbraid.Samples(points, np.sin(4 * points), jacobians)
        problem = make_problem(samples, 1)
        data = make_data(problem, 1.0, 0.0)
        stack = make_stack(BSpline(40), problem.points[None])
        fit = evaluate(data, stack, np.ones((1, 1, 1)), np.ones((1, 1, 1)), stack.penalty(1e-11))
        chosen[noise] = choose_smoothing(data, fit)
    assert chosen[0.0] < 1e-8 < chosen[0.5]


def test_does_not_smooth_where_the_eigenproblem_fails(monkeypatch):
    problem, W, V = cubic_problem()
    noisy = np.random.default_rng(1).standard_normal(problem.values.shape)
    data = make_data(replace(problem, values=noisy))
    fit = evaluate(data, make_stack(Polynomial(3), problem.points @ V[None]), W[None], V[None])
    assert choose_smoothing(data, fit) > 0

    def singular(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(scipy.linalg, "eigh", singular)
    assert choose_smoothing(data, fit) == 0
