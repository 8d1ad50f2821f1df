"""Parameter vector of a decoupled function, and derivatives with respect to it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._typing import Array
from .._util.linalg import triangle
from ..dynamics._expansions import design_matrix, get_expansions
from ..model._curves import Expansion
from ..model._function import DecoupledFunction
from ..sources._hermite import compute_whitening


@dataclass(frozen=True, eq=False)
class Parametrisation:
    """Parameters in the order W (if there are several outputs), V, branches, offset.

    V is a step from its reference in whitened regressors, ``V = reference.V + whiten @ step``:
    lagged samples are nearly collinear, whitened ones are not. V keeps its value along regressors
    that do not vary. With one output W is constant, because the branches can take over its role.
    """

    reference: DecoupledFunction
    whiten: Array
    spreads: Array  # standard deviation of z, per branch

    def pack(self) -> Array:
        """The parameters of the reference."""
        d = self.reference
        parts = [d.W.T.ravel()] if self._with_W else []
        parts += [np.zeros(d.V.size), *[curve.coefficients for curve in get_expansions(d)]]
        return np.concatenate([*parts, d.offset])

    def unpack(self, parameters: Array) -> DecoupledFunction:
        """The function with these parameters."""
        d, (m, r) = self.reference, self.reference.V.shape
        curves = get_expansions(d)
        sizes = [d.W.size] if self._with_W else []
        sizes += [m * r, *[curve.coefficients.size for curve in curves]]
        *parts, offset = np.split(parameters, np.cumsum(sizes))
        W = parts.pop(0).reshape(r, -1).T if self._with_W else d.W
        V = d.V + self.whiten @ parts.pop(0).reshape(r, m).T
        branches = tuple(
            replace(branch, curve=Expansion(curve.basis, part))
            for branch, curve, part in zip(d.branches, curves, parts, strict=True)
        )
        return replace(d, W=W, V=V, branches=branches, offset=offset)

    def sensitivities(self, d: DecoupledFunction, table: Array) -> Array:
        """Derivatives of the values with respect to the parameters, (N, n, q)."""
        n = d.n_outputs
        z, x = (table @ d.V).T, table @ self.whiten
        result = np.zeros((len(table), n, self.size))
        begin_V = d.W.size if self._with_W else 0
        begin = begin_V + d.V.size
        for i, (branch, curve) in enumerate(zip(d.branches, get_expansions(d), strict=True)):
            phi = design_matrix(branch, z[i])
            slope = design_matrix(branch, z[i], 1) @ curve.coefficients
            of_V = slice(begin_V + i * x.shape[1], begin_V + (i + 1) * x.shape[1])
            of_branch = slice(begin, begin + phi.shape[1])
            for o in range(n):
                np.multiply((d.W[o, i] * slope)[:, None], x, out=result[:, o, of_V])
                np.multiply(d.W[o, i], phi, out=result[:, o, of_branch])
                if self._with_W:
                    result[:, o, i * n + o] = phi @ curve.coefficients
            begin = of_branch.stop
        result[:, np.arange(n), self.size - n + np.arange(n)] = 1.0
        return result

    @cached_property
    def scales(self) -> Array:
        """Scale of each parameter: the size of a change that notably affects the outputs."""
        d, curves = self.reference, get_expansions(self.reference)
        heights = [np.abs(c.coefficients).max(initial=0.0) for c in curves]
        heights = [height or max(heights) or 1.0 for height in heights]
        lengths = np.linalg.norm(d.W, axis=0)
        lengths = np.where(lengths > 0, lengths, 1.0)
        parts = [np.repeat(lengths, d.n_outputs)] if self._with_W else []
        parts += [np.repeat(self.spreads, d.n_inputs)]
        parts += [np.full(c.coefficients.size, h) for c, h in zip(curves, heights, strict=True)]
        return np.concatenate([*parts, np.full(d.n_outputs, max(heights))])

    @cached_property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.pack().size)

    @property
    def _with_W(self) -> bool:
        return self.reference.n_outputs > 1


def parametrise(d: DecoupledFunction, table: Array) -> Parametrisation:
    """Parameters of a function whose branches are expansions, scaled by regressors."""
    get_expansions(d)
    centred = table - table.mean(axis=0)
    spreads = np.std(table @ d.V, axis=0)
    spreads = np.where(spreads > 0, spreads, spreads.max(initial=0.0) or 1.0)
    return Parametrisation(d, compute_whitening(triangle(centred), len(centred)), spreads)
