"""Directions for one more branch, by a score test.

At the optimum with r branches, the residual is orthogonal to all sensitivities. A new branch near
an old one changes the outputs, to first order, by features ``max(s z - c, 0) xi_j`` that enter a
state or output equation (z: argument of the old branch, xi: [x; u], all standardised). They pass
through the linearised model. Rank-one least squares of the projected residual on them gives the
direction in which a new branch lowers the error most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from ..dynamics._change_of_variable import fit_curve
from ..model._branch import Branch
from ._branches import BranchKind, trajectory
from ._equations import Equations, add_branches
from ._integrators import find_integrators
from ._parameters import EquationParameters
from ._problem import StateSpaceProblem
from ._simulation import StateRun, propagate

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
    blocks = _project(_accumulate(e, problem, runs, form, features))
    energy = max(blocks.energy, 1e-300)
    best: dict[tuple[int, float], BranchProposal] = {}
    for k, (i, side, kink) in enumerate(kinks):
        gain, direction = _fit_rank_one(blocks.matrices[k], blocks.right[k], e.linear.shape)
        raw = direction / spread
        raw[list(find_integrators(e))] = 0.0
        raw = raw / max(float((table @ raw).std()), 1e-300)
        found = BranchProposal(gain / energy, i, side, kink, raw)
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


@dataclass(frozen=True, eq=False)
class _NormalBlocks:
    """Normal equations of the responses to the features, kink by kink.

    Those of different kinks are never used together, and their products are left out.
    """

    known: Array  # products of sensitivities and initial states (q, q)
    cross: Array  # of these with responses (kinks, q, n_q m)
    matrices: Array  # of responses to the features of one kink (kinks, n_q m, n_q m)
    known_right: Array  # products with the residual (q,)
    right: Array  # (kinks, n_q m)
    energy: float  # squared residual


def _accumulate(
    e: Equations,
    problem: StateSpaceProblem,
    runs: list[StateRun],
    form: EquationParameters,
    features: _Features,
) -> _NormalBlocks:
    """Sums over all fitted samples."""
    n, size, n_kinks = e.n_states, e.linear.size, len(features.kinks)
    q = form.size + n
    known, known_right = np.zeros((q, q)), np.zeros(q)
    cross, right = np.zeros((n_kinks, q, size)), np.zeros((n_kinks, size))
    matrices = np.zeros((n_kinks, size, size))
    energy = 0.0
    for record, run, mask in zip(problem.records, runs, problem.fitted, strict=True):
        heads = np.zeros((n_kinks, n, size))
        residual = record.roots * (record.y - problem.clip(run.y))
        for window, derivatives in problem.sensitivities(form, e, record, run):
            chosen = mask[window]
            rows, error = derivatives[chosen].reshape(-1, q), residual[window][chosen].ravel()
            known += rows.T @ rows
            known_right += rows.T @ error
            energy += float(error @ error)
            table = np.concatenate([run.x[window], record.u[window]], axis=1)
            _, slopes = e.linearise(table, np.arange(n))
            gain = problem.gain(record, run, window)[:, :, None]
            for k, entering in enumerate(np.moveaxis(features(table), 1, 0)):
                responses = _respond(slopes, entering, heads[k])
                block = (responses * gain)[chosen].reshape(-1, size)
                cross[k] += rows.T @ block
                matrices[k] += block.T @ block
                right[k] += block.T @ error
    return _NormalBlocks(known, cross, matrices, known_right, right, energy)


def _respond(slopes: Array, entering: Array, head: Array) -> Array:
    """Responses of the outputs (N, n_y, n_q m) to features in every equation.

    ``head`` (n, n_q m) is the response of the first state; it becomes that of the last one.
    """
    n_samples, n_q, n = slopes.shape
    direct = np.zeros((n_samples, n_q, n_q, entering.shape[1]))
    for o in range(n_q):
        direct[:, o, o] = entering
    columns = direct.reshape(n_samples, n_q, -1)
    head[:] = propagate(slopes, columns, head)
    return columns[:, n:]


def _project(blocks: _NormalBlocks) -> _NormalBlocks:
    """The blocks with the sensitivities projected out of features and residual."""
    scale = np.sqrt(np.maximum(np.diag(blocks.known), 1e-300))
    values, vectors = np.linalg.eigh(blocks.known / scale[:, None] / scale)
    kept = values > PROJECTION_TOLERANCE * values[-1]
    basis = vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None]
    cross = basis.T @ blocks.cross
    along = basis.T @ blocks.known_right
    return replace(
        blocks,
        matrices=blocks.matrices - np.swapaxes(cross, 1, 2) @ cross,
        right=blocks.right - along @ cross,
        energy=blocks.energy - float(along @ along),
    )


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
