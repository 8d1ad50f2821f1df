"""One linear branch that holds the linear parts of all branches.

A sum of linear functions is linear, so the linear parts of all branches can be moved to one branch.
Such a model is easy to read: linear dynamics in one branch, the nonlinearity in the others. It is
also a good initial guess.
"""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..dynamics._expansions import get_expansions
from ..model._branch import Branch
from ..model._curves import Expansion
from ..model._function import DecoupledFunction


def gather_linear_parts(d: DecoupledFunction, table: Array) -> DecoupledFunction | None:
    """Make the branch with the largest linear part linear; None if impossible.

    The nonlinear part of that branch is dropped. With several outputs it is impossible: branches
    that reach the outputs in different proportions have no common linear part.
    """
    if d.n_outputs > 1 or d.n_branches < 2:
        return None
    z = table @ d.V
    W = d.W[0]
    slopes = np.array([_fit_slope(branch, z[:, i]) for i, branch in enumerate(d.branches)])
    chosen = int(np.argmax(np.abs(slopes * W) * z.std(axis=0)))
    direction = d.V @ (slopes * W)
    length = float(np.linalg.norm(direction))
    if length == 0 or W[chosen] == 0:
        return None
    V = d.V.copy()
    V[:, chosen] = direction / length
    branches = []
    for i, (branch, curve) in enumerate(zip(d.branches, get_expansions(d), strict=True)):
        basis, coefficients, factor = curve.basis, curve.coefficients, -slopes[i]
        if i == chosen:
            basis = basis.unbound().bind(table @ V[:, i])
            coefficients, factor = np.zeros_like(coefficients), length / W[chosen]
        line = _line_coefficients(basis)
        if line is None:
            return None
        branches.append(replace(branch, curve=Expansion(basis, coefficients + factor * line)))
    new = replace(d, V=V, branches=tuple(branches))
    return replace(new, offset=d.offset + np.mean(d(table) - new(table), axis=0))


def _fit_slope(branch: Branch, z: Array) -> float:
    """Slope of the least-squares line through the branch on the data."""
    centred = z - z.mean()
    return float(centred @ branch(z) / max(float(centred @ centred), 1e-300))


def _line_coefficients(basis: Basis) -> Array | None:
    """Coefficients of z plus some constant; None if the basis contains no line."""
    z = np.linspace(*basis.interval, 8 * basis.n_functions)
    design = np.column_stack([basis.design(z), np.ones(z.size)])
    solved = np.linalg.lstsq(design, z, rcond=None)[0]
    exact = np.abs(design @ solved - z).max() <= 1e-9 * np.ptp(z)
    return np.asarray(solved[:-1]) if exact else None
