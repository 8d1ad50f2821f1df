"""One straight branch, and the others without their straight parts.

A straight part along any direction can be moved from a branch to one that is straight itself: a
sum of straight lines is a straight line. A model whose straight parts are gathered in one branch
can be read (linear dynamics here, the nonlinearity there), and is a good place to start from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..model._branch import Branch, Expansion
from ..model._function import DecoupledFunction
from ._layout import curves


def straightened(d: DecoupledFunction, table: Array) -> DecoupledFunction | None:
    """d with the branch of the largest straight part made straight; None where it cannot be had.

    What that branch had beside its straight part is dropped. One output only: with several, the
    straight parts of branches that feed them differently do not add up to one.
    """
    if d.n_outputs > 1 or d.n_branches < 2:
        return None
    z = table @ d.V
    W = d.W[0]
    slopes = np.array([_slope(branch, z[:, i]) for i, branch in enumerate(d.branches)])
    chosen = int(np.argmax(np.abs(slopes * W) * z.std(axis=0)))
    direction = d.V @ (slopes * W)
    length = float(np.linalg.norm(direction))
    if length == 0 or W[chosen] == 0:
        return None
    V = d.V.copy()
    V[:, chosen] = direction / length
    branches = []
    for i, (branch, curve) in enumerate(zip(d.branches, curves(d), strict=True)):
        basis, coefficients, factor = curve.basis, curve.coefficients, -slopes[i]
        if i == chosen:
            basis = basis.unbound().bind(table @ V[:, i])
            coefficients, factor = np.zeros_like(coefficients), length / W[chosen]
        line = _line(basis)
        if line is None:
            return None
        branches.append(replace(branch, curve=Expansion(basis, coefficients + factor * line)))
    new = replace(d, V=V, branches=tuple(branches))
    return replace(new, offset=d.offset + np.mean(d(table) - new(table), axis=0))


def _slope(branch: Branch, z: Array) -> float:
    """Of the straight line nearest to the branch on the data."""
    centred = z - z.mean()
    return float(centred @ branch(z) / max(float(centred @ centred), 1e-300))


def _line(basis: Basis) -> Array | None:
    """Coefficients of z itself, up to a constant, in a basis that has it."""
    z = np.linspace(*basis.interval, 8 * basis.n_functions)
    design = np.column_stack([basis.design(z), np.ones(z.size)])
    solved = np.linalg.lstsq(design, z, rcond=None)[0]
    exact = np.abs(design @ solved - z).max() <= 1e-9 * np.ptp(z)
    return np.asarray(solved[:-1]) if exact else None
