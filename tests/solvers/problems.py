"""A problem in its own units for tests of the solvers."""

import numpy as np

from unbraid import BranchConstraint
from unbraid.solvers._problem import Problem


def cubic_problem(n=2, m=2, r=2, N=40, constraints=None, seed=0):
    """A problem in its own units, with its W, V and a generator."""
    rng = np.random.default_rng(seed)
    W, V = rng.standard_normal((n, r)), rng.standard_normal((m, r))
    V /= np.linalg.norm(V, axis=0)
    points = rng.uniform(-1, 1, (N, m))
    z = points @ V
    jacobians = np.einsum("oi,ki,li->kol", W, 3 * z**2 + 1, V)
    values = (z**3 + z) @ W.T
    units = np.eye(n), np.eye(m), np.zeros(m), np.arange(N), np.ones(m), np.ones(n)
    return (
        Problem(
            points,
            jacobians,
            values,
            np.eye(n),
            r,
            constraints or (BranchConstraint(),) * r,
            *units,
        ),
        W,
        V,
    )
