"""Least squares in W, V and branch coefficients, coefficients eliminated.

With g_i a function of z_i in a basis phi (K coefficients c_i per branch), both

    J(k) ~ sum_i W_i g_i'(z_ik) V_i'    and    f(k) ~ sum_i W_i g_i(z_ik) + offset

are linear in c. For given W and V, c solves normal equations, whose sums over the points are
accumulated chunk by chunk. All arrays have a leading axis of S starts, because in small problems
the cost of a start is that of the Python interpreter. ``_normal`` has the derivatives in W and V.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from ..._typing import Array, Index
from ._data import Data
from ._definite import factorise, solve_factorised
from ._stack import Stack

BRANCH_BLOCK_POINTS = 8192  # points at a time where one start is evaluated
RIDGE = 1e-13  # relative to the diagonal: keeps the eliminated system solvable

TABLE_ORDERS = (1, 0, 2)  # of the derivatives in BasisTables


class _Batch:
    """A dataclass whose arrays have a leading axis of starts."""

    def map_arrays(self, function: Callable[..., Array], *others: Self) -> Self:
        """Return a copy with a function applied to the arrays of this and other batches."""
        changes: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            mine, *theirs = (getattr(batch, field.name) for batch in (self, *others))
            if isinstance(mine, np.ndarray):
                changes[field.name] = function(mine, *theirs)
            elif isinstance(mine, _Batch):
                changes[field.name] = mine.map_arrays(function, *theirs)
        return replace(self, **changes)  # type: ignore[type-var]


@dataclass(frozen=True)
class Sums(_Batch):
    """Sums over the points that the elimination of c needs."""

    slopes: Array  # phi'_i phi'_j, (S, rK, rK)
    levels: Array  # phi_i phi_j, centred
    mean: Array  # phi_i, (S, r, K)
    target: Array  # phi_i and phi'_i times the data, weighted, (S, r, K)


@dataclass(frozen=True)
class BasisTables(_Batch):
    """phi', phi and phi'' at some points, (S, N, r, K).

    They are multiplied by the square roots of the weights of the points. What has no weight in the
    loss is None.
    """

    slopes: Array | None
    levels: Array | None
    bends: Array | None


@dataclass(frozen=True)
class Fit(_Batch):
    """W (S, n, r) and V (S, m, r) with their best c (S, r, K), and the losses.

    ``loss`` is the sum of the two parts, each relative and weighted, and of the penalty.
    ``factors`` are those of the normal matrix of c. ``tables`` are kept where one chunk holds all
    points.
    """

    W: Array
    V: Array
    C: Array
    stack: Stack
    penalty: Array | None
    sums: Sums
    factors: Array
    loss: Array
    jacobian_loss: Array
    value_loss: Array
    tables: BasisTables | None = None

    @property
    def first(self) -> Fit:
        """The first start alone."""
        return self if len(self.W) == 1 else self.select(np.array([0]))

    def select(self, starts: Index) -> Fit:
        """Return some of the starts."""
        return replace(self.map_arrays(lambda a: a[starts]), stack=self.stack.select(starts))


def evaluate(data: Data, stack: Stack, W: Array, V: Array, penalty: Array | None = None) -> Fit:
    """Find the best coefficients for W and V, and their losses."""
    tables = _keep_tables(data, stack, V)
    sums = _sum_over_chunks(data, stack, _list_chunks(data, stack, V, tables), W, V)
    return _fit_coefficients(data, stack, W, V, penalty, sums, tables)


def with_penalty(data: Data, fit: Fit, penalty: Array | None) -> Fit:
    """Find the best coefficients for the same W and V with another penalty."""
    return _fit_coefficients(data, fit.stack, fit.W, fit.V, penalty, fit.sums, fit.tables)


def _fit_coefficients(
    data: Data,
    stack: Stack,
    W: Array,
    V: Array,
    penalty: Array | None,
    sums: Sums,
    tables: BasisTables | None,
) -> Fit:
    """Solve for the coefficients, and compute the losses from the residual."""
    factors = factorise(assemble_coefficient_matrix(data, W, V, sums, penalty))
    right = sums.target.reshape(len(W), -1, 1)
    C = solve_factorised(factors, right).reshape(sums.target.shape)
    zeros = np.zeros(len(W))
    fit = Fit(W, V, C, stack, penalty, sums, factors, zeros, zeros, zeros, tables)
    return _with_loss(data, _list_chunks(data, stack, V, tables), fit)


def _keep_tables(data: Data, stack: Stack, V: Array) -> BasisTables | None:
    """Evaluate the basis at all points where one chunk holds them."""
    n_starts, _, r = V.shape
    first = next(data.chunks(n_starts, r, stack.n_functions))
    return make_tables(data, stack, V, first) if first.stop == data.sizes[0] else None


def _list_chunks(
    data: Data, stack: Stack, V: Array, tables: BasisTables | None
) -> Iterator[tuple[slice, BasisTables]]:
    """Yield rows and their tables, without second derivatives unless they are kept."""
    if tables is not None:
        yield slice(0, data.sizes[0]), tables
        return
    for rows in data.chunks(len(V), V.shape[2], stack.n_functions):
        yield rows, make_tables(data, stack, V, rows, bends=False)


def make_tables(data: Data, stack: Stack, V: Array, rows: slice, bends: bool = True) -> BasisTables:
    """Evaluate the basis at some points; second derivatives on request."""
    has_slopes = data.has_jacobians
    needed = (has_slopes or bends, data.has_values, has_slopes and bends)
    orders = [order for order, need in zip(TABLE_ORDERS, needed, strict=True) if need]
    found = iter(stack.designs(data.points[:, rows] @ V, orders))
    tables = [next(found) if need else None for need in needed]
    if data.has_point_weights:
        root = data.root[:, rows, :, None]
        tables = [None if table is None else table * root for table in tables]
    return BasisTables(*tables)


def _sum_over_chunks(
    data: Data, stack: Stack, chunks: Iterable[tuple[slice, BasisTables]], W: Array, V: Array
) -> Sums:
    """Return the sums of the normal equations of c."""
    n_starts, _, r = V.shape
    K = stack.n_functions
    kr, W_values = khatri_rao_products(V, W), data.value_map @ W
    slopes, levels = np.zeros((2, n_starts, r * K, r * K))
    target, mean = np.zeros((2, n_starts, r, K))
    for rows, tables in chunks:
        d_phi, phi, root = tables.slopes, tables.levels, data.root[:, rows]
        if d_phi is not None and data.has_jacobians:
            slopes += gram(flatten_basis(d_phi), flatten_basis(d_phi))
            pulled = data.jacobians[:, rows] @ kr
            target += data.weigh_jacobians(inner_products(d_phi, pulled))
        if phi is not None:
            levels += gram(flatten_basis(phi), flatten_basis(phi))
            mean += np.einsum("snik,sn->sik", phi, root[:, :, 0])
            pulled = data.values[:, rows] @ W_values
            target += data.weigh_values(inner_products(phi, pulled))
    n_points = data.n_points[:, None, None]
    mean /= n_points
    centre = mean.reshape(n_starts, -1)
    levels -= n_points * centre[:, :, None] * centre[:, None, :]
    return Sums(slopes, levels, mean, target)


def split_coefficient_matrix(data: Data, W: Array, V: Array, sums: Sums) -> tuple[Array, Array]:
    """Return the normal matrices of c, (S, rK, rK), of Jacobians and of values."""
    n_starts, _, r = V.shape
    W_values = data.value_map @ W
    mix_J = data.weigh_jacobians(gram(V, V)) * gram(W, W)
    mix_F = data.weigh_values(gram(W_values, W_values))
    shape = (n_starts, r, sums.mean.shape[2], r, sums.mean.shape[2])
    first, second = (
        (mix[:, :, None, :, None] * table.reshape(shape)).reshape(table.shape)
        for mix, table in ((mix_J, sums.slopes), (mix_F, sums.levels))
    )
    return first, second


def assemble_coefficient_matrix(
    data: Data, W: Array, V: Array, sums: Sums, penalty: Array | None
) -> Array:
    """Return the normal matrix of the coefficients, (S, rK, rK)."""
    matrix, levels = split_coefficient_matrix(data, W, V, sums)
    matrix += levels
    (n_starts, r, K), index = sums.mean.shape, np.arange(V.shape[2])
    diagonal = np.arange(r * K)
    ridge = RIDGE * matrix[:, diagonal, diagonal].mean(axis=1, keepdims=True)
    matrix[:, diagonal, diagonal] = matrix[:, diagonal, diagonal] * (1 + RIDGE) + ridge + 1e-300
    if penalty is not None:
        blocks = matrix.reshape(n_starts, r, K, r, K)
        blocks[:, index, :, index] += penalty.swapaxes(0, 1)
    return matrix


def _with_loss(data: Data, chunks: Iterable[tuple[slice, BasisTables]], fit: Fit) -> Fit:
    """Add losses, from the residual: normal equations resolve 1e-8 of it only."""
    kr, W_values = khatri_rao_products(fit.V, fit.W), data.value_map @ fit.W
    loss_J, loss_F = np.zeros((2, len(fit.W)))
    for rows, tables in chunks:
        d_phi, phi = tables.slopes, tables.levels
        if d_phi is not None and data.has_jacobians:
            rest = sum_over_basis(d_phi, fit.C) @ kr.swapaxes(1, 2) - data.jacobians[:, rows]
            loss_J += np.einsum("snx,snx->s", rest, rest)
        if phi is not None:
            g = sum_over_basis(phi - data.root[:, rows, :, None] * fit.sums.mean[:, None], fit.C)
            rest = g @ W_values.swapaxes(1, 2) - data.values[:, rows]
            loss_F += np.einsum("snx,snx->s", rest, rest)
    loss_J, loss_F = data.weigh_jacobians(loss_J), data.weigh_values(loss_F)
    loss = loss_J + loss_F
    if fit.penalty is not None:
        loss = loss + np.maximum(np.einsum("sia,siab,sib->s", fit.C, fit.penalty, fit.C), 0.0)
    return replace(fit, loss=loss, jacobian_loss=loss_J, value_loss=loss_F)


def compute_jacobian_residual(data: Data, fit: Fit) -> Array:
    """Return the residual of the Jacobians of one start, (N, n, m)."""
    _, slopes = evaluate_starts(fit, data.points)
    fitted = slopes @ khatri_rao_products(fit.V, fit.W).swapaxes(1, 2)
    return np.asarray((data.jacobians - data.root * fitted).reshape(data.sizes))


def evaluate_branches(fit: Fit, points: Array) -> tuple[Array, Array]:
    """Return g (centred) and g' of the first start at points, (N, r) each."""
    G, slopes = (table[0] for table in evaluate_starts(fit.first, points[None]))
    return G - G.mean(axis=0), slopes


