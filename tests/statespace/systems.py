"""Small state-space systems for tests."""

from __future__ import annotations

import numpy as np

from unbraid import BSpline, Polynomial
from unbraid.model._branch import Branch
from unbraid.model._branch_fit import fit_branch
from unbraid.statespace._equations import Equations


def random_equations(n_states=3, n_inputs=2, n_outputs=2, n_branches=2, seed=0, gain=0.3):
    """Stable equations with a cubic and splines of a saturation as branches."""
    rng = np.random.default_rng(seed)
    n, m = n_states + n_outputs, n_states + n_inputs
    linear = rng.standard_normal((n, m))
    A = linear[:n_states, :n_states]
    linear[:n_states, :n_states] = 0.7 * A / np.abs(np.linalg.eigvals(A)).max()
    V = rng.standard_normal((m, n_branches))
    V /= np.linalg.norm(V, axis=0)
    W = gain * rng.standard_normal((n, n_branches))
    z = np.linspace(-3, 3, 61)
    branches = []
    for i in range(n_branches):
        basis, values = (Polynomial(3), z**3 / 20) if i % 2 else (BSpline(8), np.tanh(z))
        fitted = fit_branch(basis, z, values)
        branches.append(Branch(fitted.curve, "linear"))
    return Equations(n_states, linear, 0.1 * rng.standard_normal(n), W, V, tuple(branches))
