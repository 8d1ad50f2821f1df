"""Linearised fit: curvature of the loss and covariance of the parameters.

The covariance takes the residual for independent noise, of one size in the values and another in
the Jacobians.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..solvers._factors import unit_columns
from ..solvers._problem import Problem, max_input_directions
from ..solvers.varpro._definite import invert_definite
from ..solvers.varpro._joint import Data, Fit, assemble_coefficient_matrix, evaluate, make_data
from ..solvers.varpro._levenberg import eliminate_coefficients, scale_gauge_projectors
from ..solvers.varpro._normal import (
    NormalEquations,
    assemble_normal_equations,
    assemble_part_matrices,
    sum_over_points,
)
from ..solvers.varpro._stack import make_stack
from ._joint_fit import branch_bases, problem_for
from ._pattern import find_free_changes, has_pattern

MAX_UNKNOWNS = 3000  # size of the largest matrix that is inverted
MAX_LINEARISED_POINTS = 20_000


@dataclass(frozen=True, eq=False)
class Linearisation:
    """A fit, its normal equations, and covariances per branch.

    Those of V are (r, m, m), those of the coefficients (r, K, K).
    """

    problem: Problem
    fit: Fit
    normal: NormalEquations
    V_covariance: Array
    C_covariance: Array
    free: Array | None = None  # changes of W and V that the pattern of the function allows

    def outer_matrix(self) -> Array:
        """Curvature in the free changes of W and V, coefficients eliminated."""
        matrix = eliminate_coefficients(self.normal, self.fit)[0][0]
        return matrix if self.free is None else np.asarray(self.free.T @ matrix @ self.free)

    def branch_errors(self, nodes: Array, i: int) -> Array:
        """Standard errors of the (centred) branch i at nodes on its interval [-1, 1]."""
        fit = self.fit
        z = fit.stack.centre + fit.stack.half * nodes[None, :, None]
        shape = (fit.stack.design(z, 0) - fit.sums.mean[:, None])[0, :, i]
        variance = np.einsum("na,na->n", shape @ self.C_covariance[i], shape)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def direction_errors(self, lift: Array) -> Array:
        """Standard errors of V, lifted and of unit length; (rows of lift, r)."""
        r = self.fit.V.shape[2]
        errors = np.empty((len(lift), r))
        for i in range(r):
            direction = lift @ self.fit.V[0, :, i]
            length = np.linalg.norm(direction)
            v = direction / length
            turn = (lift - np.outer(v, v @ lift)) / length
            variance = np.einsum("ab,ab->a", turn @ self.V_covariance[i], turn)
            errors[:, i] = np.sqrt(np.maximum(variance, 0.0))
        return errors


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
    inverse, spread = _find_curvature(data, fit, normal, part_matrices, free)
    r, share, n_outer = function.n_branches, len(samples) / n_all, normal.n_outer
    rows_V, rows_C = np.arange(W.size, n_outer), np.arange(n_outer, len(inverse))
    V_covariance, C_covariance = (
        share * _diagonal_blocks(inverse, spread, rows.reshape(r, -1)) for rows in (rows_V, rows_C)
    )
    return Linearisation(problem, fit, normal, V_covariance, C_covariance, free)


def _diagonal_blocks(inverse: Array, spread: Array, rows: Index) -> Array:
    """Blocks of inverse @ spread @ inverse, one for each row of ``rows``."""
    return np.stack([inverse[part] @ spread @ inverse[:, part] for part in rows])


def _find_curvature(
    data: Data,
    fit: Fit,
    normal: NormalEquations,
    part_matrices: tuple[Array, Array],
    free: Array | None,
) -> tuple[Array, Array]:
    """Inverse of the curvature, and the covariance of the gradient.

    The noise of each part is its residual. Directions that only the penalty determines get the
    larger of the two noise variances.
    """
    parts = [part[0] for part in part_matrices]
    outer = slice(None, normal.n_outer)
    H = parts[0] + parts[1]
    H[normal.n_outer :, normal.n_outer :] = assemble_coefficient_matrix(
        data, fit.W, fit.V, fit.sums, fit.penalty
    )[0]
    H[outer, outer] += scale_gauge_projectors(fit, normal.outer)[0]
    n_points, n, m = data.sizes
    counts = np.array([n_points * n * m, n_points * n]) * [
        data.jacobian_weight > 0,
        data.value_weight > 0,
    ]
    n_unknowns = len(H) - 2 * fit.W.shape[2]
    freedom = np.maximum(counts * (1 - n_unknowns / counts.sum()), 1.0)
    noises = np.array([fit.jacobian_loss[0], fit.value_loss[0]]) / freedom
    spread = noises.max() * (H - parts[0] - parts[1]) + noises[0] * parts[0] + noises[1] * parts[1]
    return _invert(H, free), spread


def _invert(H: Array, free: Array | None) -> Array:
    """The inverse of the curvature in the free changes, and zero in the others."""
    changes = None if free is None else _with_coefficients(free, len(H))
    if changes is not None:
        H = changes.T @ H @ changes
    scale = 1 / np.sqrt(np.maximum(np.diag(H), 1e-300))
    inverse = invert_definite(H * scale * scale[:, None]) * scale * scale[:, None]
    return inverse if changes is None else np.asarray(changes @ inverse @ changes.T)


def _with_coefficients(free: Array, n_unknowns: int) -> Array:
    """The free changes of W and V, and every change of the coefficients."""
    n_outer, n_free = free.shape
    changes = np.zeros((n_unknowns, n_free + n_unknowns - n_outer))
    changes[:n_outer, :n_free] = free
    changes[n_outer:, n_free:] = np.eye(n_unknowns - n_outer)
    return changes
