"""Gauss-Newton on W, V and the branch coefficients at once.

With d = g' and s = g'', every inner product of two derivatives of the residual is made of small
matrices and of sums over the points of products of s_i p, d_i p and phi_i: the normal equations
need nothing of size N beyond one chunk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..._typing import Array
from ._batches import apply, flat, gram, products, pull
from ._joint import Data, Fit, coefficient_matrix

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
        self.tp_tp += gram(tp, tp)
        self.tp_phi += gram(tp, flat(phi))
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
    size = outer + r * fit.stack.n_functions
    sums = _sweep(data, fit)
    weights = data.jacobian_weight, data.value_weight
    parts = [np.zeros((n_starts, size, size)) for _ in weights]
    if weights[0]:
        parts[0] = weights[0] * _assembled(_jacobian_blocks(fit, sums[0]))
    if weights[1]:
        parts[1] = weights[1] * _assembled(_value_blocks(data, fit, sums[1]))
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
    kr, W_values = products(fit.V, fit.W), data.value_map @ fit.W
    n_starts, _, r = fit.W.shape
    for rows in data.chunks(n_starts, r * max(fit.stack.n_functions, data.sizes[2])):
        z = data.points[rows] @ fit.V
        orders = [1, *([2] if data.jacobian_weight else []), *([0] if data.value_weight else [])]
        root = data.root[rows, :, None]
        tables = dict(zip(orders, fit.stack.designs(z, orders), strict=True))
        d_phi = tables[1] * root
        d = apply(d_phi, fit.C)
        if data.jacobian_weight:
            s = apply(tables[2] * root, fit.C)
            _add_jacobians(jacobian, data, fit, rows, (d_phi, d, s), kr)
        if data.value_weight:
            phi = (tables[0] - fit.sums.mean[:, None]) * root
            _add_values(values, data, fit, rows, (phi, d), W_values)
    mean = values.tp_mean
    values.tp_tp -= mean[:, :, None] * mean[:, None, :] / data.sizes[0]
    return jacobian, values


def _add_jacobians(
    part: _Part,
    data: Data,
    fit: Fit,
    rows: slice,
    tables: tuple[Array, Array, Array],
    kr: Array,
) -> None:
    """Take in phi', g' and g'' of a chunk."""
    p, (d_phi, d, s) = data.points[rows], tables
    n_starts, n, r = fit.W.shape
    rest = d @ kr.swapaxes(1, 2) - data.jacobians[rows]
    pulled = rest @ kr
    turned = gram(d, rest).reshape(n_starts, r, n, -1)
    by_W, by_V, by_C = part.gradient
    by_W += np.einsum("siol,sli->sio", turned, fit.V)
    by_V += np.einsum("siol,soi->sil", turned, fit.W) + (pulled * s).swapaxes(1, 2) @ p
    by_C += pull(d_phi, pulled)
    part.add(flat(s[..., None] * p[:, None, :]), d_phi, data.root[rows, 0])


def _add_values(
    part: _Part,
    data: Data,
    fit: Fit,
    rows: slice,
    tables: tuple[Array, Array],
    W_values: Array,
) -> None:
    """Take in phi (centred) and g' of a chunk."""
    p, (phi, d) = data.points[rows], tables
    g = apply(phi, fit.C)
    rest = g @ W_values.swapaxes(1, 2) - data.values[rows]
    pulled = rest @ W_values
    by_W, by_V, by_C = part.gradient
    by_W += gram(g, rest) @ data.value_map
    by_V += (pulled * d).swapaxes(1, 2) @ p
    by_C += pull(phi, pulled)
    part.add(flat(d[..., None] * p[:, None, :]), phi, data.root[rows, 0])


def _jacobian_blocks(fit: Fit, part: _Part) -> Blocks:
    """Inner products of W_i (d_i dV_i' + s_i (p.dV_i) V_i'), dW_i d_i V_i', W_i V_i' phi_i'dc_i."""
    W, V, C = fit.W, fit.V, fit.C
    sp_sp, sp_phi, phi_phi = part.shaped(W.shape[2])
    mix_V, mix_W = gram(V, V), gram(W, W)
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
    wide = gram(W_values, W_values)[:, :, None, :, None]
    g_phi = np.einsum("sia,siajb->sijb", C, phi_phi)
    gg = np.einsum("sijb,sjb->sij", g_phi, C)
    dpg = np.einsum("siljb,sjb->silj", dp_phi, C)
    WW = np.einsum("sij,oe->sioje", gg, data.value_map.T @ data.value_map)
    WV = np.einsum("soj,sjli->siojl", back, dpg)
    WC = np.einsum("soj,sijb->siojb", back, g_phi)
    return WW, WV, WC, wide * dp_dp, wide * dp_phi, wide * phi_phi
