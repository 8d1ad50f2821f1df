"""Directions for one more branch, by a score test.

At the optimum with r branches, the residual is orthogonal to all sensitivities. A new branch near
an old one changes the outputs, to first order, by features ``max(s z - c, 0) xi_j`` that enter a
state or output equation (z: argument of the old branch, xi: [x; u], all standardised). They pass
through the linearised model. Rank-one least squares of the projected residual on them gives the
direction in which a new branch lowers the error most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ..dynamics._change_of_variable import fit_curve
from ..dynamics._records import Record
from ..model._branch import Branch
from ._branches import BranchKind, trajectory
from ._equations import Equations, add_branches
from ._parameters import EquationParameters
from ._problem import StateSpaceProblem
from ._simulation import StateRun, solve_recursion

KINKS = (0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)  # thresholds c, in standard deviations of z
NEW_DIRECTION_SHARE = 0.5  # of the found direction in that of the new branch
ALTERNATIONS = 40  # of the rank-one least squares
PROJECTION_TOLERANCE = 1e-10  # relative eigenvalue of the sensitivities: smaller ones span nothing


@dataclass(frozen=True, eq=False)
class BranchProposal:
    """A new branch: where its old one bends, and in which direction it leaves it."""

    gain: float  # share of the squared residual that it explains to first order
    branch: int
    side: float  # +1 or -1
    kink: float  # standard deviations
    direction: Array  # in units of [x; u], with unit variance


def propose_branches(
    e: Equations, problem: StateSpaceProblem, runs: list[StateRun], form: EquationParameters
) -> list[BranchProposal]:
    """Proposals for every branch and side, the largest gain first."""
    table = trajectory(problem.records, runs)
    mean, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    z = table @ e.V
    kinks = [(i, s, c) for i in range(e.n_branches) for s in (1.0, -1.0) for c in KINKS]
    features = _Features(e, mean, spread, z.mean(axis=0), z.std(axis=0), kinks)
    normal = _accumulate(e, problem, runs, form, features)
    size, count = normal.shape[0] - 1, e.linear.size
    begin = size - len(kinks) * count
    matrix, right, energy = _project(normal, begin)
    best: dict[tuple[int, float], BranchProposal] = {}
    for k, (i, side, kink) in enumerate(kinks):
        part = slice(k * count, (k + 1) * count)
        gain, direction = _fit_rank_one(matrix[part, part], right[part], e.linear.shape)
        raw = direction / spread
        raw = raw / max(float((table @ raw).std()), 1e-300)
        found = BranchProposal(gain / max(energy, 1e-300), i, side, kink, raw)
        if (i, side) not in best or best[i, side].gain < found.gain:
            best[i, side] = found
    return sorted(best.values(), key=lambda proposal: -proposal.gain)


def grow(
    e: Equations, table: Array, proposal: BranchProposal, sign: float, kind: BranchKind
) -> Equations:
    """The equations with the proposed branch: a bent curve, W = 0."""
    old = e.V[:, proposal.branch]
    old = old / max(float((table @ old).std()), 1e-300)
    V = old + sign * NEW_DIRECTION_SHARE * proposal.direction
    V = V / max(float((table @ V).std()), 1e-300)
    z = table @ V
    target = np.maximum(proposal.side * (z - z.mean()) - proposal.kink, 0.0) ** 2
    curve, _ = fit_curve(kind.basis, z, target / max(float(target.std()), 1e-300))
    W = np.zeros((len(e.linear), 1))
    return add_branches(e, W, V[:, None], [Branch(curve, kind.extrapolate)])


@dataclass(frozen=True, eq=False)
class _Features:
    """The features of all kinks, (N, kinks, n_x + n_u)."""

    equations: Equations
    mean: Array
    spread: Array
    z_mean: Array
    z_spread: Array
    kinks: list[tuple[int, float, float]]

    def __call__(self, table: Array) -> Array:
        xi = (table - self.mean) / self.spread
        z = (table @ self.equations.V - self.z_mean) / np.maximum(self.z_spread, 1e-300)
        bent = np.stack([np.maximum(s * z[:, i] - c, 0.0) for i, s, c in self.kinks], axis=1)
        return np.asarray(bent[:, :, None] * xi[:, None, :])


def _accumulate(
    e: Equations,
    problem: StateSpaceProblem,
    runs: list[StateRun],
    form: EquationParameters,
    features: _Features,
) -> Array:
    """Normal matrix of [sensitivities, initial states, features, residual]."""
    n, n_q = e.n_states, len(e.linear)
    n_features = len(features.kinks) * e.linear.size
    known = form.size + n
    size = known + n_features + 1
    normal = np.zeros((size, size))
    for record, run, mask in zip(problem.records, runs, problem.fitted, strict=True):
        head = np.zeros((n, n_features))
        residual = record.roots * (record.y - problem.clip(run.y))
        for window, known_rows in problem.sensitivities(form, e, record, run):
            responses, head = _respond(e, problem, record, run, window, features, head, n_q)
            parts = [known_rows, responses, residual[window][:, :, None]]
            block = np.concatenate(parts, axis=2)[mask[window]].reshape(-1, size)
            normal += block.T @ block
    return normal


def _respond(
    e: Equations,
    problem: StateSpaceProblem,
    record: Record,
    run: StateRun,
    window: slice,
    features: _Features,
    head: Array,
    n_q: int,
) -> tuple[Array, Array]:
    """Responses of the outputs to features in every equation, and the last states."""
    n = e.n_states
    table = np.concatenate([run.x[window], record.u[window]], axis=1)
    _, slopes = e.linearise(table, np.arange(n))
    entering = features(table)
    n_samples, n_kinks, m = entering.shape
    direct = np.zeros((n_samples, n_q, n_kinks, n_q, m))
    for o in range(n_q):
        direct[:, o, :, o] = entering
    columns = direct.reshape(n_samples, n_q, -1)
    total = solve_recursion(slopes[:, :n], columns[:, :n], head)
    rows = columns[:, n:] + slopes[:, n:] @ total[:-1]
    return rows * problem.gain(record, run, window)[:, :, None], total[-1]


def _project(normal: Array, begin: int) -> tuple[Array, Array, float]:
    """Normal equations of the features with the sensitivities projected out."""
    scale = np.sqrt(np.maximum(np.diag(normal), 1e-300))
    scaled = normal / scale[:, None] / scale
    values, vectors = np.linalg.eigh(scaled[:begin, :begin])
    kept = values > PROJECTION_TOLERANCE * values[-1]
    basis = vectors[:, kept] / np.sqrt(values[kept])
    cross = basis.T @ scaled[:begin, begin:]
    rest = (scaled[begin:, begin:] - cross.T @ cross) * scale[begin:, None] * scale[begin:]
    return rest[:-1, :-1], rest[:-1, -1], float(rest[-1, -1])


def _fit_rank_one(matrix: Array, right: Array, shape: tuple[int, ...]) -> tuple[float, Array]:
    """Alternating least squares for coefficients w_o d_l; the gain and d."""
    tensor, target = matrix.reshape(*shape, *shape), right.reshape(shape)
    floor = 1e-9 * float(np.trace(matrix)) / len(matrix)
    if not floor > 1e-200 or not np.any(target):  # no sample is beyond the kink
        return 0.0, np.zeros(shape[1])
    w = np.linalg.svd(target)[0][:, 0]
    d = np.zeros(shape[1])
    gain = 0.0
    for _ in range(ALTERNATIONS):
        inner = np.einsum("o,olpm,p->lm", w, tensor, w) + floor * np.eye(shape[1])
        d = np.linalg.solve(inner, w @ target)
        outer = np.einsum("l,olpm,m->op", d, tensor, d) + floor * np.eye(shape[0])
        w = np.linalg.solve(outer, target @ d)
        gain = float(w @ target @ d)
        w = w / max(float(np.linalg.norm(w)), 1e-300)
    return gain, d
