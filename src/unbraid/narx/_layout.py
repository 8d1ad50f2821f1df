"""A decoupled function as a vector of numbers, and its derivatives by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._typing import Array
from ..bases import CustomBasis
from ..errors import InvalidOption
from ..model._branch import Branch, Expansion
from ..model._function import DecoupledFunction


@dataclass(frozen=True, eq=False)
class Layout:
    """Numbers in the order W (where there are several outputs), V, branch by branch, offset.

    V is held as a step from where it was, in whitened regressors, ``V = like.V + whiten @ step``:
    lagged samples are nearly collinear, and whitened ones are not; where regressors do not vary V
    stays as it is. With one output W is left alone, for the branches can do all it could.
    """

    like: DecoupledFunction
    whiten: Array
    spreads: Array  # of z, branch by branch

    def pack(self) -> Array:
        d = self.like
        parts = [d.W.T.ravel()] if self._with_W else []
        parts += [np.zeros(d.V.size), *[curve.coefficients for curve in curves(d)]]
        return np.concatenate([*parts, d.offset])

    def unpack(self, numbers: Array) -> DecoupledFunction:
        d, (m, r) = self.like, self.like.V.shape
        sizes = [d.W.size] if self._with_W else []
        sizes += [m * r, *[curve.coefficients.size for curve in curves(d)]]
        *parts, offset = np.split(numbers, np.cumsum(sizes))
        W = parts.pop(0).reshape(r, -1).T if self._with_W else d.W
        V = d.V + self.whiten @ parts.pop(0).reshape(r, m).T
        branches = tuple(
            replace(branch, curve=Expansion(curve.basis, part))
            for branch, curve, part in zip(d.branches, curves(d), parts, strict=True)
        )
        return replace(d, W=W, V=V, branches=branches, offset=offset)

    def sensitivities(self, d: DecoupledFunction, table: Array) -> Array:
        """Derivatives of the values at regressors by the numbers, (N, n, q)."""
        n = d.n_outputs
        z, x = (table @ d.V).T, table @ self.whiten
        result = np.zeros((len(table), n, self.size))
        begin_V = d.W.size if self._with_W else 0
        begin = begin_V + d.V.size
        for i, (branch, curve) in enumerate(zip(d.branches, curves(d), strict=True)):
            phi = extended(branch, z[i])
            slope = extended(branch, z[i], 1) @ curve.coefficients
            here = slice(begin_V + i * x.shape[1], begin_V + (i + 1) * x.shape[1])
            there = slice(begin, begin + phi.shape[1])
            for o in range(n):
                np.multiply((d.W[o, i] * slope)[:, None], x, out=result[:, o, here])
                np.multiply(d.W[o, i], phi, out=result[:, o, there])
                if self._with_W:
                    result[:, o, i * n + o] = phi @ curve.coefficients
            begin = there.stop
        result[:, np.arange(n), self.size - n + np.arange(n)] = 1.0
        return result

    @cached_property
    def units(self) -> Array:
        """How large each number naturally is: a step of one unit changes the outputs as a whole."""
        d = self.like
        heights = [np.abs(c.coefficients).max(initial=0.0) for c in curves(d)]
        heights = [height or max(heights) or 1.0 for height in heights]
        parts = [np.repeat(_lengths(d.W), d.n_outputs)] if self._with_W else []
        parts += [np.repeat(self.spreads, d.n_inputs)]
        parts += [np.full(c.coefficients.size, h) for c, h in zip(curves(d), heights, strict=True)]
        return np.concatenate([*parts, np.full(d.n_outputs, max(heights))])

    @cached_property
    def size(self) -> int:
        """How many numbers there are."""
        return int(self.pack().size)

    @property
    def _with_W(self) -> bool:
        return self.like.n_outputs > 1


def _lengths(matrix: Array) -> Array:
    length = np.linalg.norm(matrix, axis=0)
    return np.where(length > 0, length, 1.0)


def curves(d: DecoupledFunction) -> list[Expansion]:
    """The expansions of a function that has them."""
    found = [branch.curve for branch in d.branches]
    if not all(isinstance(c, Expansion) and not isinstance(c.basis, CustomBasis) for c in found):
        raise InvalidOption(
            "refine needs branches in a basis: decouple with basis=Polynomial(3) or BSpline(12)"
        )
    return found  # type: ignore[return-value]


def extended(branch: Branch, z: Array, order: int = 0) -> Array:
    """The design of a branch's basis, going on beyond the data as the branch does."""
    assert isinstance(branch.curve, Expansion)
    basis = branch.curve.basis
    if branch.extrapolate == "basis":
        return basis.design(z, order)
    inside = np.clip(z, *branch.edges)
    if order == 1:
        return basis.design(inside, 1)
    beyond = z - inside
    table = basis.design(inside)
    out = np.flatnonzero(beyond)
    if out.size:
        table[out] += beyond[out, None] * basis.design(inside[out], 1)
    return table
