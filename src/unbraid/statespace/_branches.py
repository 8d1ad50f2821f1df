"""Branches of the equations: random starts, new bases, a canonical form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from ..bases import Basis
from ..dynamics._change_of_variable import change_variable, fit_curve
from ..dynamics._records import Record
from ..model._branch import Branch, Extrapolate
from ..model._curves import Expansion
from ._equations import Equations, add_branches
from ._integrators import find_integrators
from ._simulation import StateRun

MAX_CURVE_POINTS = 20_000  # of a trajectory, at which a branch is refitted
LEAST_FILLED = 0.85  # share of the interval of a branch that z fills: such a branch is kept
MOST_OUTSIDE = 0.03  # of this interval, by which z may be outside
SMALLEST_CURVE = 1e-12  # spread of a branch relative to that of z: such a branch is linear


@dataclass(frozen=True)
class BranchKind:
    """The basis of a branch, how far it reaches beyond the data, how it continues."""

    basis: Basis
    widen: float = 1.05  # range of the basis over that of z
    extrapolate: Extrapolate = "linear"


def trajectory(records: Sequence[Record], runs: Sequence[StateRun]) -> Array:
    """States and inputs [x; u] of all samples, (N, n_x + n_u)."""
    pairs = zip(records, runs, strict=True)
    return np.concatenate([np.concatenate([run.x[:-1], r.u], axis=1) for r, run in pairs])


def add_random_branches(
    e: Equations, table: Array, n_branches: int, kind: BranchKind, rng: np.random.Generator
) -> Equations:
    """More branches with random directions and shapes, and without weights W.

    The simulation stays as it was. z has unit variance.
    """
    spread = table.std(axis=0)
    V = rng.standard_normal((table.shape[1], n_branches))
    V /= np.where(spread > 0, spread, 1.0)[:, None]
    V[list(find_integrators(e))] = 0.0
    return add_idle_branches(e, table, V, kind, rng)


def add_idle_branches(
    e: Equations, table: Array, V: Array, kind: BranchKind, rng: np.random.Generator
) -> Equations:
    """More branches in these directions, with random shapes and W = 0."""
    V = V / np.maximum((table @ V).std(axis=0), 1e-300)
    branches = []
    for z in (table @ V).T:
        bound = kind.basis.bind(_widen(z, kind.widen))
        coefficients = rng.standard_normal(bound.n_functions)
        curve = _remove_line(Expansion(bound, coefficients), z)[0]
        branches.append(Branch(_with_unit_spread(curve, z)[0], kind.extrapolate))
    return add_branches(e, np.zeros((len(e.linear), V.shape[1])), V, branches)


def with_new_basis(e: Equations, table: Array, kind: BranchKind) -> Equations:
    """The equations with branches refitted in another basis, bound to the table.

    z and g have unit variance, and g no linear part. Branches that are in this basis and whose
    interval z fills stay as they are: new knots would cost accuracy.
    """
    e = separate_linear_parts(e, table)
    branches, offset = [], e.offset
    for i, (branch, z) in enumerate(zip(e.branches, (table @ e.V).T, strict=True)):
        if _is_bound(branch, z, kind):
            branches.append(branch)
            continue
        rows = np.linspace(0, len(z) - 1, min(len(z), MAX_CURVE_POINTS)).astype(int)
        rows = np.union1d(rows, [np.argmin(z), np.argmax(z)])
        wide = _widen(z[rows], kind.widen)
        curve, constant = fit_curve(kind.basis, wide, branch(wide))
        offset = offset + e.W[:, i] * constant
        branches.append(Branch(curve, kind.extrapolate))
    return separate_linear_parts(replace(e, branches=tuple(branches), offset=offset), table)


def _is_bound(branch: Branch, z: Array, kind: BranchKind) -> bool:
    """Whether a branch is of this kind already, with an interval that fits z."""
    assert isinstance(branch.curve, Expansion)
    bound, wanted = branch.curve.basis, kind.basis.bind(z)
    if type(bound) is not type(wanted) or bound.n_functions != wanted.n_functions:
        return False
    low, high = branch.interval
    room = MOST_OUTSIDE * (high - low)
    is_inside = low - room <= z.min() and z.max() <= high + room
    is_filled = np.ptp(z) >= LEAST_FILLED * (high - low)
    return bool(is_inside and is_filled and branch.extrapolate == kind.extrapolate)


def separate_linear_parts(e: Equations, table: Array) -> Equations:
    """Move the slope of every branch to the linear part; z and g get unit variance.

    Slopes and variances are those at the rows of the table. The values stay the same.
    """
    linear, offset, W, V = e.linear, e.offset, e.W.copy(), e.V.copy()
    branches = []
    for i, branch in enumerate(e.branches):
        z = table @ e.V[:, i]
        spread = max(float(z.std()), 1e-300)
        scaled, _ = change_variable(branch, spread)
        V[:, i] = e.V[:, i] / spread
        curve, slope, level = _remove_line(scaled.curve, z / spread)  # type: ignore[arg-type]
        linear = linear + np.outer(W[:, i], slope * V[:, i])
        offset = offset + level * W[:, i]
        curve, height = _with_unit_spread(curve, z / spread)
        W[:, i] *= height
        branches.append(replace(scaled, curve=curve))
    return replace(e, linear=linear, offset=offset, W=W, V=V, branches=tuple(branches))


def _remove_line(curve: Expansion, z: Array) -> tuple[Expansion, float, float]:
    """The curve without its linear part at z, and that part: its slope and level.

    The space of the basis contains lines, up to a constant.
    """
    low, high = curve.interval
    nodes = np.linspace(low, high, 4 * curve.n_parameters + 3)
    table = np.column_stack([curve.basis.design(nodes), np.ones(nodes.size)])
    line = np.linalg.lstsq(table, nodes, rcond=None)[0]
    if np.abs(table @ line - nodes).max() > 1e-9 * (high - low):  # no line in the space
        return curve, 0.0, 0.0
    centred = z - z.mean()
    slope = float(centred @ curve(np.clip(z, low, high)) / max(centred @ centred, 1e-300))
    rest = Expansion(curve.basis, curve.coefficients - slope * line[:-1])
    return rest, slope, -slope * float(line[-1])


def _with_unit_spread(curve: Expansion, z: Array) -> tuple[Expansion, float]:
    """The curve with unit standard deviation at z, and its former one."""
    spread = float(np.std(curve(np.clip(z, *curve.interval))))
    if spread <= SMALLEST_CURVE:
        return curve, 1.0
    return Expansion(curve.basis, curve.coefficients / spread), spread


def _widen(z: Array, factor: float) -> Array:
    middle = 0.5 * (z.min() + z.max())
    return np.asarray(middle + factor * (z - middle))
