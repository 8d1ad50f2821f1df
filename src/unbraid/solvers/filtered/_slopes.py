"""The G-update: a least-squares problem in the slopes of all branches, in O(N) (appendix B).

With ``C = (V'V) * (W'W)`` and A the sparse map from slopes to filtered derivatives (k-1 terms
a row), the normal equations are ``A' (C x I) A d = A' b``. They are solved by conjugate
gradients, preconditioned by the part that does not mix branches: a banded Cholesky factor.
Nothing dense of size N is formed, and the number of iterations does not grow with N.
"""

from __future__ import annotations

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
from .._axis import Axis, integrate
from ._banded import BandedCholesky
from ._filters import Filter, stencil

Axes = tuple[Axis, ...]
CHUNK = 8192  # vectors longer than 10,000 wake BLAS threads, which costs more than it gains
THREADS_PAY = 30_000  # points from which filters are applied on several cores


class SlopeOperator:
    """Filters laid out on the axes of all branches: slopes (D,) to derivatives (s, r, N).

    All filters share one sparse matrix where N is small, and have one each, so that cores can
    share the work, where it is large. Every row holds ``width`` neighbouring columns.
    """

    def __init__(self, filters: tuple[Filter, ...], axes: Axes) -> None:
        self.sizes = [axis.n_slopes for axis in axes]
        self.shape = (len(filters), len(axes), axes[0].position.size)
        self.width = max(filter_.points for filter_ in filters) - 1
        large = self.shape[2] >= THREADS_PAY
        groups = [(filter_,) for filter_ in filters] if large else [filters]
        self.matrices = [_layout(group, axes, self.width) for group in groups]
        self.transposed = [matrix.T for matrix in self.matrices]

    def each(self, work: Callable[[int], Array]) -> Array:
        """Sum of work(index) over the matrices, on all cores."""
        indices = range(len(self.matrices))
        alone = len(self.matrices) == 1
        parts = [work(0)] if alone else _threads(os.getpid()).map(work, indices)
        return np.asarray(functools.reduce(iadd, parts))

    def apply(self, slopes: Array) -> Array:
        """Derivatives (s, r, N), or (s, r, N, q) for slopes (D, q)."""
        result = np.empty((*self.shape, *slopes.shape[1:]))
        for part, matrix in zip(np.split(result, len(self.matrices)), self.matrices, strict=True):
            part[...] = (matrix @ slopes).reshape(part.shape)
        return result

    def adjoint(self, derivatives: Array) -> Array:
        """(D,) or (D, q)."""
        columns = derivatives.shape[3:]
        parts = np.split(derivatives, len(self.matrices))
        return self.each(lambda g: self.transposed[g] @ parts[g].reshape(-1, *columns))

    def gram_bands(self) -> Array:
        """Diagonal and upper diagonals of A'A, one a row."""
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
def _threads(process: int) -> ThreadPoolExecutor:
    """Threads of this process; a forked child must not inherit its parent's."""
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix=f"unbraid-{process}")


