"""Least squares in W, V and the branch coefficients at once, the coefficients eliminated.

With g_i a function of z_i in a basis phi (coefficients c_i, K a branch), both

    J(k) ~ sum_i W_i g_i'(z_ik) V_i'    and    f(k) ~ sum_i W_i g_i(z_ik) + offset

are linear in c. Here c is eliminated: for given W and V it solves normal equations, whose sums over
the points are gathered chunk by chunk. ``normal`` has the derivatives in W and V.

Everything has a leading axis of S starts. Small problems need it: there it is Python, not
arithmetic, that a start costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..._typing import Array, Index
from ...errors import InvalidSamples
from .._problem import Problem
from ._batches import apply, flat, gram, products, pull
from ._stack import Stack

CHUNK = 1 << 18  # numbers in the largest array of a chunk
ROWS = 8192  # points at a time where one start is evaluated
RIDGE = 1e-13  # of the diagonal: keeps the eliminated system solvable


@dataclass(frozen=True)
class Data:
    """Points, Jacobians (flattened), centred values, and how much each part and point counts."""

    points: Array
    jacobians: Array
    values: Array
    value_map: Array
    root: Array  # square roots of the weights of the points, (N, 1)
    jacobian_weight: float
    value_weight: float

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(N, n, m)."""
        n_points, n_inputs = self.points.shape
        return n_points, self.values.shape[1], n_inputs

    def chunks(self, n_starts: int, n_features: int) -> Iterator[slice]:
        """Rows to be taken at a time."""
        n_points, n, m = self.sizes
        size = max(64, CHUNK // (n_starts * max(n * m, n_features)))
        for begin in range(0, n_points, size):
            yield slice(begin, min(begin + size, n_points))


def make_data(
    problem: Problem,
    jacobian_weight: float = 1.0,
    value_weight: float = 1.0,
    point_weights: Array | None = None,
) -> Data:
    """Each part divided by its own norm, then weighted; the two weights are made to add up to 1."""
    n_points = len(problem.points)
    weights = np.ones(n_points) if point_weights is None else point_weights / point_weights.mean()
    root = np.sqrt(weights)[:, None]
    values = root * (problem.values - np.mean(root**2 * problem.values, axis=0))
    jacobians = problem.jacobians.reshape(n_points, -1)
    jacobians = jacobians if point_weights is None else root * jacobians
    total = jacobian_weight + value_weight
    size_J, size_F = float(np.sum(jacobians**2)), float(np.sum(values**2))
    if not (jacobian_weight * size_J > 0 or value_weight * size_F > 0):
        raise InvalidSamples(
            "the part of the data that is to count does not vary: give the other part a weight, or "
            "choose points where f varies"
        )
    return Data(
        problem.points,
        jacobians,
        values,
        problem.value_map,
        root,
        jacobian_weight / total / size_J if size_J > 0 else 0.0,
        value_weight / total / size_F if size_F > 0 else 0.0,
    )


@dataclass(frozen=True)
class Sums:
    """Sums over the points that the elimination of c needs."""

    slopes: Array  # phi'_i phi'_j, (S, rK, rK)
    levels: Array  # phi_i phi_j, centred
    mean: Array  # phi_i, (S, r, K)


@dataclass(frozen=True)
class Fit:
    """W (S, n, r) and V (S, m, r) with their best c (S, r, K), and what they leave.

    ``loss`` is the sum of the two parts, each relative and weighted, and of the penalty.
    """

    W: Array
    V: Array
    C: Array
    stack: Stack
    penalty: Array | None
    sums: Sums
    loss: Array
    jacobian_loss: Array
    value_loss: Array

    def select(self, starts: Index) -> Fit:
        """Some of the starts."""
        return Fit(
            self.W[starts],
            self.V[starts],
            self.C[starts],
            self.stack.select(starts),
            None if self.penalty is None else self.penalty[starts],
            Sums(self.sums.slopes[starts], self.sums.levels[starts], self.sums.mean[starts]),
            self.loss[starts],
            self.jacobian_loss[starts],
            self.value_loss[starts],
        )


def evaluate(data: Data, stack: Stack, W: Array, V: Array, penalty: Array | None = None) -> Fit:
    """The best coefficients for W and V, and what they leave."""
    n_starts, _, r = V.shape
    K = stack.n_functions
    tables = _Tables(data, stack, V)
    sums, target = _coefficient_sums(data, tables, W, V)
    matrix = coefficient_matrix(data, W, V, sums, penalty)
    C = solved(matrix, target.reshape(n_starts, -1, 1)).reshape(n_starts, r, K)
    fit = Fit(W, V, C, stack, penalty, sums, *np.zeros((3, n_starts)))
    return _with_loss(data, tables, fit)


def solved(matrix: Array, right: Array) -> Array:
    """Solutions of definite systems; where rounding made one singular, damped until it is not."""
    for ridge in (0.0, 1e-12, 1e-9, 1e-6):
        damped = matrix
        if ridge:
            diagonal = np.einsum("sii->si", matrix)
            damped = matrix + ridge * diagonal[:, :, None] * np.eye(matrix.shape[1])
        try:
            return np.asarray(np.linalg.solve(damped, right))
        except np.linalg.LinAlgError:
            continue
    return np.full_like(right, np.nan)


class _Tables:
    """Basis functions chunk by chunk; kept where one chunk holds all points."""

    def __init__(self, data: Data, stack: Stack, V: Array) -> None:
        self.data, self.stack, self.V = data, stack, V
        self.rows = list(data.chunks(len(V), V.shape[2] * stack.n_functions))
        self.kept: list[tuple[slice, Array | None, Array | None]] = []

    def __iter__(self) -> Iterator[tuple[slice, Array | None, Array | None]]:
        """Rows, phi' and phi at them, each weighted, or None where it does not count."""
        if self.kept:
            yield from self.kept
            return
        data = self.data
        for rows in self.rows:
            z, root = data.points[rows] @ self.V, data.root[rows, :, None]
            parts = (1, data.jacobian_weight), (0, data.value_weight)
            wanted = [order for order, weight in parts if weight]
            tables = dict(zip(wanted, self.stack.designs(z, wanted), strict=True))
            slopes, levels = (tables[q] * root if q in tables else None for q in (1, 0))
            if len(self.rows) == 1:
                self.kept = [(rows, slopes, levels)]
            yield rows, slopes, levels


def _coefficient_sums(data: Data, tables: _Tables, W: Array, V: Array) -> tuple[Sums, Array]:
    """Matrix and right-hand side of the normal equations of c, before W and V mix them."""
    n_starts, _, r = V.shape
    K = tables.stack.n_functions
    kr, W_values = products(V, W), data.value_map @ W
    slopes, levels = np.zeros((2, n_starts, r * K, r * K))
    target, mean = np.zeros((2, n_starts, r, K))
    for rows, d_phi, phi in tables:
        if d_phi is not None:
            slopes += gram(flat(d_phi), flat(d_phi))
            target += data.jacobian_weight * pull(d_phi, data.jacobians[rows] @ kr)
        if phi is not None:
            levels += gram(flat(phi), flat(phi))
            mean += np.einsum("snik,n->sik", phi, data.root[rows, 0])
            target += data.value_weight * pull(phi, data.values[rows] @ W_values)
    n_points = data.sizes[0]
    mean /= n_points
    centre = mean.reshape(n_starts, -1)
    levels -= n_points * centre[:, :, None] * centre[:, None, :]
    return Sums(slopes, levels, mean), target


def coefficient_matrix(data: Data, W: Array, V: Array, sums: Sums, penalty: Array | None) -> Array:
    """Normal matrix of the coefficients, (S, rK, rK)."""
    n_starts, _, r = V.shape
    K = sums.mean.shape[2]
    W_values = data.value_map @ W
    mix_J = data.jacobian_weight * gram(V, V) * gram(W, W)
    mix_F = data.value_weight * gram(W_values, W_values)
    shape = (n_starts, r, K, r, K)
    blocks = mix_J[:, :, None, :, None] * sums.slopes.reshape(shape)
    blocks += mix_F[:, :, None, :, None] * sums.levels.reshape(shape)
    matrix = blocks.reshape(n_starts, r * K, r * K)
    diagonal = np.arange(r * K)
    ridge = RIDGE * matrix[:, diagonal, diagonal].mean(axis=1, keepdims=True)
    matrix[:, diagonal, diagonal] = matrix[:, diagonal, diagonal] * (1 + RIDGE) + ridge + 1e-300
    if penalty is not None:
        index = np.arange(r)
        matrix.reshape(shape)[:, index, :, index] += penalty.swapaxes(0, 1)
    return matrix


def _with_loss(data: Data, tables: _Tables, fit: Fit) -> Fit:
    """Losses from the residual itself: normal equations alone see nothing below 1e-8 of it."""
    kr, W_values = products(fit.V, fit.W), data.value_map @ fit.W
    loss_J, loss_F = np.zeros((2, len(fit.W)))
    for rows, d_phi, phi in tables:
        if d_phi is not None:
            rest = apply(d_phi, fit.C) @ kr.swapaxes(1, 2) - data.jacobians[rows]
            loss_J += np.einsum("snx,snx->s", rest, rest)
        if phi is not None:
            g = apply(phi - data.root[rows, :, None] * fit.sums.mean[:, None], fit.C)
            rest = g @ W_values.swapaxes(1, 2) - data.values[rows]
            loss_F += np.einsum("snx,snx->s", rest, rest)
    loss_J, loss_F = loss_J * data.jacobian_weight, loss_F * data.value_weight
    loss = loss_J + loss_F
    if fit.penalty is not None:
        loss = loss + np.maximum(np.einsum("sia,siab,sib->s", fit.C, fit.penalty, fit.C), 0.0)
    return replace(fit, loss=loss, jacobian_loss=loss_J, value_loss=loss_F)


def jacobian_residual(data: Data, fit: Fit) -> Array:
    """What the first start leaves of the Jacobians, (N, n, m)."""
    _, slopes = branch_values(fit, data.points)
    rest = data.jacobians - data.root * (slopes @ products(fit.V, fit.W)[0].T)
    return np.asarray(rest.reshape(data.sizes))


def branch_values(fit: Fit, points: Array) -> tuple[Array, Array]:
    """g (centred) and g' of every branch of the first start at every point, (N, r) each."""
    first = fit.select(np.array([0]))
    G = np.empty((len(points), fit.V.shape[2]))
    slopes = np.empty_like(G)
    for begin in range(0, len(G), ROWS):
        rows = slice(begin, begin + ROWS)
        z = points[rows] @ first.V
        G[rows], slopes[rows] = (
            apply(table, first.C)[0] for table in first.stack.designs(z, (0, 1))
        )
    return G - G.mean(axis=0), slopes
