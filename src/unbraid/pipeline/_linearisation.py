"""Linearised fit: standard errors of branches and directions.

The covariance takes the residual for independent noise, of one size in the values and another in
the Jacobians.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..solvers._factors import unit_columns
from ..solvers._problem import Problem, max_input_directions
from ..solvers.varpro._data import make_data
from ..solvers.varpro._joint import Fit, evaluate
from ..solvers.varpro._levenberg import eliminate_coefficients
from ..solvers.varpro._normal import (
    NormalEquations,
    assemble_normal_equations,
    assemble_part_matrices,
    sum_over_points,
)
from ..solvers.varpro._stack import make_stack
from ._curvature import Curvature, find_curvature
from ._joint_fit import branch_bases, problem_for
from ._pattern import find_free_changes, has_pattern

MAX_UNKNOWNS = 3000  # size of the largest matrix that is inverted
MAX_LINEARISED_POINTS = 20_000


@dataclass(frozen=True, eq=False)
class Linearisation:
    """A fit, its normal equations, and the curvature in all parameters.

    ``share`` of all points were linearised, and ``free`` are the changes of W and V that the
    pattern of the function allows.
    """

    problem: Problem
    fit: Fit
    normal: NormalEquations
    curvature: Curvature
    share: float
    free: Array | None = None

    def outer_matrix(self) -> Array:
        """Curvature in the free changes of W and V, coefficients eliminated."""
        matrix = eliminate_coefficients(self.normal, self.fit)[0][0]
        return matrix if self.free is None else np.asarray(self.free.T @ matrix @ self.free)

    def branch_errors(self, nodes: Array, i: int) -> Array:
        """Standard errors of the (centred) branch i at nodes on its interval [-1, 1]."""
        fit = self.fit
        z = fit.stack.centre + fit.stack.half * nodes[None, :, None]
        shape = (fit.stack.design(z, 0) - fit.sums.mean[:, None])[0, :, i]
        n_functions = shape.shape[1]
        covariance = self._covariance(self.normal.n_outer + i * n_functions, n_functions)
        variance = np.einsum("na,na->n", shape @ covariance, shape)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def direction_errors(self, lift: Array) -> Array:
        """Standard errors of V, lifted and of unit length; (rows of lift, r)."""
        n_inputs, r = self.fit.V.shape[1:]
        errors = np.empty((len(lift), r))
        for i in range(r):
            direction = lift @ self.fit.V[0, :, i]
            length = np.linalg.norm(direction)
            v = direction / length
            turn = (lift - np.outer(v, v @ lift)) / length
            covariance = self._covariance(self.fit.W[0].size + i * n_inputs, n_inputs)
            variance = np.einsum("ab,ab->a", turn @ covariance, turn)
            errors[:, i] = np.sqrt(np.maximum(variance, 0.0))
        return errors

    def _covariance(self, begin: int, count: int) -> Array:
        """Covariance of some parameters that follow each other."""
        return self.share * self.curvature.covariance(np.arange(begin, begin + count))


def linearise(
    function: DecoupledFunction,
    samples: Samples,
    smoothing: float = 0.0,
    output_weights: Sequence[float] | Array | None = None,
    jacobian_weight: float = 1.0,
    problem: Problem | None = None,
) -> Linearisation | None:
    """Linearise the fit of a function, with the weights that it was fitted with.

    ``problem`` saves a call of ``problem_for`` with the samples. None where the branches have no
    smooth basis, or where the matrix would be too large or is not finite.
    """
    bases = branch_bases(function)
    if bases is None or any(basis.smoothness < 2 or basis.n_derivatives < 3 for basis in bases):
        return None
    directions = min(function.n_inputs, max_input_directions(function.n_branches))
    per_branch = directions + function.n_outputs + max(basis.n_functions for basis in bases)
    if function.n_branches * per_branch > MAX_UNKNOWNS:
        return None
    n_all = len(samples)
    if n_all > MAX_LINEARISED_POINTS:
        rows = np.linspace(0, n_all - 1, MAX_LINEARISED_POINTS).astype(int)
        samples, problem = samples.subset(rows), None
    if problem is None:
        problem = problem_for(function, samples, output_weights, compress=jacobian_weight > 0)
    data = make_data(problem, jacobian_weight)
    W, V = problem.from_user(function.W, function.V)
    V = unit_columns(V[None])
    W = unit_columns(W[None])
    stack = make_stack(bases, problem.points @ V)
    fit = evaluate(data, stack, W, V, stack.penalty(smoothing))
    sums = sum_over_points(data, fit)
    normal = assemble_normal_equations(data, fit, sums)
    if not (np.all(np.isfinite(normal.outer)) and np.all(np.isfinite(normal.cross))):
        return None
    free = find_free_changes(function, W[0], V[0]) if has_pattern(function) else None
    part_matrices = assemble_part_matrices(data, fit, sums)
    curvature = find_curvature(data, fit, normal, part_matrices, free)
    return Linearisation(problem, fit, normal, curvature, len(samples) / n_all, free)
