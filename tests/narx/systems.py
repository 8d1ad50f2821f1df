"""Systems and random models for the tests of NARX models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unbraid import DecoupledFunction, Polynomial
from unbraid.model._branch import Branch
from unbraid.model._curves import Expansion
from unbraid.narx import NARX
from unbraid.narx._lags import Lags


def make_random_function(rng, n_inputs, n_outputs, r, gain, extrapolate="linear", basis=None):
    """A decoupled function whose slopes are about as large as ``gain`` says."""
    branches = []
    for _ in range(r):
        bound = (Polynomial(3) if basis is None else basis).bind(np.linspace(-2, 2, 50))
        coefficients = rng.standard_normal(bound.n_functions)
        branches.append(Branch(Expansion(bound, coefficients), extrapolate))
    W, V = rng.standard_normal((n_outputs, r)), rng.standard_normal((n_inputs, r))
    d = DecoupledFunction(W, V, tuple(branches), 0.1 * rng.standard_normal(n_outputs))
    size = np.abs(d.jacobian(rng.uniform(-1, 1, (200, n_inputs)))).sum(axis=2).max()
    return replace(d, W=gain / size * W)


def make_lags(n_u, n_y):
    return Lags.expand((0, 1), (1, 2, 3), n_u, n_y)


def cubic_system(size=600, seed=0, scale_u=1.0, scale_y=1.0, noise=0.0):
    rng = np.random.default_rng(seed)
    u, y = rng.uniform(-1, 1, size), np.zeros(size)
    for t in range(2, size):
        y[t] = 0.5 * y[t - 1] - 0.1 * y[t - 2] ** 3 + 0.2 * u[t] * y[t - 1] + u[t - 1] + 0.1
    return scale_u * u, scale_y * (y + noise * rng.standard_normal(size))


def ridge_system(size=3000, seed=0, noise=0.01):
    """A system that is a NARX model of two branches."""
    rng = np.random.default_rng(seed)
    u, y = rng.uniform(-1, 1, size), np.zeros(size)
    for t in range(2, size):
        y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 2] + 0.8 * u[t - 1] - 0.2 * (y[t - 1] - u[t]) ** 3
    return u, y + noise * y.std() * rng.standard_normal(size)


INPUT = np.random.default_rng(8).standard_normal(120)


def make_branch(*coefficients):
    basis = Polynomial(len(coefficients)).bind(np.linspace(-3, 3, 50))
    return Branch(Expansion(basis, np.array(coefficients)))


def make_stable_function(gain=0.3):
    """Two branches of u(t) and y(t-1), stable for small gains."""
    branches = make_branch(1.0, 0.1), make_branch(1.0, -0.2)
    return DecoupledFunction(np.array([[gain, gain]]), np.eye(2), branches, np.zeros(1))


def make_stable_model(**more):
    return NARX(make_stable_function(), (0,), (1,), **more)


def make_stable_record():
    return INPUT, make_stable_model().simulate(INPUT, [0.1])