def _layout(filters: tuple[Filter, ...], axes: Axes, width: int) -> Any:
    n_points = axes[0].position.size
    columns = np.zeros((len(filters), len(axes), n_points, width), dtype=np.int32)
    entries = np.zeros((len(filters), len(axes), n_points, width))
    for s, filter_ in enumerate(filters):
        offset = 0
        for i, axis in enumerate(axes):
            start, weights = stencil(filter_, axis)
            first = start.astype(np.int32)[axis.position]
            for q in range(width):
                columns[s, i, :, q] = np.minimum(first + q, axis.n_slopes - 1) + offset
            for q, weight in enumerate(weights.T):
                entries[s, i, :, q] = weight[axis.position]
            offset += axis.n_slopes
    pointer = np.arange(0, entries.size + 1, width, dtype=np.int32)
    shape = (entries.size // width, offset)
    return scipy.sparse.csr_matrix((entries.ravel(), columns.ravel(), pointer), shape=shape)


@dataclass(frozen=True)
class SlopeSolver:
    """Normal equations of the G-update for one W and V, ready to be solved.

    ``penalty`` is a sparse matrix whose squared image of the slopes is added to the objective.
    """

    operator: SlopeOperator
    mixing: Array  # C, (r, r)
    penalty: Any = None
    tolerance: float = 1e-6
    max_iterations: int = 200

    def multiply(self, x: Array, rooms: list[Array]) -> Array:
        """The normal matrix times x, (D,) or (D, q); ``rooms`` hold what passes the filters."""
        operator = self.operator

        def part(g: int) -> Array:
            seen = (operator.matrices[g] @ x).reshape(rooms[g].shape)
            np.matmul(self.mixing, seen, out=rooms[g])
            return np.asarray(operator.transposed[g] @ rooms[g].reshape(-1, *x.shape[1:]))

        result = operator.each(part)
        if self.penalty is not None:
            result += self.penalty.T @ (self.penalty @ x)
        return result

    def _rooms(self, n_columns: int) -> list[Array]:
        """Work space that is kept: fresh pages would cost more than the arithmetic."""
        s, r, n_points = self.operator.shape
        return np.split(np.empty((s, r, n_points * n_columns)), len(self.operator.matrices))

    @cached_property
    def preconditioner(self) -> BandedCholesky:
        """The part that does not mix branches."""
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
        """Preconditioned conjugate gradients from a guess, or from zero; uses both arrays up.

        Where the normal matrix is singular (r > n*m) and there is no guess, this is the
        solution of least ``sum_i |w_i|^2 |v_i|^2 |g'_i|^2``.
        """
        rooms, precondition = self._rooms(1), self.preconditioner.solve
        room = np.empty_like(rhs)
        goal = self.tolerance**2 * _inner(rhs, precondition(rhs, room))
        x, residual = np.zeros_like(rhs) if guess is None else guess, rhs
        if guess is not None:
            residual -= self.multiply(x, rooms)
        direction = precondition(residual, room).copy()
        rho = _inner(residual, direction)
        for _ in range(self.max_iterations):
            if rho <= goal:
                break
            image = self.multiply(direction, rooms)
            curve = _inner(direction, image)
            if curve <= 0:
                break
            _add(x, rho / curve, direction)
            _add(residual, -rho / curve, image)
            preconditioned = precondition(residual, room)
            previous, rho = rho, _inner(residual, preconditioned)
            direction *= rho / previous
            direction += preconditioned
        return x

    def solve_many(self, rhs: Array) -> Array:
        """The same from zero for many columns (D, q) at once, each with its own step.

        Uses ``rhs`` up.
        """
        rooms, precondition = self._rooms(rhs.shape[1]), self.preconditioner.solve
        room = np.empty_like(rhs)
        x, residual = np.zeros_like(rhs), rhs
        direction = precondition(residual, room).copy()
        rho = _dot(residual, direction)
        goal = self.tolerance**2 * rho
        for _ in range(self.max_iterations):
            image = self.multiply(direction, rooms)
            curve = _dot(direction, image)
            live = (rho > goal) & (curve > 0)
            if not live.any():
                break
            step = np.where(live, rho / np.where(live, curve, 1.0), 0.0)
            x += step * direction
            residual -= step * image
            preconditioned = precondition(residual, room)
            previous, rho = rho, _dot(residual, preconditioned)
            direction *= rho / np.where(previous > 0, previous, 1.0)
            direction += preconditioned
        return x


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->j", a, b))


def _inner(a: Array, b: Array) -> float:
    return float(sum(scipy.linalg.blas.ddot(a[c], b[c]) for c in _chunks(a.size)))


def _add(y: Array, factor: float, x: Array) -> None:
    """y += factor * x."""
    for c in _chunks(y.size):
        scipy.linalg.blas.daxpy(x[c], y[c], a=factor)


def _chunks(size: int) -> list[slice]:
    return [slice(first, first + CHUNK) for first in range(0, size, CHUNK)]


def branch_values(axes: Axes, slopes: Array, derivatives: Array) -> Array:
    """G (N, r), each column with mean zero; ``derivatives`` (r, N) are at the points."""
    columns = []
    parts = np.split(slopes, np.cumsum([axis.n_slopes for axis in axes])[:-1])
    for axis, part, derivative in zip(axes, parts, derivatives, strict=True):
        g = integrate(axis, part, axis.mean_over_ties(derivative))[axis.position]
        columns.append(g - g.mean())
    return np.stack(columns, axis=1)
