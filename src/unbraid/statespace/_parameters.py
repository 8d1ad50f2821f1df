"""Parameter vector of the equations, and derivatives with respect to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._typing import Array, Mask
from ..dynamics._expansions import design_matrix
from ..model._curves import Expansion
from ._equations import Equations
from ._integrators import mask_structure

CURVATURE_NODES = 4  # per basis function, at which the curvature of a branch is penalised
VALUE_SHARE_OF_PENALTY = 1e-3  # weight of the size of a branch, relative to its curvature


@dataclass(frozen=True, eq=False)
class EquationParameters:
    """Parameters in the order linear, offset, W, V, branches.

    The rows of linear, offset and W come state by state, then output by output. Without
    feedthrough, D and the rows of W for the outputs are fixed. Integrators keep their structure.
    """

    reference: Equations
    feedthrough: bool = True  # whether the inputs act on the outputs without delay

    @cached_property
    def sizes(self) -> list[int]:
        """Numbers of parameters of each part."""
        e = self.reference
        curves = [branch.n_parameters for branch in e.branches]
        return [e.linear.size, e.offset.size, e.W.size, e.V.size, *curves]

    @property
    def size(self) -> int:
        return sum(self.sizes)

    @cached_property
    def free(self) -> Mask:
        """Which parameters are estimated."""
        e = self.reference
        linear, offset, W, V = mask_structure(e)
        if not self.feedthrough:
            linear[e.n_states :, e.n_states :] = False
            W[e.n_states :] = False  # branches see the inputs
        curves = np.ones(sum(self.sizes[4:]), dtype=bool)
        return np.concatenate([linear.ravel(), offset, W.ravel(), V.ravel(), curves])

    def pack(self, equations: Equations | None = None) -> Array:
        """The parameters of the reference, or of other equations of the same form."""
        e = self.reference if equations is None else equations
        coefficients = [branch.curve.coefficients for branch in e.branches]  # type: ignore[attr-defined]
        return np.concatenate([e.linear.ravel(), e.offset, e.W.ravel(), e.V.ravel(), *coefficients])

    def unpack(self, parameters: Array) -> Equations:
        """The equations with these parameters."""
        e = self.reference
        linear, offset, W, V, *curves = np.split(parameters, np.cumsum(self.sizes)[:-1])
        branches = tuple(
            replace(branch, curve=replace(branch.curve, coefficients=part))  # type: ignore[type-var]
            for branch, part in zip(e.branches, curves, strict=True)
        )
        return replace(
            e,
            linear=linear.reshape(e.linear.shape),
            offset=offset,
            W=W.reshape(e.W.shape),
            V=V.reshape(e.V.shape),
            branches=branches,
        )

    def sensitivities(self, e: Equations, table: Array, n_more: int = 0) -> Array:
        """Derivatives of [next x; y] by the parameters, (N, n_x + n_y, q + n_more)."""
        n, m, r = len(e.linear), table.shape[1], e.n_branches
        result = np.zeros((len(table), n, self.size + n_more))
        begin_offset, begin_W, begin_V, *begin_curves = np.cumsum(self.sizes)[: 3 + r]
        outputs = np.arange(n)
        for o in outputs:
            result[:, o, o * m : (o + 1) * m] = table
        result[:, outputs, begin_offset + outputs] = 1.0
        z = table @ e.V
        for i, branch in enumerate(e.branches):
            assert isinstance(branch.curve, Expansion)
            phi = design_matrix(branch, z[:, i])
            slope = design_matrix(branch, z[:, i], 1) @ branch.curve.coefficients
            curve = phi @ branch.curve.coefficients
            result[:, outputs, begin_W + outputs * r + i] = curve[:, None]
            steep = slope[:, None] * table
            begin = begin_curves[i]
            for o in outputs:
                result[:, o, begin_V + i : begin_V + m * r : r] = e.W[o, i] * steep
                result[:, o, begin : begin + phi.shape[1]] = e.W[o, i] * phi
        return result

    def penalty(self, weight: float) -> Array:
        """Matrix of a ridge on W and on the curvature of the branches."""
        matrix = np.zeros((self.size, self.size))
        if weight == 0:
            return matrix
        e = self.reference
        begin = sum(self.sizes[:2])
        of_W = np.arange(begin, begin + e.W.size)
        matrix[of_W, of_W] = weight
        begin = sum(self.sizes[:4])
        for branch in e.branches:
            gram = weight * _curvature_gram(branch.curve)  # type: ignore[arg-type]
            rows = slice(begin, begin + len(gram))
            matrix[rows, rows] = gram
            begin += len(gram)
        return matrix


def _curvature_gram(curve: Expansion) -> Array:
    """Quadratic form of coefficients: mean squares of curvature and size of a curve.

    The curvature is measured with the interval of the data as unit of z.
    """
    low, high = curve.interval
    nodes = np.linspace(low, high, CURVATURE_NODES * curve.n_parameters + 1)
    bend = curve.basis.design(nodes, 2) * (0.25 * (high - low)) ** 2
    size = curve.basis.design(nodes)
    gram = bend.T @ bend + VALUE_SHARE_OF_PENALTY * size.T @ size
    return np.asarray(gram / nodes.size)
