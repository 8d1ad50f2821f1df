"""The G-update: a least-squares problem in the slopes of all branches, in O(N) (appendix B).

With ``C = (V'V) * (W'W)`` and A the sparse map from slopes to filtered derivatives (k-1 terms
a row), the normal equations are ``A' (C x I) A d = A' b``. They are solved by conjugate
gradients, preconditioned by the part that does not mix branches: a banded Cholesky factor.
Nothing dense of size N is formed, and the number of iterations does not grow with N.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpbtrf, dpbtrs
from scipy.sparse import csr_matrix

from ..filters import Array, Axis, Filter, integrate, stencil
from .problem import Problem


@dataclass(frozen=True)
class SlopeSystem:
    """Axes of all branches and the filters laid out on them."""

    axes: tuple[Axis, ...]
    data: Any  # sparse (s*r*N, D): slopes -> derivatives, filter by filter, branch by branch
    penalty: tuple[Any, ...]  # sparse (r*N, D) each
    n_points: int

    @cached_property
    def adjoint(self) -> Any:
        return self.data.T

    @property
    def n_branches(self) -> int:
        return len(self.axes)

    @cached_property
    def sizes(self) -> list[int]:
        return [axis.n_slopes for axis in self.axes]

    def derivatives(self, slopes: Array) -> Array:
        """Filtered derivatives at the points, (s, r, N)."""
        return np.asarray((self.data @ slopes).reshape(-1, self.n_branches, self.n_points))

    def penalty_derivatives(self, slopes: Array) -> Array:
        """Derivatives by the filters that the penalty compares, (2, r, N)."""
        shape = (self.n_branches, self.n_points)
        return np.stack([(operator @ slopes).reshape(shape) for operator in self.penalty])

    def values(self, slopes: Array, derivatives: Array) -> Array:
        """G (N, r), each column with mean zero; ``derivatives`` (r, N) are at the points."""
        columns = []
        parts = np.split(slopes, np.cumsum(self.sizes)[:-1])
        for axis, part, derivative in zip(self.axes, parts, derivatives, strict=True):
            g = integrate(axis, part, axis.mean_over_ties(derivative))[axis.position]
            columns.append(g - g.mean())
        return np.stack(columns, axis=1)


def make_system(
    problem: Problem, V: Array, data: tuple[Filter, ...], penalty: tuple[Filter, ...] = ()
) -> SlopeSystem:
    """Sort every branch along its v and lay out the filters."""
    axes = tuple(problem.axis(i, V[:, i]) for i in range(V.shape[1]))
    return SlopeSystem(
        axes,
        _operator(data, axes),
        tuple(_operator((filter_,), axes) for filter_ in penalty),
        problem.points.shape[0],
    )


def _operator(filters: tuple[Filter, ...], axes: tuple[Axis, ...]) -> Any:
    width = max(filter_.points for filter_ in filters) - 1
    n_points = axes[0].position.size
    n_rows = len(filters) * len(axes) * n_points
    n_slopes = sum(axis.n_slopes for axis in axes)
    columns = np.zeros((n_rows, width), dtype=np.int32)
    entries = np.zeros((n_rows, width))
    row = 0
    for filter_ in filters:
        offset = 0
        for axis in axes:
            start, weights = stencil(filter_, axis)
            block = slice(row, row + n_points)
            reach = np.minimum(start[:, None] + np.arange(width), axis.n_slopes - 1) + offset
            columns[block] = reach[axis.position]
            entries[block, : weights.shape[1]] = weights[axis.position]
            row += n_points
            offset += axis.n_slopes
    pointer = np.arange(0, n_rows * width + 1, width, dtype=np.int32)
    return csr_matrix((entries.ravel(), columns.ravel(), pointer), shape=(n_rows, n_slopes))


@dataclass(frozen=True)
class SlopeSolver:
    """Normal equations of a ``SlopeSystem`` for one W and V, ready to be solved."""

    system: SlopeSystem
    mixing: Array  # C, (r, r)
    penalty: Any  # sparse, already scaled by sqrt(smoothness)/rms; or None
    tolerance: float = 1e-6
    max_iterations: int = 200

    def rhs(self, targets: Array) -> Array:
        """A' b for targets (s, r, N) or (s, r, N, q)."""
        flat = targets.reshape(self.system.data.shape[0], *targets.shape[3:])
        return np.asarray(self.system.adjoint @ flat)

    def multiply(self, x: Array) -> Array:
        """The normal matrix times x (D, q)."""
        y = (self.system.data @ x).reshape(
            -1, self.system.n_branches, self.system.n_points * x.shape[1]
        )
        y = np.matmul(self.mixing, y).reshape(self.system.data.shape[0], -1)
        result = self.system.adjoint @ y
        if self.penalty is not None:
            result += self.penalty.T @ (self.penalty @ x)
        return np.asarray(result)

    @cached_property
    def factor(self) -> Array:
        """Banded Cholesky factor of the part that does not mix branches."""
        weight = np.repeat(np.diag(self.mixing), self.system.sizes)
        width = int(self.system.data.indptr[1])
        n_bands = width if self.penalty is None else 2 * width
        bands = np.zeros((n_bands, weight.size))
        for b, diagonal in enumerate(_gram_diagonals(self.system.data, width)):
            bands[-1 - b, b:] = weight[b:] * diagonal
        if self.penalty is not None:
            for b, diagonal in enumerate(_gram_diagonals(self.penalty, n_bands)):
                bands[-1 - b, b:] += diagonal
        floor = 1e-12 * bands[-1].max()
        bands[-1] += floor
        bands[-1, bands[-1] <= floor] = 1.0  # slopes across an edge or held flat: in no row
        factor, failed = dpbtrf(bands)
        if failed:
            raise ArithmeticError("the G-update's preconditioner is not positive definite")
        return np.asarray(factor)

    def solve(self, rhs: Array, guess: Array | None = None) -> Array:
        """Preconditioned conjugate gradients, every column on its own.

        Where the normal matrix is singular (r > n*m) and there is no guess, this is the
        solution of least ``sum_i |w_i|^2 |v_i|^2 |g'_i|^2``.
        """
        b = rhs.reshape(rhs.shape[0], -1)
        goal = self.tolerance**2 * _dot(b, self._precondition(b))
        x = np.zeros_like(b) if guess is None else guess.reshape(b.shape).copy()
        residual = b.copy() if guess is None else b - self.multiply(x)
        direction = preconditioned = self._precondition(residual)
        rho = _dot(residual, preconditioned)
        for _ in range(self.max_iterations):
            image = self.multiply(direction)
            curve = _dot(direction, image)
            step = np.where((rho > goal) & (curve > 0), rho / np.where(curve > 0, curve, 1.0), 0.0)
            x += step * direction
            residual -= step * image
            preconditioned = self._precondition(residual)
            previous, rho = rho, _dot(residual, preconditioned)
            if np.all(rho <= goal):
                break
            direction = preconditioned + rho / np.where(previous > 0, previous, 1.0) * direction
        return x.reshape(rhs.shape)

    def _precondition(self, x: Array) -> Array:
        return np.asarray(dpbtrs(self.factor, x)[0])


def _gram_diagonals(operator: Any, count: int) -> list[Array]:
    """Diagonal and upper diagonals of operator.T @ operator."""
    gram = operator.T @ operator
    return [np.asarray(gram.diagonal(b)) for b in range(count)]


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->j", a, b))
