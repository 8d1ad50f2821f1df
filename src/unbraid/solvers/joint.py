"""Least squares in W, V and the branch coefficients at once, the coefficients eliminated.

With g_i a function of z_i in a basis phi (coefficients c_i, K a branch), both

    J(k) ~ sum_i W_i g_i'(z_ik) V_i'    and    f(k) ~ sum_i W_i g_i(z_ik) + offset

have smooth derivatives in W, V and c. Every inner product of two such derivatives is made of small
matrices and of sums over the points of products of s_i p, d_i p and phi_i (d = g', s = g''): the
normal equations need nothing of size N beyond one chunk.

Everything has a leading axis of S starts. Small problems need it: there it is Python, not
arithmetic, that a start costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .problem import Problem
from .stack import Stack

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

    def select(self, starts: NDArray[np.intp]) -> Fit:
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
            slopes = self.stack.design(z, 1) * root if data.jacobian_weight else None
            levels = self.stack.design(z, 0) * root if data.value_weight else None
            if len(self.rows) == 1:
                self.kept = [(rows, slopes, levels)]
            yield rows, slopes, levels


def _coefficient_sums(data: Data, tables: _Tables, W: Array, V: Array) -> tuple[Sums, Array]:
    """Matrix and right-hand side of the normal equations of c, before W and V mix them."""
    n_starts, _, r = V.shape
    K = tables.stack.n_functions
    kr, W_values = _products(V, W), data.value_map @ W
    slopes, levels = np.zeros((2, n_starts, r * K, r * K))
    target, mean = np.zeros((2, n_starts, r, K))
    for rows, d_phi, phi in tables:
        if d_phi is not None:
            slopes += _gram(_flat(d_phi), _flat(d_phi))
            target += data.jacobian_weight * _pull(d_phi, data.jacobians[rows] @ kr)
        if phi is not None:
            levels += _gram(_flat(phi), _flat(phi))
            mean += np.einsum("snik,n->sik", phi, data.root[rows, 0])
            target += data.value_weight * _pull(phi, data.values[rows] @ W_values)
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
    mix_J = data.jacobian_weight * _gram(V, V) * _gram(W, W)
    mix_F = data.value_weight * _gram(W_values, W_values)
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
    kr, W_values = _products(fit.V, fit.W), data.value_map @ fit.W
    loss_J, loss_F = np.zeros((2, len(fit.W)))
    for rows, d_phi, phi in tables:
        if d_phi is not None:
            rest = _apply(d_phi, fit.C) @ kr.swapaxes(1, 2) - data.jacobians[rows]
            loss_J += np.einsum("snx,snx->s", rest, rest)
        if phi is not None:
            g = _apply(phi - data.root[rows, :, None] * fit.sums.mean[:, None], fit.C)
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
    rest = data.jacobians - data.root * (slopes @ _products(fit.V, fit.W)[0].T)
    return np.asarray(rest.reshape(data.sizes))


def branch_values(fit: Fit, points: Array) -> tuple[Array, Array]:
    """g (centred) and g' of every branch of the first start at every point, (N, r) each."""
    first = fit.select(np.array([0]))
    G = np.empty((len(points), fit.V.shape[2]))
    slopes = np.empty_like(G)
    for begin in range(0, len(G), ROWS):
        rows = slice(begin, begin + ROWS)
        z = points[rows] @ first.V
        G[rows] = _apply(first.stack.design(z, 0), first.C)[0]
        slopes[rows] = _apply(first.stack.design(z, 1), first.C)[0]
    return G - G.mean(axis=0), slopes


Blocks = tuple[Array, Array, Array, Array, Array, Array]


@dataclass(frozen=True)
class Normal:
    """Gauss-Newton matrix (S, q, q) and gradient (S, q) of half the loss in (W, V, c).

    W and V count branch by branch: W_1, W_2, ..., V_1, V_2, ..., c_1, c_2, ...; ``n_outer`` of
    the q unknowns belong to W and V. Each part of the data alone is in ``parts``.
    """

    matrix: Array
    gradient: Array
    n_outer: int
    parts: tuple[Array, Array]


@dataclass
class _Part:
    """Sums over the points of one part of the data: t are the factors of dV (s or d)."""

    tp_tp: Array  # (S, rm, rm)
    tp_phi: Array  # (S, rm, rK)
    tp_mean: Array  # (S, rm)
    phi_phi: Array  # (S, rK, rK)
    gradient: tuple[Array, Array, Array]  # by W, V and c: (S, r, n), (S, r, m), (S, r, K)

    def add(self, tp: Array, phi: Array, root: Array) -> None:
        """Take in the products of a chunk."""
        self.tp_tp += _gram(tp, tp)
        self.tp_phi += _gram(tp, _flat(phi))
        self.tp_mean += np.einsum("snx,n->sx", tp, root)

    def shaped(self, r: int) -> tuple[Array, Array, Array]:
        """The three tables with an axis for the branches: (S, r, m, r, m) and so on."""
        n_starts = len(self.tp_tp)
        m, K = self.tp_tp.shape[1] // r, self.phi_phi.shape[1] // r
        return (
            self.tp_tp.reshape(n_starts, r, m, r, m),
            self.tp_phi.reshape(n_starts, r, m, r, K),
            self.phi_phi.reshape(n_starts, r, K, r, K),
        )


