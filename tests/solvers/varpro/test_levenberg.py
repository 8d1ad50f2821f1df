"""Tests of levenberg."""

import numpy as np
import pytest

import unbraid
from reference import function_space as dense
from solvers.varpro.problems import random_starts
from unbraid import BSpline, Polynomial
from unbraid.solvers._base import StopCriteria
from unbraid.solvers._factors import unit_columns
from unbraid.solvers._problem import make_problem
from unbraid.solvers.varpro._data import make_data
from unbraid.solvers.varpro._joint import evaluate
from unbraid.solvers.varpro._levenberg import eliminate_coefficients, minimise
from unbraid.solvers.varpro._normal import assemble_normal_equations
from unbraid.solvers.varpro._stack import make_stack


def test_eliminated_gradient_is_that_of_the_loss():
    problem, W, V = random_starts(3, 2, 3, 2)
    data = make_data(problem)
    stack = make_stack(BSpline(7), problem.points @ V, 0.2)
    penalty = stack.penalty(1e-3)
    fit = evaluate(data, stack, W, V, penalty)
    _, gradient = eliminate_coefficients(assemble_normal_equations(data, fit), fit)

    def loss(x):
        w, v = np.split(x, [4])
        return evaluate(
            data,
            stack.select(np.array([0])),
            w.reshape(1, 2, 2).swapaxes(1, 2),
            v.reshape(1, 2, 3).swapaxes(1, 2),
            penalty[:1],
        ).loss

    x = np.concatenate([W[0].T.ravel(), V[0].T.ravel()])
    slope = dense.derivative(loss, x)[0]
    np.testing.assert_allclose(gradient[0], 0.5 * slope, atol=1e-7)


def test_loss_never_rises_and_starts_are_independent():
    samples = unbraid.cases.toy_samples(60, 1)
    problem = make_problem(samples, 2)
    data = make_data(problem)
    rng = np.random.default_rng(0)
    W, V = (
        unit_columns(rng.standard_normal((3, 2, 2))),
        unit_columns(rng.standard_normal((3, 2, 2))),
    )
    stack = make_stack(Polynomial(3), problem.points @ V, 0.05)
    together = minimise(data, evaluate(data, stack, W, V), StopCriteria(30))
    assert np.all(np.diff(together.history) <= 0)
    for s in range(3):
        one = np.array([s])
        alone = minimise(data, evaluate(data, stack.select(one), W[one], V[one]), StopCriteria(30))
        np.testing.assert_allclose(alone.fit.loss[0], together.fit.loss[s], rtol=1e-3)


def test_gives_up_starts_that_will_not_be_among_the_best():
    samples = unbraid.cases.toy_samples(80, random_state=2)
    problem = make_problem(samples, 2)  # of a function of three branches: local minima differ
    data = make_data(problem)
    rng = np.random.default_rng(1)
    W, V = (unit_columns(rng.standard_normal((8, 2, 2))) for _ in range(2))
    stack = make_stack(Polynomial(3), problem.points @ V, 0.05)
    fit = evaluate(data, stack, W, V)
    never = StopCriteria(40, tolerance=-1.0)  # a step that lowers the loss is never a small one
    every = minimise(data, fit, never)
    few = minimise(data, fit, StopCriteria(40, tolerance=-1.0, n_wanted=2))
    assert np.sort(few.fit.loss)[:2] == pytest.approx(np.sort(every.fit.loss)[:2], rel=1e-2)
    assert few.fit.loss.shape == (8,)
    assert np.all(few.fit.loss <= fit.loss)
