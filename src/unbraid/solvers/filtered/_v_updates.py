"""Three V-updates, which differ in how they let derivatives change with v.

``relaxed``    not at all (``relax_v`` in ``_als.py``).
``nonlinear``  the values of g stay at their points, and the filters change with the gaps:
               eqs. (Vimp) and (V) as published, by Levenberg-Marquardt.
``function``   g is a function of z, so g' changes by g'' p. The step is taken together with W and
               accounts for the best response of G: one Gauss-Newton step on the objective
               with G eliminated.

With ``turn[s, i, k, a]`` the derivative of filter s's g'_i at point k by v_i[a], all of them share
the same normal equations.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from ..._typing import Array
from ..._util.linalg import damped_solve
from ...errors import DegenerateBranchError
from .._constraints import estimate_curvature
from .._factors import unit_columns
from .._problem import Problem
from ._als import FilterObjective, State, relax_v, update_g_and_w
from ._filters import filter_with_tangent

MAX_SIDE_ENTRIES = 1_000_000  # entries of the right-hand sides that are solved for at once


def relaxed_step(problem: Problem, objective: FilterObjective, state: State) -> State:
    """Relax V, then update G and W exactly."""
    V = relax_v(problem, state.W, state.derivatives)
    return update_g_and_w(problem, objective, state.W, V, state.rms, state)


def function_step(problem: Problem, objective: FilterObjective, state: State) -> State:
    """Take a damped Gauss-Newton step in (V, W); keep it only if the objective falls."""
    gradient, hessian, scale = assemble_reduced_equations(problem, objective, state)
    step = damped_solve(hessian, gradient, scale, state.damping)
    r = problem.n_branches
    dV, dW = np.split(step, [r * problem.points.shape[1]])
    V = state.V + dV.reshape(r, -1).T
    W = state.W + dW.reshape(r, -1).T
    try:
        trial = update_g_and_w(problem, objective, W, V, state.rms, state)
    except DegenerateBranchError:
        return replace(state, damping=state.damping * 10)
    if trial.loss < state.loss:
        return replace(trial, damping=max(state.damping / 5, 1e-9))
    return replace(state, damping=state.damping * 4)


def assemble_reduced_equations(
    problem: Problem, objective: FilterObjective, state: State
) -> tuple[Array, Array, Array]:
    """Return gradient, Gauss-Newton matrix and its diagonal, slopes eliminated."""
    W, V, derivatives = state.W, state.V, state.derivatives
    bend = estimate_bend(problem, state)
    turn = (bend[:, :, None] * problem.points)[None]
    g_v, h_vv, (gram, cross) = assemble_v_equations(problem, W, V, derivatives, turn)
    del turn  # as large as the samples
    VV, r = V.T @ V, V.shape[1]
    total = derivatives.sum(axis=0)
    by_V = np.einsum("kol,li,ik->io", problem.jacobians, V, total, optimize=True)
    g_w = by_V - (VV * gram) @ W.T
    h_ww = np.einsum("ij,oe->ioje", VV * gram, np.eye(len(W))).reshape(r * len(W), -1)
    inner = np.einsum("ij,aj->iaj", gram, V) + np.einsum("ij,jia->iaj", VV, cross)
    h_vw = np.einsum("oi,iaj->iajo", W, inner).reshape(r * len(V), -1)
    hessian = np.block([[h_vv, h_vw], [h_vw.T, h_ww]])
    scale = np.diag(hessian).copy()
    hessian -= _compute_response(problem, objective, state, bend)
    return np.concatenate([g_v, g_w.ravel()]), 0.5 * (hessian + hessian.T), scale


def _compute_response(
    problem: Problem, objective: FilterObjective, state: State, bend: Array
) -> Array:
    """Return B' (A'CA)^-1 B, the response of G to a change in (V, W)."""
    (m, r), n = state.V.shape, state.W.shape[0]
    solver = objective.make_solver(state.axes, state.W, state.V, state.rms)
    solver = replace(solver, tolerance=1e-3, max_iterations=40)
    columns = [(i, a) for i in range(r) for a in range(m)]
    columns += [(i, m + o) for i in range(r) for o in range(n)]
    at_once = max(1, MAX_SIDE_ENTRIES // state.derivatives.size)
    blocks = []
    for first in range(0, len(columns), at_once):
        chosen = columns[first : first + at_once]
        sides = [
            solver.operator.adjoint(_apply_tangent(problem, state, bend, i, a)) for i, a in chosen
        ]
        rhs = sides[0] if len(sides) == 1 else np.stack(sides, axis=-1)
        slopes = solver.solve(rhs).reshape(len(rhs), -1)
        blocks.append(_apply_adjoint(problem, state, bend, solver.operator.apply(slopes)))
    return np.concatenate(blocks, axis=1)


def _apply_tangent(problem: Problem, state: State, bend: Array, i: int, a: int) -> Array:
    """Return the projected derivative of the model by v_i[a] or w_i[a - m]."""
    W, V = state.W, state.V
    along = V.T @ V[:, i]
    if a >= len(V):
        return np.asarray((W[a - len(V)] * along)[:, None] * state.derivatives[:, None, i])
    weight = W.T @ W[:, i]
    moved = (weight * V[a])[:, None] * state.derivatives[:, None, i]
    moved += (weight * along)[:, None] * (bend[i] * problem.points[:, a])
    return np.asarray(moved)


def _apply_adjoint(problem: Problem, state: State, bend: Array, answer: Array) -> Array:
    """Apply the adjoint of ``_apply_tangent`` for all columns to (s, r, N, q)."""
    W, V = state.W, state.V
    WW, VV, q = W.T @ W, V.T @ V, answer.shape[-1]
    met = np.einsum("sik,sjkq->ijq", state.derivatives, answer, optimize=True)
    total = answer.sum(axis=0)
    turned = [np.einsum("k,ka,jkq->jaq", b, problem.points, total, optimize=True) for b in bend]
    by_V = np.einsum("ij,aj,ijq->iaq", WW, V, met)
    by_V += np.einsum("ij,ijaq->iaq", WW * VV, np.stack(turned))
    by_W = np.einsum("oj,ij,ijq->ioq", W, VV, met)
    return np.concatenate([by_V.reshape(-1, q), by_W.reshape(-1, q)])


def estimate_bend(problem: Problem, state: State) -> Array:
    """Return g''(z) at the points, (r, N)."""
    side = max(6, problem.points.shape[0] // 16)
    rows = []
    for axis, derivative in zip(state.axes, state.mean_derivatives, strict=True):
        rows.append(estimate_curvature(axis, axis.mean_over_ties(derivative), side)[axis.position])
    return np.stack(rows)


def assemble_v_equations(
    problem: Problem, W: Array, V: Array, derivatives: Array, turn: Array
) -> tuple[Array, Array, tuple[Array, Array]]:
    """Return gradient and Gauss-Newton matrix of the data term by V.

    ``turn`` is (s, r, N, m), or (1, r, N, m) where it is the same for all filters. The third
    result are the moments sum g'_i g'_j and sum g'_i turn_j that other blocks need.
    """
    m, r = V.shape
    WW, VV = W.T @ W, V.T @ V
    repeats = derivatives.shape[0] // turn.shape[0]
    total = derivatives.sum(axis=0)
    total_turn = turn.sum(axis=0) * repeats
    gram = np.einsum("sik,sjk->ij", derivatives, derivatives, optimize=True)
    if turn.shape[0] == 1:
        cross = np.einsum("ik,jka->ija", total, turn[0], optimize=True)
    else:
        cross = np.einsum("sik,sjka->ija", derivatives, turn, optimize=True)
    flat = turn.transpose(0, 2, 1, 3).reshape(-1, r * m)
    square = repeats * (flat.T @ flat).reshape(r, m, r, m)
    JW = np.einsum("kol,oi->kil", problem.jacobians, W, optimize=True)
    JWV = np.einsum("kil,li->ik", JW, V, optimize=True)
    gradient = np.einsum("kia,ik->ia", JW, total) + np.einsum("ik,ika->ia", JWV, total_turn)
    gradient -= np.einsum("ij,ij,aj->ia", WW, gram, V)
    gradient -= np.einsum("ij,ij,jia->ia", WW, VV, cross)
    hessian = np.einsum("ij,ac->iajc", gram, np.eye(m))
    hessian += np.einsum("aj,ijc->iajc", V, cross) + np.einsum("ci,jia->iajc", V, cross)
    hessian += VV[:, None, :, None] * square
    hessian *= WW[:, None, :, None]
    return gradient.ravel(), hessian.reshape(r * m, r * m), (gram, cross)


def nonlinear_step(
    problem: Problem, objective: FilterObjective, state: State, n_trials: int = 10
) -> State:
    """Take the paper's V-update: relax V, then refine it at fixed values of G."""
    values = state.values
    V = relax_v(problem, state.W, state.derivatives)
    V = unit_columns(V)
    current = evaluate_at_fixed_values(problem, objective, state.W, V, values, state.rms)
    damping = 1e-2
    for _ in range(n_trials):
        cost, gradient, hessian = current
        step = damped_solve(hessian, gradient, np.diag(hessian).copy(), damping)
        trial_V = unit_columns(V + step.reshape(V.shape[1], -1).T)
        trial = evaluate_at_fixed_values(problem, objective, state.W, trial_V, values, state.rms)
        if trial[0] < cost:
            V, current, damping = trial_V, trial, damping / 5
            if cost - trial[0] < 1e-6 * cost:
                break
        else:
            damping *= 5
    return update_g_and_w(problem, objective, state.W, V, state.rms, state)


