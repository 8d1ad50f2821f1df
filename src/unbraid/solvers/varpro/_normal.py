"""Gauss-Newton on W, V and the branch coefficients at once.

With d = g' and s = g'', every inner product of two derivatives of the residual is made of small
matrices and of sums over the points of products of s_i p, d_i p and phi_i. So the normal equations
need no array of size N beyond one chunk.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._typing import Array
from ._joint import (
    BasisTables,
    Data,
    Fit,
    assemble_coefficient_matrix,
    flatten_basis,
    gram,
    khatri_rao_products,
    make_tables,
    sum_over_basis,
    sum_over_points,
)

Blocks = tuple[Array, Array, Array, Array, Array, Array]


@dataclass(frozen=True)
class NormalEquations:
    """Gauss-Newton matrix (S, q, q) and gradient (S, q) of half the loss.

    The unknowns are W_1, W_2, ..., V_1, V_2, ..., c_1, c_2, ...; ``n_outer`` of them belong to W
    and V. ``parts`` are the matrices of Jacobians and of values alone.
    """

    matrix: Array
    gradient: Array
    n_outer: int
    parts: tuple[Array, Array]


class _Part:
    """Sums over the points of one part of the data; t are the factors of dV (s or d)."""

    def __init__(self, fit: Fit, phi_phi: Array) -> None:
        (n_starts, n, r), m, K = fit.W.shape, fit.V.shape[1], fit.stack.n_functions
        self.tp_tp = np.zeros((n_starts, r * m, r * m))
        self.tp_phi = np.zeros((n_starts, r * m, r * K))
        self.tp_mean = np.zeros((n_starts, r * m))
        self.phi_phi = phi_phi  # (S, rK, rK)
        self.by_W, self.by_V, self.by_C = (np.zeros((n_starts, r, size)) for size in (n, m, K))

    @property
    def gradient(self) -> Array:
        parts = (self.by_W, self.by_V, self.by_C)
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)

    def add(
        self,
        data: Data,
        rows: slice,
        pulled: Array,
        t: Array,
        phi: Array,
        by_V: Array | float = 0.0,
    ) -> None:
        """Add a chunk: its products, and its gradient from the projected residual."""
        self.by_V += by_V + gram(pulled * t, data.points[rows])
        self.by_C += sum_over_points(phi, pulled)
        tp = flatten_basis(t[..., None] * data.points[rows][:, None, :])
        self.tp_tp += gram(tp, tp)
        self.tp_phi += gram(tp, flatten_basis(phi))
        self.tp_mean += np.einsum("snx,n->sx", tp, data.root[rows, 0])

    def split_branches(self) -> tuple[Array, Array, Array]:
        """Return the three tables with axes for the branches: (S, r, m, r, m) and so on."""
        (n_starts, r, m), K = self.by_V.shape, self.by_C.shape[2]
        return (
            self.tp_tp.reshape(n_starts, r, m, r, m),
            self.tp_phi.reshape(n_starts, r, m, r, K),
            self.phi_phi.reshape(n_starts, r, K, r, K),
        )


def assemble_normal_equations(data: Data, fit: Fit) -> NormalEquations:
    """Return the Gauss-Newton matrix and the gradient at a fit."""
    n_starts, n, r = fit.W.shape
    outer = r * (n + data.sizes[2])
    size = outer + r * fit.stack.n_functions
    jacobian, values = _sum_over_points(data, fit)
    weights = data.jacobian_weight, data.value_weight
    parts = [np.zeros((n_starts, size, size)) for _ in weights]
    if weights[0]:
        parts[0] = weights[0] * _join_blocks(_make_jacobian_blocks(fit, jacobian))
    if weights[1]:
        parts[1] = weights[1] * _join_blocks(_make_value_blocks(data, fit, values))
    matrix = parts[0] + parts[1]
    matrix[:, outer:, outer:] = assemble_coefficient_matrix(
        data, fit.W, fit.V, fit.sums, fit.penalty
    )
    gradient = weights[0] * jacobian.gradient + weights[1] * values.gradient
    if fit.penalty is not None:
        by_C = np.einsum("siab,sib->sia", fit.penalty, fit.C)
        gradient[:, outer:] += by_C.reshape(n_starts, -1)
    return NormalEquations(matrix, gradient, outer, (parts[0], parts[1]))


def _join_blocks(blocks: Blocks) -> Array:
    """Return the symmetric matrix with the blocks WW, WV, WC, VV, VC, CC."""
    n_starts = len(blocks[0])
    flat = [x.reshape(n_starts, x.shape[1] * x.shape[2], -1) for x in blocks]
    WW, WV, WC, VV, VC, CC = flat
    VW, CW, CV = (x.swapaxes(1, 2) for x in (WV, WC, VC))
    return np.block([[WW, WV, WC], [VW, VV, VC], [CW, CV, CC]])


def _sum_over_points(data: Data, fit: Fit) -> tuple[_Part, _Part]:
    """Accumulate both parts in one pass over the points; gradients use the residual."""
    jacobian, values = _Part(fit, fit.sums.slopes), _Part(fit, fit.sums.levels)
    kr, W_values = khatri_rao_products(fit.V, fit.W), data.value_map @ fit.W
    n_starts, n, r = fit.W.shape
    for rows, tables in _list_tables(data, fit):
        d_phi, root = tables.slopes, data.root[rows, :, None]
        assert d_phi is not None
        d = sum_over_basis(d_phi, fit.C)
        if tables.bends is not None:
            s = sum_over_basis(tables.bends, fit.C)
            rest = d @ kr.swapaxes(1, 2) - data.jacobians[rows]
            turned = gram(d, rest).reshape(n_starts, r, n, -1)
            jacobian.by_W += np.einsum("siol,sli->sio", turned, fit.V)
            by_V = np.einsum("siol,soi->sil", turned, fit.W)
            jacobian.add(data, rows, rest @ kr, s, d_phi, by_V)
        if tables.levels is not None:
            phi = tables.levels - root * fit.sums.mean[:, None]
            g = sum_over_basis(phi, fit.C)
            rest = g @ W_values.swapaxes(1, 2) - data.values[rows]
            values.by_W += gram(g, rest) @ data.value_map
            values.add(data, rows, rest @ W_values, d, phi)
    mean = values.tp_mean
    values.tp_tp -= mean[:, :, None] * mean[:, None, :] / data.sizes[0]
    return jacobian, values


def _list_tables(data: Data, fit: Fit) -> Iterator[tuple[slice, BasisTables]]:
    """Yield rows and their tables, which the fit may have."""
    if fit.tables is not None:
        yield slice(0, data.sizes[0]), fit.tables
        return
    for rows in data.chunks(len(fit.V), fit.V.shape[2], fit.stack.n_functions):
        yield rows, make_tables(data, fit.stack, fit.V, rows)


def _make_jacobian_blocks(fit: Fit, part: _Part) -> Blocks:
    """Return the blocks of the Jacobians.

    These are products of W_i (d_i dV_i' + s_i (p.dV_i) V_i'), dW_i d_i V_i' and
    W_i V_i' phi_i'dc_i.
    """
    W, V, C = fit.W, fit.V, fit.C
    sp_sp, sp_phi, phi_phi = part.split_branches()
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


def _make_value_blocks(data: Data, fit: Fit, part: _Part) -> Blocks:
    """Return blocks: products of dW_i g_i, W_i d_i (p.dV_i), W_i phi_i'dc_i."""
    C, W_values = fit.C, data.value_map @ fit.W
    dp_dp, dp_phi, phi_phi = part.split_branches()
    back = data.value_map.T @ W_values
    wide = gram(W_values, W_values)[:, :, None, :, None]
    g_phi = np.einsum("sia,siajb->sijb", C, phi_phi)
    gg = np.einsum("sijb,sjb->sij", g_phi, C)
    dpg = np.einsum("siljb,sjb->silj", dp_phi, C)
    WW = np.einsum("sij,oe->sioje", gg, data.value_map.T @ data.value_map)
    WV = np.einsum("soj,sjli->siojl", back, dpg)
    WC = np.einsum("soj,sijb->siojb", back, g_phi)
    return WW, WV, WC, wide * dp_dp, wide * dp_phi, wide * phi_phi
