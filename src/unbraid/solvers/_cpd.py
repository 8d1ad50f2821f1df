"""The original method (Dreesen et al.): a plain polyadic decomposition of the Jacobian tensor.

Nothing ties the columns of G' to functions of z, so the answer means something only where the
decomposition is unique; the solution says whether it is. All that the fit sees of N points is
a triangle of size n*m, so its cost does not depend on N.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .._typing import Array
from .._util.linalg import damped_solve, k_rank, khatri_rao, triangle
from ..data._samples import Samples
from ._axis import integrate
from ._base import Candidate, Run, Solution, StopRule, iterate
from ._factors import disagreement
from ._problem import Problem, check_count, make_problem
from ._starts import Options, best_runs, generators

SAME = 1e-3  # rad: two decompositions closer than this are one
MANY = 14  # columns beyond which checking every subset for Kruskal's rank is hopeless


@dataclass(frozen=True)
class PolyadicState:
    W: Array
    V: Array
    loss: float
    damping: float = 1e-2


@dataclass(frozen=True, kw_only=True)
class CPD(Options):
    """Canonical polyadic decomposition by variable projection and Levenberg-Marquardt.

    Parameters
    ----------
    n_starts, max_iterations : int
        Random starts, all of them polished, and iterations a start.
    random_state, callback, weights
        As for every method; ``n_jobs`` is not used, since a start takes milliseconds.
    """

    n_starts: int = 20
    max_iterations: int = 300

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Decompose; the branches are to be fitted on the derivatives."""
        began = time.perf_counter()
        method = self.prepared()
        check_count(samples, n_branches)
        problem = make_problem(samples, n_branches, self.weights)
        rows = triangle(problem.jacobians.reshape(samples.n_points, -1))
        rule = StopRule(self.max_iterations, tolerance=1e-9, patience=5)
        runs: list[Run | None] = []
        for index, rng in enumerate(generators(self.random_state, self.n_starts)):
            report = method.reporter("polish", index, self.n_starts)
            runs.append(iterate(partial(_step, rows), _start(rows, problem, rng), rule, report))
        ranked = best_runs(runs, self.n_starts)
        residuals = tuple(min(run.objective) for run in ranked)
        equal = [run for run in ranked if min(run.objective) <= 1.01 * residuals[0] + 1e-9]
        unique, diagnosis = uniqueness(rows, [run.best for run in equal])
        candidates = tuple(_candidate(problem, run) for run in equal)
        best = candidates[0]
        return Solution(
            method="cpd",
            factors=best.factors,
            objective=best.run.objective,
            start_objectives=residuals,
            candidates=candidates,
            stop_reason=best.run.stop_reason,
            converged=best.run.converged,
            seconds=time.perf_counter() - began,
            diagnosis=diagnosis,
            fit_on="derivatives",
            details={"unique": unique},
        )


def _start(rows: Array, problem: Problem, rng: np.random.Generator) -> PolyadicState:
    _, n, m = problem.shape
    W = rng.standard_normal((n, problem.n_branches))
    V = rng.standard_normal((m, problem.n_branches))
    return _evaluated(rows, W, V, 1e-2)


def _evaluated(rows: Array, W: Array, V: Array, damping: float) -> PolyadicState:
    W, V = W / np.linalg.norm(W, axis=0), V / np.linalg.norm(V, axis=0)
    K = khatri_rao(W, V)
    residual = rows - _coefficients(rows, K) @ K.T
    return PolyadicState(W, V, float(np.sum(residual**2) / np.sum(rows**2)), damping)


def _coefficients(rows: Array, K: Array) -> Array:
    return np.asarray(np.linalg.lstsq(K, rows.T, rcond=1e-13)[0].T)


def _step(rows: Array, state: PolyadicState) -> PolyadicState:
    """Gauss-Newton on (V, W) with G' eliminated (Kaufman's form), damped."""
    W, V = state.W, state.V
    (m, r), n = V.shape, W.shape[0]
    K = khatri_rao(W, V)
    G = _coefficients(rows, K)
    residual = rows - G @ K.T
    turn_V = np.einsum("oi,la->olia", W, np.eye(m)).reshape(n * m, r, m)
    turn_W = np.einsum("oe,li->olie", np.eye(n), V).reshape(n * m, r, n)
    turns = np.concatenate([turn_V, turn_W], axis=2).reshape(n * m, r * (m + n))
    owner = np.repeat(np.arange(r), m + n)
    gradient = np.sum((residual.T @ G)[:, owner] * turns, axis=0)
    gram = (G.T @ G)[np.ix_(owner, owner)]
    projected = turns - K @ np.linalg.lstsq(K, turns, rcond=1e-13)[0]
    scale = np.diag(gram) * np.sum(turns**2, axis=0)
    step = damped_solve(gram * (turns.T @ projected), gradient, scale, state.damping)
    step = step.reshape(r, m + n)
    trial = _evaluated(rows, W + step[:, m:].T, V + step[:, :m].T, state.damping)
    if trial.loss < state.loss:
        return replace(trial, damping=max(state.damping / 5, 1e-12))
    return replace(state, damping=min(state.damping * 4, 1e6))


def _candidate(problem: Problem, run: Run) -> Candidate:
    state: PolyadicState = run.best
    K = khatri_rao(state.W, state.V)
    derivatives = _coefficients(problem.jacobians.reshape(len(problem.points), -1), K)
    columns = []
    for i in range(problem.n_branches):
        axis = problem.axis(i, state.V[:, i])
        slope = axis.mean_over_ties(derivatives[:, i])
        g = integrate(axis, 0.5 * (slope[1:] + slope[:-1]), slope)[axis.position]
        columns.append(g - g.mean())
    G = np.stack(columns, axis=1)
    factors, _ = problem.factors(state.W, state.V, G, derivatives)
    return Candidate(factors, replace(run, best=None))


def uniqueness(rows: Array, states: Sequence[PolyadicState]) -> tuple[bool, str]:
    """Kruskal's condition on the best of some equally good starts, and whether they agree."""
    best = states[0]
    r = best.V.shape[1]
    if r == 1:
        return True, "unique: one branch always is"
    holds, condition = _kruskal(best.W, best.V, _coefficients(rows, khatri_rao(best.W, best.V)), r)
    agree = sum(disagreement(best, state) < SAME for state in states)
    starts = f"{agree} of {len(states)} equally good starts agree"
    if len(states) == 1:
        return holds, f"{'unique' if holds else 'not shown to be unique'}: {condition}"
    if agree < len(states):
        return False, f"not unique: {starts}; {condition}. The columns of G' need not be functions"
    if holds:
        return True, f"unique: {condition}; {starts}"
    return True, f"probably unique: {starts}, though {condition}"


def _kruskal(W: Array, V: Array, G: Array, r: int) -> tuple[bool, str]:
    if r > MANY:
        return False, "Kruskal's condition was not checked (too many branches)"
    ranks = [k_rank(matrix) for matrix in (W, V, G)]
    total = " + ".join(str(k) for k in ranks)
    holds = sum(ranks) >= 2 * r + 2
    verb = "holds" if holds else "fails"
    return holds, f"Kruskal's condition {verb} (k-ranks {total} against 2*{r} + 2)"