def _empty_part(fit: Fit, phi_phi: Array) -> _Part:
    n_starts, n, r = fit.W.shape
    m, K = fit.V.shape[1], fit.stack.n_functions
    slopes = [np.zeros((n_starts, r, size)) for size in (n, m, K)]
    return _Part(
        np.zeros((n_starts, r * m, r * m)),
        np.zeros((n_starts, r * m, r * K)),
        np.zeros((n_starts, r * m)),
        phi_phi,
        (slopes[0], slopes[1], slopes[2]),
    )


def normal_equations(data: Data, fit: Fit) -> Normal:
    """Gauss-Newton matrix and gradient at a fit."""
    n_starts, n, r = fit.W.shape
    outer = r * (n + data.sizes[2])
    sums = _sweep(data, fit)
    weights = data.jacobian_weight, data.value_weight
    blocks = _jacobian_blocks(fit, sums[0]), _value_blocks(data, fit, sums[1])
    parts = [weight * _assembled(part) for weight, part in zip(weights, blocks, strict=True)]
    matrix = parts[0] + parts[1]
    matrix[:, outer:, outer:] = coefficient_matrix(data, fit.W, fit.V, fit.sums, fit.penalty)
    slopes = [
        np.concatenate([x.reshape(n_starts, -1) for x in part.gradient], axis=1) for part in sums
    ]
    gradient = weights[0] * slopes[0] + weights[1] * slopes[1]
    if fit.penalty is not None:
        pull = np.einsum("siab,sib->sia", fit.penalty, fit.C)
        gradient[:, outer:] += pull.reshape(n_starts, -1)
    return Normal(matrix, gradient, outer, (parts[0], parts[1]))


def _assembled(blocks: Blocks) -> Array:
    """The symmetric matrix of its blocks WW, WV, WC, VV, VC, CC."""
    WW, WV, WC, VV, VC, CC = blocks
    n_starts = len(WW)
    sizes = [math.prod(x.shape[1:3]) for x in (WW, VV, CC)]
    a, b, size = sizes[0], sizes[0] + sizes[1], sum(sizes)
    H = np.empty((n_starts, size, size))
    H[:, :a, :a] = WW.reshape(n_starts, a, a)
    H[:, :a, a:b] = WV.reshape(n_starts, a, b - a)
    H[:, :a, b:] = WC.reshape(n_starts, a, -1)
    H[:, a:b, a:b] = VV.reshape(n_starts, b - a, b - a)
    H[:, a:b, b:] = VC.reshape(n_starts, b - a, -1)
    H[:, b:, b:] = CC.reshape(n_starts, size - b, size - b)
    H[:, a:b, :a] = H[:, :a, a:b].swapaxes(1, 2)
    H[:, b:, :b] = H[:, :b, b:].swapaxes(1, 2)
    return H


def _sweep(data: Data, fit: Fit) -> tuple[_Part, _Part]:
    """One pass over the points: the sums of both parts, gradients from the residual itself."""
    jacobian, values = _empty_part(fit, fit.sums.slopes), _empty_part(fit, fit.sums.levels)
    kr, W_values = _products(fit.V, fit.W), data.value_map @ fit.W
    n_starts, _, r = fit.W.shape
    for rows in data.chunks(n_starts, r * max(fit.stack.n_functions, data.sizes[2])):
        z = data.points[rows] @ fit.V
        d_phi = fit.stack.design(z, 1) * data.root[rows, :, None]
        if data.jacobian_weight:
            _add_jacobians(jacobian, data, fit, rows, z, d_phi, kr)
        if data.value_weight:
            _add_values(values, data, fit, rows, z, _apply(d_phi, fit.C), W_values)
    mean = values.tp_mean
    values.tp_tp -= mean[:, :, None] * mean[:, None, :] / data.sizes[0]
    return jacobian, values


def _add_jacobians(
    part: _Part, data: Data, fit: Fit, rows: slice, z: Array, d_phi: Array, kr: Array
) -> None:
    p, root = data.points[rows], data.root[rows, :, None]
    n_starts, n, r = fit.W.shape
    d, s = _apply(d_phi, fit.C), _apply(fit.stack.design(z, 2) * root, fit.C)
    rest = d @ kr.swapaxes(1, 2) - data.jacobians[rows]
    pulled = rest @ kr
    turned = _gram(d, rest).reshape(n_starts, r, n, -1)
    by_W, by_V, by_C = part.gradient
    by_W += np.einsum("siol,sli->sio", turned, fit.V)
    by_V += np.einsum("siol,soi->sil", turned, fit.W) + (pulled * s).swapaxes(1, 2) @ p
    by_C += _pull(d_phi, pulled)
    part.add(_flat(s[..., None] * p[:, None, :]), d_phi, data.root[rows, 0])


