"""Cholesky factors of stacks of symmetric definite matrices."""

import numpy as np
from scipy.linalg import lapack

from ..._typing import Array

# relative to the diagonal, tried one after the other where rounding made a matrix indefinite
DAMPINGS = (0.0, 1e-12, 1e-9, 1e-6)


def factorise(matrices: Array) -> Array:
    """Return lower triangular factors (S, q, q), damped where rounding requires it.

    The factor is NaN where damping does not help.
    """
    factors = np.empty(matrices.shape)  # in C order, whatever that of the matrices
    for factor, matrix in zip(factors, matrices, strict=True):
        _factorise_one(factor, matrix)
    return factors


def _factorise_one(factor: Array, matrix: Array) -> None:
    """Write the factor of a matrix into an array."""
    diagonal = np.arange(len(matrix))
    for damping in DAMPINGS:
        factor[...] = matrix
        factor[diagonal, diagonal] *= 1 + damping
        # in place: the transpose is in LAPACK's order of memory
        _, failed = lapack.dpotrf(factor.T, lower=0, clean=1, overwrite_a=1)
        if not failed:
            return
    factor[...] = np.nan


def solve_factorised(factors: Array, right: Array) -> Array:
    """Solve systems with right-hand sides (S, q, any), given the factors."""
    solution = np.empty_like(right)
    for s, factor in enumerate(factors):
        solution[s] = lapack.dpotrs(factor.T, right[s], lower=0)[0]
    return solution


def whiten_rows(factors: Array, rows: Array) -> Array:
    """Return R (S, any, q) with ``R R' = rows A^-1 rows'``, given the factors of A."""
    white = np.empty_like(rows)
    for s, factor in enumerate(factors):
        white[s] = lapack.dtrtrs(factor.T, rows[s].T, lower=0, trans=1)[0].T
    return white


def solve_definite(matrices: Array, right: Array) -> Array:
    """Solve systems with right-hand sides (S, q, any)."""
    return solve_factorised(factorise(matrices), right)
