"""Random problems with two starts, and their dense counterparts."""

import numpy as np
from hypothesis import strategies as st

from unbraid import BranchConstraint
from unbraid.solvers._factors import unit_columns
from unbraid.solvers._problem import Problem

shapes = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))


def random_starts(seed, n, m, r, N=40):
    rng = np.random.default_rng(seed)
    value_map = np.triu(rng.standard_normal((n, n)))
    frame = np.eye(n), np.eye(m), np.zeros(m), np.arange(N), np.ones(m), np.ones(n)
    points, jacobians = rng.standard_normal((N, m)), rng.standard_normal((N, n, m))
    values = rng.standard_normal((N, n))
    problem = Problem(points, jacobians, values, value_map, r, (BranchConstraint(),) * r, *frame)
    W, V = (
        unit_columns(rng.standard_normal((2, n, r))),
        unit_columns(rng.standard_normal((2, m, r))),
    )
    return problem, W, V


def dense_problem(data, problem, stack, basis, s, V):
    """Arguments of the dense residuals for one start."""
    z = problem.points @ V[s]
    bound = []
    for i in range(z.shape[1]):
        low = stack.centre[s, 0, i] - stack.half[s, 0, i]
        high = stack.centre[s, 0, i] + stack.half[s, 0, i]
        bound.append(
            basis.bind(np.array([low, high])) if stack.bound is None else stack.bound[s][i]
        )
    values = problem.values - problem.values.mean(axis=0)
    weights = data.jacobian_weight, data.value_weight
    return (problem.points, problem.jacobians, values, problem.value_map, weights, bound)