def evaluate_starts(fit: Fit, points: Array) -> tuple[Array, Array]:
    """Return g, with whatever constant it has, and g' (S, N, r) at points (., N, m)."""
    n_starts, _, r = fit.V.shape
    n_points = points.shape[1]
    G, slopes = np.empty((2, n_starts, n_points, r))
    for begin in range(0, n_points, BRANCH_BLOCK_POINTS):
        rows = slice(begin, begin + BRANCH_BLOCK_POINTS)
        tables = fit.stack.designs(points[:, rows] @ fit.V, (0, 1))
        G[:, rows], slopes[:, rows] = (sum_over_basis(table, fit.C) for table in tables)
    return G, slopes


def flatten_basis(table: Array) -> Array:
    """Return (S, N, r, K) as (S, N, rK)."""
    return table.reshape(*table.shape[:2], -1)


def khatri_rao_products(V: Array, W: Array) -> Array:
    """Return Khatri-Rao products (S, n*m, r), inputs running fastest."""
    return np.asarray(np.einsum("sor,slr->solr", W, V).reshape(len(V), -1, V.shape[2]))


def gram(a: Array, b: Array) -> Array:
    return np.asarray(a.swapaxes(-1, -2) @ b)


def sum_over_basis(table: Array, C: Array) -> Array:
    """Return the branches (S, N, r) with coefficients C (S, r, K)."""
    return np.asarray(np.einsum("snik,sik->sni", table, C))


def inner_products(table: Array, target: Array) -> Array:
    """Return the inner products (S, r, K) of basis functions and a target (S, N, r)."""
    return np.asarray(np.einsum("snik,sni->sik", table, target))
