"""The G-update: least squares in the slopes of all branches (appendix B).

With ``C = (V'V) * (W'W)`` and A the sparse map from slopes to filtered derivatives (k-1 terms
per row), the normal equations are ``A' (C x I) A d = A' b``. They are solved by conjugate
gradients, preconditioned by the part that does not mix branches: a banded Cholesky factor.
Nothing dense of size N is formed, and the number of iterations does not grow with N.
"""

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from operator import iadd
from typing import Any

import numpy as np
import scipy

from ..._typing import Array
from .._axis import Axis, integrate_slopes
from ._filters import Filter, compute_stencil

Axes = tuple[Axis, ...]
BLAS_CHUNK = 8192  # entries: BLAS starts threads, which do not pay here, above 10,000
THREADED_FILTER_POINTS = 30_000  # points from which filters are applied on several cores


class SlopeOperator:
    """Linear map from the slopes (D,) to filtered derivatives (s, r, N).

    All filters share one sparse matrix where N is small. Where it is large they have one each, so
    that cores can share the work. Every row holds ``width`` neighbouring columns.
    """

    def __init__(self, filters: tuple[Filter, ...], axes: Axes) -> None:
        self.sizes = [axis.n_slopes for axis in axes]
        self.shape = (len(filters), len(axes), axes[0].position.size)
        self.width = max(filter_.points for filter_ in filters) - 1
        large = self.shape[2] >= THREADED_FILTER_POINTS
        groups = [(filter_,) for filter_ in filters] if large else [filters]
        self.matrices = [_make_matrix(group, axes, self.width) for group in groups]

    @cached_property
    def transposed(self) -> list[Any]:
        """Transposed views of the matrices."""
        return [matrix.T for matrix in self.matrices]

    def sum_over_matrices(self, work: Callable[[int], Array]) -> Array:
        """Sum work(index) over the matrices, on all cores."""
        count = len(self.matrices)
        parts = [work(0)] if count == 1 else _get_threads(os.getpid()).map(work, range(count))
        return np.asarray(functools.reduce(iadd, parts))

    def apply(self, slopes: Array) -> Array:
        """Return the derivatives (s, r, N), or (s, r, N, q) for slopes (D, q)."""
        result = np.empty((*self.shape, *slopes.shape[1:]))
        for part, matrix in zip(np.split(result, len(self.matrices)), self.matrices, strict=True):
            part[...] = (matrix @ slopes).reshape(part.shape)
        return result

    def adjoint(self, derivatives: Array) -> Array:
        """Return the adjoint map of derivatives, (D,) or (D, q)."""
        columns = derivatives.shape[3:]
        parts = np.split(derivatives, len(self.matrices))
        return self.sum_over_matrices(lambda g: self.transposed[g] @ parts[g].reshape(-1, *columns))

    def gram_bands(self) -> Array:
        """Return the diagonal and the upper diagonals of A'A, one per row."""
        bands = np.zeros((max(self.width, 2), sum(self.sizes)))
        for matrix in self.matrices:
            columns = matrix.indices.reshape(-1, self.width)
            entries = matrix.data.reshape(-1, self.width)
            for b in range(self.width):
                for a in range(self.width - b):
                    product = entries[:, a] * entries[:, a + b]
                    bands[b] += np.bincount(columns[:, a], product, bands.shape[1])
        return bands


@functools.cache
def _get_threads(process: int) -> ThreadPoolExecutor:
    """Return the threads of this process: a forked child needs its own."""
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix=f"unbraid-{process}")


