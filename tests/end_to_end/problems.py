"""Functions and samples that several tests decouple."""

import numpy as np

import unbraid
from unbraid import Samples
from unbraid.cases import random_ridges
from unbraid.solvers._factors import Factors

METHODS = ["varpro", "implicit", "explicit", "cpd"]
QUICK = {"explicit": {"smoothness": 1e4}}


def decouple_implicit(*arguments, **options):
    """With the implicit method unless another is asked for."""
    return unbraid.decouple(*arguments, **{"method": "implicit", **options})


def factors_of(d):
    empty = np.zeros((1, d.n_branches))
    return Factors(d.W, d.V, empty, empty, empty)


def exact_samples(seed, n=4, m=4, r=4, N=80):
    """A decoupled function with tanh branches, and its W and V."""
    rng = np.random.default_rng(seed)
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    points = rng.standard_normal((N, m))
    z = points @ V
    jacobians = np.einsum("oi,ki,li->kol", W, 1 / np.cosh(z) ** 2, V)
    return Samples(points, np.tanh(z) @ W.T, jacobians), Factors(W, V, z, z, z)


def noisy(f, points, rng=None, value_noise=0.0, jacobian_noise=0.0):
    """Samples of f with noise relative to the size of each part."""
    values, jacobians = f(points), f.jacobian(points)
    if rng is not None:
        values = values + value_noise * values.std(0) * rng.standard_normal(values.shape)
        size = np.sqrt(np.mean(jacobians**2))
        jacobians = jacobians + jacobian_noise * size * rng.standard_normal(jacobians.shape)
    return Samples(points, values, jacobians)


def ridge(seed, N=500, n=2, m=4, r=3):
    """An exact decoupling with branches that are not polynomials, points, and what draws more."""
    rng = np.random.default_rng(seed)
    return random_ridges(m, n, r, rng), rng.uniform(-1, 1, (N, m)), rng


def mixed(p):
    return np.column_stack([np.sin(p[:, 0] + 2 * p[:, 1]), (p[:, 0] - p[:, 1]) ** 3])
