"""Random problems for the updates of the filtered decomposition."""

import numpy as np
from hypothesis import strategies as st

from unbraid import BranchConstraint, Filter
from unbraid.solvers._problem import Problem
from unbraid.solvers.filtered._als import FilterObjective

CENTRAL = FilterObjective((Filter("central"),))
sizes = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(8, 20))
seeds = st.integers(0, 100_000)


def random_problem(seed, n, m, r, N):
    """A problem in its own units with random everything: nothing is smooth or exact."""
    rng = np.random.default_rng(seed)
    problem = Problem(
        rng.standard_normal((N, m)),
        rng.standard_normal((N, n, m)),
        np.zeros((N, n)),
        np.eye(n),
        r,
        (BranchConstraint(),) * r,
        np.eye(n),
        np.eye(m),
        np.zeros(m),
        np.arange(N),
        np.ones(m),
        np.ones(n),
    )
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    return problem, W, V / np.linalg.norm(V, axis=0), rng


def axes_of(problem, V):
    return tuple(problem.axis(i, V[:, i]) for i in range(V.shape[1]))


def as_written(problem):
    """n x m x N."""
    return problem.jacobians.transpose(1, 2, 0)


def fitted_tensor(W, V, derivatives):
    return np.einsum("oi,sik,li->skol", W, derivatives, V)