def _add_values(
    part: _Part, data: Data, fit: Fit, rows: slice, z: Array, d: Array, W_values: Array
) -> None:
    p, root = data.points[rows], data.root[rows, :, None]
    phi = (fit.stack.design(z, 0) - fit.sums.mean[:, None]) * root
    g = _apply(phi, fit.C)
    rest = g @ W_values.swapaxes(1, 2) - data.values[rows]
    pulled = rest @ W_values
    by_W, by_V, by_C = part.gradient
    by_W += _gram(g, rest) @ data.value_map
    by_V += (pulled * d).swapaxes(1, 2) @ p
    by_C += _pull(phi, pulled)
    part.add(_flat(d[..., None] * p[:, None, :]), phi, data.root[rows, 0])


def _jacobian_blocks(fit: Fit, part: _Part) -> Blocks:
    """Inner products of W_i (d_i dV_i' + s_i (p.dV_i) V_i'), dW_i d_i V_i', W_i V_i' phi_i'dc_i."""
    W, V, C = fit.W, fit.V, fit.C
    sp_sp, sp_phi, phi_phi = part.shaped(W.shape[2])
    mix_V, mix_W = _gram(V, V), _gram(W, W)
    d_phi = np.einsum("sia,siajb->sijb", C, phi_phi)
    dd = np.einsum("sijb,sjb->sij", d_phi, C)
    spd = np.einsum("siljb,sjb->silj", sp_phi, C)
    wide_V, wide_W = mix_V[:, :, None, :, None], mix_W[:, :, None, :, None]
    WW = np.einsum("sij,oe->sioje", mix_V * dd, np.eye(W.shape[1]))
    turn = np.einsum("sli,sij->sijl", V, dd) + np.einsum("sij,sjli->sijl", mix_V, spd)
    WV = np.einsum("soj,sijl->siojl", W, turn)
    WC = np.einsum("soj,sijb->siojb", W, mix_V[..., None] * d_phi)
    cross = np.einsum("slj,sjei->silje", V, spd)
    VV = np.einsum("sij,le->silje", dd, np.eye(V.shape[1]))
    VV = wide_W * (VV + cross + cross.transpose(0, 3, 4, 1, 2) + wide_V * sp_sp)
    VC = wide_W * (np.einsum("slj,sijb->siljb", V, d_phi) + wide_V * sp_phi)
    return WW, WV, WC, VV, VC, wide_W * wide_V * phi_phi


def _value_blocks(data: Data, fit: Fit, part: _Part) -> Blocks:
    """Inner products of dW_i g_i, W_i d_i (p.dV_i) and W_i phi_i'dc_i, all centred."""
    C, W_values = fit.C, data.value_map @ fit.W
    dp_dp, dp_phi, phi_phi = part.shaped(fit.W.shape[2])
    back = data.value_map.T @ W_values
    wide = _gram(W_values, W_values)[:, :, None, :, None]
    g_phi = np.einsum("sia,siajb->sijb", C, phi_phi)
    gg = np.einsum("sijb,sjb->sij", g_phi, C)
    dpg = np.einsum("siljb,sjb->silj", dp_phi, C)
    WW = np.einsum("sij,oe->sioje", gg, data.value_map.T @ data.value_map)
    WV = np.einsum("soj,sjli->siojl", back, dpg)
    WC = np.einsum("soj,sijb->siojb", back, g_phi)
    return WW, WV, WC, wide * dp_dp, wide * dp_phi, wide * phi_phi


def _flat(table: Array) -> Array:
    """(S, N, r, K) as (S, N, rK)."""
    return table.reshape(*table.shape[:2], -1)


def _products(V: Array, W: Array) -> Array:
    """Khatri-Rao product of every start, (S, n*m, r), inputs running fastest."""
    return np.asarray(np.einsum("sor,slr->solr", W, V).reshape(len(V), -1, V.shape[2]))


def _gram(a: Array, b: Array) -> Array:
    return np.asarray(a.swapaxes(-1, -2) @ b)


def _apply(table: Array, C: Array) -> Array:
    """Sum over the basis: (S, N, r)."""
    return np.asarray(np.einsum("snik,sik->sni", table, C))


def _pull(table: Array, target: Array) -> Array:
    """Sum over the points: (S, r, K)."""
    return np.asarray(np.einsum("snik,sni->sik", table, target))
