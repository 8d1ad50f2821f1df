"""Branches as linear combinations of a basis, extrapolated as the branches are."""

import numpy as np

from .._typing import Array
from ..errors import InvalidOptionError
from ..model._branch import Branch
from ..model._curves import Expansion
from ..model._function import DecoupledFunction


def get_expansions(d: DecoupledFunction) -> list[Expansion]:
    """The expansions of all branches; InvalidOptionError if one has no basis."""
    found = [branch.curve for branch in d.branches]
    if not all(isinstance(c, Expansion) and c.basis.n_derivatives >= 2 for c in found):
        raise InvalidOptionError(
            "refine needs branches in a basis: decouple with basis=Polynomial(3) or BSpline(12)"
        )
    return found  # type: ignore[return-value]


def design_matrix(branch: Branch, z: Array, order: int = 0) -> Array:
    """The design matrix of a branch's basis, extrapolated as the branch is."""
    assert isinstance(branch.curve, Expansion)
    basis = branch.curve.basis
    if branch.extrapolate == "basis":
        return basis.design(z, order)
    inside = np.clip(z, *branch.edges)
    beyond = z - inside
    table = basis.design(inside, order)
    if branch.extrapolate == "constant":
        return np.where(beyond[:, None] == 0, table, 0.0) if order == 1 else table
    if order == 1:
        return table
    out = np.flatnonzero(beyond)
    if out.size:
        table[out] += beyond[out, None] * basis.design(inside[out], 1)
    return table