def _make_matrix(filters: tuple[Filter, ...], axes: Axes, width: int) -> Any:
    n_points = axes[0].position.size
    columns = np.zeros((len(filters), len(axes), n_points, width), dtype=np.int32)
    entries = np.zeros((len(filters), len(axes), n_points, width))
    for s, filter_ in enumerate(filters):
        offset = 0
        for i, axis in enumerate(axes):
            start, weights = compute_stencil(filter_, axis)
            first = start.astype(np.int32)[axis.position]
            for q in range(width):
                columns[s, i, :, q] = np.minimum(first + q, axis.n_slopes - 1) + offset
            for q, weight in enumerate(weights.T):
                entries[s, i, :, q] = weight[axis.position]
            offset += axis.n_slopes
    pointer = np.arange(0, entries.size + 1, width, dtype=np.int32)
    shape = (entries.size // width, offset)
    return scipy.sparse.csr_matrix((entries.ravel(), columns.ravel(), pointer), shape=shape)


class BandedCholesky:
    """Factor of a matrix with diagonal bands[0] and upper diagonals bands[b][:-b].

    Zero rows (an unknown in no equation) get a unit pivot. A tiny multiple of the largest pivot is
    added to the others, which does no harm to a preconditioner.
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
        """Return the inverse times the columns of x, in ``out`` where possible."""
        lapack = scipy.linalg.lapack
        routine = lapack.dpttrs if self._tridiagonal else lapack.dpbtrs
        out[...] = x
        return np.asarray(routine(*self._factor, out, overwrite_b=True)[0])


@dataclass(frozen=True)
class SlopeSolver:
    """Normal equations of the G-update for one W and V.

    ``penalty`` is a sparse matrix P: |P d|^2 is added to the objective.
    """

    operator: SlopeOperator
    mixing: Array  # C, (r, r)
    penalty: Any = None
    tolerance: float = 1e-6
    max_iterations: int = 200

    def multiply(self, x: Array, buffers: list[Array]) -> Array:
        """Return the normal matrix times x, (D,) or (D, q)."""
        operator = self.operator

        def part(g: int) -> Array:
            derivatives = (operator.matrices[g] @ x).reshape(buffers[g].shape)
            np.matmul(self.mixing, derivatives, out=buffers[g])
            return np.asarray(operator.transposed[g] @ buffers[g].reshape(-1, *x.shape[1:]))

        result = operator.sum_over_matrices(part)
        if self.penalty is not None:
            result += self._transposed_penalty @ (self.penalty @ x)
        return result

    @cached_property
    def _transposed_penalty(self) -> Any:
        return self.penalty.T

    def _make_buffers(self, n_columns: int) -> list[Array]:
        """Return work space to reuse: fresh memory pages cost more than the arithmetic."""
        s, r, n_points = self.operator.shape
        return np.split(np.empty((s, r, n_points * n_columns)), len(self.operator.matrices))

    @cached_property
    def preconditioner(self) -> BandedCholesky:
        """Factor of the blocks of the normal matrix that do not mix branches."""
        bands = self.operator.gram_bands() * np.repeat(np.diag(self.mixing), self.operator.sizes)
        if self.penalty is None:
            return BandedCholesky(bands)
        wide = np.zeros((2 * self.operator.width, bands.shape[1]))
        wide[: self.operator.width] = bands[: self.operator.width]
        gram = self.penalty.T @ self.penalty
        for b, band in enumerate(wide[: wide.shape[1]]):
            band[: band.size - b] += gram.diagonal(b)
        return BandedCholesky(wide)

    def solve(self, rhs: Array, guess: Array | None = None) -> Array:
        """Solve by preconditioned conjugate gradients; overwrites both arguments.

        ``rhs`` is (D,) or (D, q); every column has its own step. Where the normal matrix is
        singular (r > n*m) and there is no guess, the result is the solution of least
        ``sum_i |w_i|^2 |v_i|^2 |g'_i|^2``.
        """
        if rhs.ndim == 1:
            return self._solve_vector(rhs, guess)
        buffers = self._make_buffers(rhs.shape[1])
        out, precondition = np.empty_like(rhs), self.preconditioner.solve
        x, residual = np.zeros_like(rhs) if guess is None else guess, rhs
        direction = precondition(rhs, out).copy()
        goal = self.tolerance**2 * _inner_columns(rhs, direction)
        if guess is not None:
            residual -= self.multiply(x, buffers)
            direction = precondition(residual, out).copy()
        rho = _inner_columns(residual, direction)
        for _ in range(self.max_iterations):
            if not np.any(rho > goal):
                break
            image = self.multiply(direction, buffers)
            curvature = _inner_columns(direction, image)
            active = (rho > goal) & (curvature > 0)
            if not np.any(active):
                break
            step = np.where(active, rho / np.where(active, curvature, 1.0), 0.0)
            x += step * direction
            residual -= step * image
            preconditioned = precondition(residual, out)
            previous, rho = rho, _inner_columns(residual, preconditioned)
            direction *= rho / np.where(previous > 0, previous, 1.0)
            direction += preconditioned
        return x

    def _solve_vector(self, rhs: Array, guess: Array | None) -> Array:
        """Solve for one column, with scalars and without the overhead of masks."""
        buffers = self._make_buffers(1)
        out, precondition = np.empty_like(rhs), self.preconditioner.solve
        x, residual = np.zeros_like(rhs) if guess is None else guess, rhs
        direction = precondition(rhs, out).copy()
        goal = self.tolerance**2 * _inner(rhs, direction)
        if guess is not None:
            residual -= self.multiply(x, buffers)
            direction = precondition(residual, out).copy()
        rho = _inner(residual, direction)
        for _ in range(self.max_iterations):
            if not rho > goal:
                break
            image = self.multiply(direction, buffers)
            curvature = _inner(direction, image)
            if not curvature > 0:
                break
            step = rho / curvature
            _add_scaled(x, step, direction)
            _add_scaled(residual, -step, image)
            preconditioned = precondition(residual, out)
            previous, rho = rho, _inner(residual, preconditioned)
            direction *= rho / previous
            direction += preconditioned
        return x


def _inner_columns(a: Array, b: Array) -> Array:
    """Return the inner products of the columns of two matrices."""
    return np.asarray(np.einsum("ij,ij->j", a, b))


def _inner(a: Array, b: Array) -> float:
    """Return the inner product of two vectors."""
    if a.size <= BLAS_CHUNK:
        return float(scipy.linalg.blas.ddot(a, b))
    return float(sum(scipy.linalg.blas.ddot(a[c], b[c]) for c in _chunks(a.size)))


def _add_scaled(y: Array, factor: float, x: Array) -> None:
    """Add factor * x to a vector y in place."""
    for c in _chunks(y.size):
        scipy.linalg.blas.daxpy(x[c], y[c], a=factor)


def _chunks(size: int) -> list[slice]:
    return [slice(first, first + BLAS_CHUNK) for first in range(0, size, BLAS_CHUNK)]


def integrate_branches(axes: Axes, slopes: Array, derivatives: Array) -> Array:
    """Return G (N, r), columns with mean zero, from slopes and derivatives."""
    columns = []
    parts = np.split(slopes, np.cumsum([axis.n_slopes for axis in axes])[:-1])
    for axis, part, derivative in zip(axes, parts, derivatives, strict=True):
        g = integrate_slopes(axis, part, axis.mean_over_ties(derivative))[axis.position]
        columns.append(g - g.mean())
    return np.stack(columns, axis=1)
