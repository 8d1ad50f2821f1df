"""Curvature of the loss in all parameters, and covariances of some of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._typing import Array, Index
from ..solvers.varpro._data import Data
from ..solvers.varpro._definite import factorise, solve_factorised
from ..solvers.varpro._joint import Fit, assemble_coefficient_matrix
from ..solvers.varpro._levenberg import add_scale_projectors
from ..solvers.varpro._normal import NormalEquations


@dataclass(frozen=True, eq=False)
class Curvature:
    """Curvature of the loss, factorised, and the covariance of its gradient.

    Attributes
    ----------
    factors : (1, k, k)
        Of the curvature in the free changes, scaled to a unit diagonal.
    scale : (k,)
        Inverse square roots of its diagonal.
    gradient_covariance : (q, q)
    changes : (q, k) or None
        Free changes of the parameters; None where every parameter is free.
    """

    factors: Array
    scale: Array
    gradient_covariance: Array
    changes: Array | None

    def covariance(self, rows: Index) -> Array:
        """Covariance of some of the parameters."""
        if self.changes is None:
            chosen = np.zeros((len(rows), len(self.gradient_covariance)))
            chosen[np.arange(len(rows)), rows] = 1.0
        else:
            chosen = self.changes[rows]
        solved = solve_factorised(self.factors, (chosen * self.scale).T[None])[0]
        influence = solved * self.scale[:, None]
        if self.changes is not None:
            influence = self.changes @ influence
        return np.asarray(influence.T @ self.gradient_covariance @ influence)


def find_curvature(
    data: Data,
    fit: Fit,
    normal: NormalEquations,
    part_matrices: tuple[Array, Array],
    free: Array | None,
) -> Curvature:
    """Return the curvature, with the residual of each part of the data as its noise.

    Directions that only the penalty determines get the larger of the two noise variances.
    """
    parts = [part[0] for part in part_matrices]
    outer = slice(None, normal.n_outer)
    H = parts[0] + parts[1]
    H[normal.n_outer :, normal.n_outer :] = assemble_coefficient_matrix(
        data, fit.W, fit.V, fit.sums, fit.penalty
    )[0]
    add_scale_projectors(H[None, outer, outer], fit, normal.outer)
    n_points, n, m = data.sizes
    counts = np.array([n_points * n * m, n_points * n]) * [data.has_jacobians, data.has_values]
    n_unknowns = len(H) - 2 * fit.W.shape[2]
    freedom = np.maximum(counts * (1 - n_unknowns / counts.sum()), 1.0)
    noises = np.array([fit.jacobian_loss[0], fit.value_loss[0]]) / freedom
    spread = noises.max() * (H - parts[0] - parts[1]) + noises[0] * parts[0] + noises[1] * parts[1]
    changes = None if free is None else _with_coefficients(free, len(H))
    if changes is not None:
        H = changes.T @ H @ changes
    scale = 1 / np.sqrt(np.maximum(np.diag(H), 1e-300))
    return Curvature(factorise((H * scale * scale[:, None])[None]), scale, spread, changes)


def _with_coefficients(free: Array, n_unknowns: int) -> Array:
    """The free changes of W and V, and every change of the coefficients."""
    n_outer, n_free = free.shape
    changes = np.zeros((n_unknowns, n_free + n_unknowns - n_outer))
    changes[:n_outer, :n_free] = free
    changes[n_outer:, n_free:] = np.eye(n_unknowns - n_outer)
    return changes
