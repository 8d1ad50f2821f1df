"""Cholesky factor of a symmetric banded matrix, by LAPACK."""

from __future__ import annotations

import numpy as np
import scipy

from ..._typing import Array


class BandedCholesky:
    """Factor of the matrix with diagonal ``bands[0]`` and upper diagonals ``bands[b][:-b]``.

    Zero rows (an unknown that no equation holds) get a unit pivot; a tiny multiple of the largest
    pivot is added to the others, which only makes a preconditioner safer.
    """

    def __init__(self, bands: Array) -> None:
        pivots = bands[0]
        floor = 1e-12 * max(float(pivots.max()), 1e-300)
        pivots = np.where(pivots > floor, pivots + floor, 1.0)
        self._tridiagonal = len(bands) == 2 and pivots.size > 1
        if self._tridiagonal:
            *factor, failed = scipy.linalg.lapack.dpttrf(pivots, bands[1, :-1], overwrite_d=True)
        else:
            upper = np.zeros(bands.shape, order="F")
            upper[-1] = pivots
            for b in range(1, len(bands)):
                upper[-1 - b, b:] = bands[b, :-b]
            *factor, failed = scipy.linalg.lapack.dpbtrf(upper, overwrite_ab=True)
        if failed:
            raise ArithmeticError("a banded matrix is not positive definite")
        self._factor = factor

    def solve(self, x: Array, out: Array) -> Array:
        """The inverse times the columns of x; ``out`` may be used for it."""
        lapack = scipy.linalg.lapack
        routine = lapack.dpttrs if self._tridiagonal else lapack.dpbtrs
        out[...] = x
        return np.asarray(routine(*self._factor, out, overwrite_b=True)[0])
