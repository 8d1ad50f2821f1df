"""The original method (Dreesen et al.): a polyadic decomposition of J.

Nothing ties the columns of G' to functions of z, so the result is meaningful only where the
decomposition is unique; the solution says whether it is. The fit reduces N points to a triangular
matrix of size n*m, so its cost does not depend on N.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .._typing import Array
from .._util.linalg import damped_solve, k_rank, khatri_rao, triangle
from ..data._samples import Samples
from ._axis import integrate_slopes
from ._base import Candidate, Run, Solution, StopCriteria, iterate
from ._factors import disagreement, unit_columns
from ._problem import Problem, check_n_branches, make_problem
from ._starts import SolverOptions, make_solution, select_best_runs, spawn_generators

SAME_DECOMPOSITION_ANGLE = 1e-3  # rad: decompositions closer than this count as equal
MAX_KRUSKAL_COLUMNS = 14  # columns beyond which checking every subset takes too long


@dataclass(frozen=True)
class PolyadicState:
    """One iterate: unit columns of W and V, relative loss, and damping."""

    W: Array
    V: Array
    loss: float
    damping: float = 1e-2


@dataclass(frozen=True, kw_only=True)
class CPD(SolverOptions):
    """Canonical polyadic decomposition, by variable projection.

    Parameters
    ----------
    n_starts, max_iterations : int
        Random starts, all of them polished, and iterations per start.
    random_state, callback, weights
        As for every method; ``n_jobs`` is not used, since a start takes milliseconds.
    """

    n_starts: int = 20
    max_iterations: int = 300

    def solve(self, samples: Samples, n_branches: int) -> Solution:
        """Decompose the Jacobian tensor; branches are to be fitted to the derivatives."""
        began = time.perf_counter()
        method = self.validate()
        check_n_branches(samples, n_branches)
        problem = make_problem(samples, n_branches, self.weights)
        rows = triangle(problem.jacobians.reshape(samples.n_points, -1))
        rule = StopCriteria(self.max_iterations, tolerance=1e-9, patience=5)
        runs: list[Run | None] = []
        for index, rng in enumerate(spawn_generators(self.random_state, self.n_starts)):
            report = method.make_reporter("polish", index, self.n_starts)
            first = _evaluate(rows, *problem.draw_factors(rng), damping=1e-2)
            runs.append(iterate(partial(_step, rows), first, rule, report))
        ranked = select_best_runs(runs, self.n_starts)
        residuals = tuple(min(run.objective) for run in ranked)
        equal = [run for run in ranked if min(run.objective) <= 1.01 * residuals[0] + 1e-9]
        unique, remark = assess_uniqueness(rows, [run.best for run in equal])
        candidates = [_make_candidate(problem, run, residuals) for run in equal]
        more = {"unique": unique, "remark": remark, "fit_on": "derivatives"}
        return make_solution("cpd", candidates[0], candidates, began, **more)


def _evaluate(rows: Array, W: Array, V: Array, damping: float) -> PolyadicState:
    W, V = unit_columns(W), unit_columns(V)
    K = khatri_rao(W, V)
    residual = rows - _fit_derivatives(rows, K) @ K.T
    return PolyadicState(W, V, float(np.sum(residual**2) / np.sum(rows**2)), damping)


def _fit_derivatives(rows: Array, K: Array) -> Array:
    return np.asarray(np.linalg.lstsq(K, rows.T, rcond=1e-13)[0].T)


def _step(rows: Array, state: PolyadicState) -> PolyadicState:
    """Take a damped Gauss-Newton step in (V, W), with G' eliminated (Kaufman's form)."""
    W, V = state.W, state.V
    (m, r), n = V.shape, W.shape[0]
    K = khatri_rao(W, V)
    G = _fit_derivatives(rows, K)
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
    trial = _evaluate(rows, W + step[:, m:].T, V + step[:, :m].T, state.damping)
    if trial.loss < state.loss:
        return replace(trial, damping=max(state.damping / 5, 1e-12))
    return replace(state, damping=min(state.damping * 4, 1e6))


def _make_candidate(problem: Problem, run: Run, residuals: tuple[float, ...]) -> Candidate:
    state: PolyadicState = run.best
    K = khatri_rao(state.W, state.V)
    derivatives = _fit_derivatives(problem.jacobians.reshape(len(problem.points), -1), K)
    columns = []
    for i in range(problem.n_branches):
        axis = problem.axis(i, state.V[:, i])
        slope = axis.mean_over_ties(derivatives[:, i])
        g = integrate_slopes(axis, 0.5 * (slope[1:] + slope[:-1]), slope)[axis.position]
        columns.append(g - g.mean())
    G = np.stack(columns, axis=1)
    factors, _ = problem.factors(state.W, state.V, G, derivatives)
    return Candidate(factors, replace(run, best=None), residuals)


def assess_uniqueness(rows: Array, states: Sequence[PolyadicState]) -> tuple[bool, str]:
    """Return whether equally good starts show a unique decomposition, and why."""
    best = states[0]
    if best.V.shape[1] == 1:
        return True, "unique: a single branch always is"
    holds, condition = _check_kruskal(best, _fit_derivatives(rows, khatri_rao(best.W, best.V)))
    agree = sum(disagreement(best, state) < SAME_DECOMPOSITION_ANGLE for state in states)
    starts = f"{agree} of {len(states)} equally good starts agree"
    if len(states) == 1:
        return holds, f"{'unique' if holds else 'not shown to be unique'}: {condition}"
    if agree < len(states):
        return False, f"not unique: {starts}; {condition}. The columns of G' need not be functions"
    if holds:
        return True, f"unique: {condition}; {starts}"
    return True, f"probably unique: {starts}, though {condition}"


def _check_kruskal(state: PolyadicState, G: Array) -> tuple[bool, str]:
    r = state.V.shape[1]
    if r > MAX_KRUSKAL_COLUMNS:
        return False, "Kruskal's condition was not checked (too many branches)"
    ranks = [k_rank(matrix) for matrix in (state.W, state.V, G)]
    total = " + ".join(str(k) for k in ranks)
    holds = sum(ranks) >= 2 * r + 2
    verb = "holds" if holds else "fails"
    return holds, f"Kruskal's condition {verb} (k-ranks {total} against 2*{r} + 2)"