def evaluate_at_fixed_values(
    problem: Problem, objective: FilterObjective, W: Array, V: Array, values: Array, rms: Array
) -> tuple[float, Array, Array]:
    """Evaluate eqs. (Vimp) and (V) at V for fixed values G (N, r).

    Returns the cost, half its negative gradient and the Gauss-Newton matrix, both by
    (branch, input). The penalty's rms is a constant here.
    """
    axes = [problem.axis(i, V[:, i]) for i in range(V.shape[1])]
    filters = (*objective.data, *objective.penalty)
    derivatives = np.empty((len(filters), len(axes), problem.points.shape[0]))
    turn = np.empty((*derivatives.shape, V.shape[0]))
    for i, axis in enumerate(axes):
        value, point = axis.mean_over_ties(values[:, i]), axis.mean_over_ties(problem.points)
        for s, filter_ in enumerate(filters):
            slope, tangent = filter_with_tangent(filter_, axis, value, point)
            derivatives[s, i], turn[s, i] = slope[axis.position], tangent[axis.position]
    s = len(objective.data)
    gradient, hessian, _ = assemble_v_equations(problem, W, V, derivatives[:s], turn[:s])
    cost = 0.0
    for derivative in derivatives[:s]:
        model = np.einsum("oi,ik,li->kol", W, derivative, V, optimize=True)
        cost += float(np.sum((problem.jacobians - model) ** 2))
    if objective.penalty and objective.smoothness > 0:
        root, (left, right) = np.sqrt(objective.smoothness), rms[:, :, None]
        miss = root * (derivatives[s] / left - derivatives[s + 1] / right)
        change = root * (turn[s] / left[..., None] - turn[s + 1] / right[..., None])
        cost += float(np.sum(miss**2))
        gradient -= np.einsum("ik,ika->ia", miss, change).ravel()
        m = V.shape[0]
        for i, block in enumerate(np.einsum("ika,ikc->iac", change, change)):
            hessian[i * m : (i + 1) * m, i * m : (i + 1) * m] += block
    return cost, gradient, hessian


VUpdate = Literal["function", "relaxed", "nonlinear"]
Step = Callable[[Problem, FilterObjective, State], State]
V_UPDATES: dict[str, Step] = {
    "function": function_step,
    "relaxed": relaxed_step,
    "nonlinear": nonlinear_step,
}
