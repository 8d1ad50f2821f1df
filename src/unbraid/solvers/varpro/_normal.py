"""Gauss-Newton on W, V and the branch coefficients at once.

With d = g' and s = g'', every inner product of two derivatives of the residual is made of small
matrices and of sums over the points of products of s_i p, d_i p and phi_i. So the normal equations
need no array of size N beyond one chunk.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..._typing import Array
from ._data import Data
from ._joint import (
    BasisTables,
    Fit,
    flatten_basis,
    gram,
    inner_products,
    khatri_rao_products,
    make_tables,
    split_coefficient_matrix,
    sum_over_basis,
)

Blocks = Sequence[Array]


@dataclass(frozen=True)
class NormalEquations:
    """Gauss-Newton matrix and gradient of half the loss, without the block of c.

    The unknowns are W_1, W_2, ..., V_1, V_2, ..., c_1, c_2, ...; ``n_outer`` of them belong to W
    and V. ``outer`` (S, n_outer, n_outer) is the block of W and V, ``cross`` (S, n_outer, rK) that
    of both with c, and ``gradient`` has all entries.
    """

    outer: Array
    cross: Array
    gradient: Array

    @property
    def n_outer(self) -> int:
        return int(self.outer.shape[1])


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
        self.by_V += by_V + gram(pulled * t, data.points[:, rows])
        self.by_C += inner_products(phi, pulled)
        tp = flatten_basis(t[..., None] * data.points[:, rows, None, :])
        self.tp_tp += gram(tp, tp)
        self.tp_phi += gram(tp, flatten_basis(phi))
        self.tp_mean += np.einsum("snx,sn->sx", tp, data.root[:, rows, 0])

    def split_branches(self) -> tuple[Array, Array, Array]:
        """Return the three tables with axes for the branches: (S, r, m, r, m) and so on."""
        (n_starts, r, m), K = self.by_V.shape, self.by_C.shape[2]
        return (
            self.tp_tp.reshape(n_starts, r, m, r, m),
            self.tp_phi.reshape(n_starts, r, m, r, K),
            self.phi_phi.reshape(n_starts, r, K, r, K),
        )


NormalSums = tuple[_Part, _Part]  # of the Jacobians and of the values


def assemble_normal_equations(
    data: Data, fit: Fit, sums: NormalSums | None = None
) -> NormalEquations:
    """Return the Gauss-Newton matrix and the gradient at a fit."""
    sums = sums or sum_over_points(data, fit)
    weighted = [blocks for blocks in _make_blocks(data, fit, sums) if blocks is not None]
    blocks = weighted[0]
    if len(weighted) == 2:
        blocks = [x + y for x, y in zip(*weighted, strict=True)]
    return NormalEquations(*_join_blocks(blocks), _assemble_gradient(data, fit, sums))


def assemble_part_matrices(
    data: Data, fit: Fit, sums: NormalSums | None = None
) -> tuple[Array, Array]:
    """Return the whole Gauss-Newton matrices (S, q, q) of Jacobians and values alone."""
    sums = sums or sum_over_points(data, fit)
    inner = split_coefficient_matrix(data, fit.W, fit.V, fit.sums)
    pairs = zip(_make_blocks(data, fit, sums), inner, strict=True)
    first, second = (None if blocks is None else _join_all(blocks, part) for blocks, part in pairs)
    return (
        np.zeros_like(second) if first is None else first,
        np.zeros_like(first) if second is None else second,
    )


def _assemble_gradient(data: Data, fit: Fit, sums: NormalSums) -> Array:
    n_starts, n, r = fit.W.shape
    gradient = data.weigh_jacobians(sums[0].gradient) + data.weigh_values(sums[1].gradient)
    if fit.penalty is not None:
        by_C = np.einsum("siab,sib->sia", fit.penalty, fit.C)
        gradient[:, r * (n + data.sizes[2]) :] += by_C.reshape(n_starts, -1)
    return gradient


def _make_blocks(data: Data, fit: Fit, sums: NormalSums) -> tuple[Blocks | None, Blocks | None]:
    """Return the weighted blocks of both parts, None of a part without weight."""
    jacobian = values = None
    if data.has_jacobians:
        jacobian = list(map(data.weigh_jacobians, _make_jacobian_blocks(fit, sums[0])))
    if data.has_values:
        values = list(map(data.weigh_values, _make_value_blocks(data, fit, sums[1])))
    return jacobian, values


def _join_blocks(blocks: Blocks) -> tuple[Array, Array]:
    """Return outer and cross, from the blocks WW, WV, WC, VV, VC."""
    n_starts = len(blocks[0])
    flat = [x.reshape(n_starts, x.shape[1] * x.shape[2], -1) for x in blocks]
    WW, WV, WC, VV, VC = flat
    outer = np.block([[WW, WV], [WV.swapaxes(1, 2), VV]])
    return outer, np.concatenate([WC, VC], axis=1)


def _join_all(blocks: Blocks, inner: Array) -> Array:
    outer, cross = _join_blocks(blocks)
    return np.block([[outer, cross], [cross.swapaxes(1, 2), inner]])


def sum_over_points(data: Data, fit: Fit) -> NormalSums:
    """Accumulate both parts in one pass over the points; gradients use the residual."""
    jacobian, values = _Part(fit, fit.sums.slopes), _Part(fit, fit.sums.levels)
    kr, W_values = khatri_rao_products(fit.V, fit.W), data.value_map @ fit.W
    n_starts, n, r = fit.W.shape
    for rows, tables in _list_tables(data, fit):
        d_phi, root = tables.slopes, data.root[:, rows, :, None]
        assert d_phi is not None
        d = sum_over_basis(d_phi, fit.C)
        if tables.bends is not None:
            s = sum_over_basis(tables.bends, fit.C)
            rest = d @ kr.swapaxes(1, 2) - data.jacobians[:, rows]
            turned = gram(d, rest).reshape(n_starts, r, n, -1)
            jacobian.by_W += np.einsum("siol,sli->sio", turned, fit.V)
            by_V = np.einsum("siol,soi->sil", turned, fit.W)
            jacobian.add(data, rows, rest @ kr, s, d_phi, by_V)
        if tables.levels is not None:
            phi = tables.levels - root * fit.sums.mean[:, None]
            g = sum_over_basis(phi, fit.C)
            rest = g @ W_values.swapaxes(1, 2) - data.values[:, rows]
            values.by_W += gram(g, rest) @ data.value_map
            values.add(data, rows, rest @ W_values, d, phi)
    mean = values.tp_mean
    values.tp_tp -= mean[:, :, None] * mean[:, None, :] / data.n_points[:, None, None]
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
    return WW, WV, WC, VV, VC


def _make_value_blocks(data: Data, fit: Fit, part: _Part) -> Blocks:
    """Return blocks: products of dW_i g_i, W_i d_i (p.dV_i), W_i phi_i'dc_i."""
    C, W_values = fit.C, data.value_map @ fit.W
    dp_dp, dp_phi, phi_phi = part.split_branches()
    transposed = data.value_map.swapaxes(1, 2)
    back = transposed @ W_values
    wide = gram(W_values, W_values)[:, :, None, :, None]
    g_phi = np.einsum("sia,siajb->sijb", C, phi_phi)
    gg = np.einsum("sijb,sjb->sij", g_phi, C)
    dpg = np.einsum("siljb,sjb->silj", dp_phi, C)
    WW = np.einsum("sij,soe->sioje", gg, transposed @ data.value_map)
    WV = np.einsum("soj,sjli->siojl", back, dpg)
    WC = np.einsum("soj,sijb->siojb", back, g_phi)
    return WW, WV, WC, wide * dp_dp, wide * dp_phi
