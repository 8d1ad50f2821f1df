"""Alternating least squares on the filtered decomposition: state, objective, W- and G-updates.

The implicit method (section 5.2) fits J through several filters at once; the explicit one
(section 5.3) fits it through one and adds ``smoothness * |left/rms - right/rms|^2``. Both are
an ``Objective`` here and share every update.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._typing import Array
from .._problem import Problem
from ._filters import Filter
from ._slopes import Axes, SlopeOperator, SlopeSolver, branch_values


@dataclass(frozen=True)
class Objective:
    """Filters that fit the data; filters that must agree, and how much that counts.

    ``accuracy`` is that of the G-update: screening starts needs less than polishing them.
    """

    data: tuple[Filter, ...]
    penalty: tuple[Filter, ...] = ()
    smoothness: float = 0.0
    accuracy: float = 1e-6

    def penalty_matrix(self, axes: Axes, rms: Array) -> Any:
        """Sparse sqrt(smoothness) (left/rms - right/rms), or None; rms is (2, r)."""
        if not self.penalty or self.smoothness == 0:
            return None
        left, right = (SlopeOperator((filter_,), axes) for filter_ in self.penalty)
        weights = np.sqrt(self.smoothness) / np.repeat(rms, left.shape[2], axis=1)
        sides = zip((left, right), weights, strict=True)
        scaled = [side.matrices[0].multiply(weight[:, None]).tocsr() for side, weight in sides]
        return scaled[0] - scaled[1]

    def solver(self, axes: Axes, W: Array, V: Array, rms: Array) -> SlopeSolver:
        """Normal equations of the G-update for these W and V."""
        mixing = (V.T @ V) * (W.T @ W)
        penalty = self.penalty_matrix(axes, rms)
        return SlopeSolver(SlopeOperator(self.data, axes), mixing, penalty, self.accuracy)


@dataclass(frozen=True)
class State:
    """One iterate. ``derivatives`` (s, r, N) are what the filters make of the slopes.

    ``rms`` (2, r) is what the penalty's filters are divided by: their own rms one update ago.
    ``loss`` is the objective relative to s*|J|^2, ``damping`` the V-update's memory.
    """

    W: Array
    V: Array
    axes: Axes
    slopes: Array
    derivatives: Array
    rms: Array
    loss: float
    damping: float = 1e-2

    @property
    def mean_derivatives(self) -> Array:
        """(r, N): the average over the filters."""
        return np.asarray(self.derivatives.mean(axis=0))

    @property
    def values(self) -> Array:
        """G (N, r)."""
        return branch_values(self.axes, self.slopes, self.mean_derivatives)


def g_update(
    problem: Problem, solver: SlopeSolver, W: Array, V: Array, guess: Array | None = None
) -> Array:
    """Slopes that minimise the objective for these W and V (eqs. Gimp and G_update)."""
    target = np.einsum("kol,oi,li->ik", problem.jacobians, W, V, optimize=True)
    rhs = solver.operator.adjoint(np.broadcast_to(target, solver.operator.shape))
    del target
    return solver.solve(rhs, guess)


def w_update(problem: Problem, V: Array, derivatives: Array) -> Array:
    """W that minimises the objective for these V and derivatives (eq. Wimp)."""
    gram = _gram(derivatives) * (V.T @ V)
    return _right_divide(_projection_on_V(problem, V, derivatives), gram)


def v_relaxed(problem: Problem, W: Array, derivatives: Array) -> Array:
    """V that minimises the objective if the filters stayed as they are (all filters at once)."""
    total = derivatives.sum(axis=0)
    side = np.einsum("kol,oi,ik->li", problem.jacobians, W, total, optimize=True)
    return _right_divide(side, _gram(derivatives) * (W.T @ W))


def _gram(derivatives: Array) -> Array:
    """Sum over filters and points of g'_i g'_j."""
    return np.asarray(sum(d @ d.T for d in derivatives))


def _projection_on_V(problem: Problem, V: Array, derivatives: Array) -> Array:
    total = derivatives.sum(axis=0)
    return np.asarray(np.einsum("kol,li,ik->oi", problem.jacobians, V, total, optimize=True))


def _right_divide(side: Array, gram: Array) -> Array:
    """side @ pinv(gram) for a symmetric r by r matrix, scaled to unit diagonal first."""
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    inverse = np.linalg.pinv(gram / np.outer(scale, scale), rcond=1e-12, hermitian=True)
    return np.asarray((side / scale) @ inverse / scale)


def loss(
    problem: Problem, W: Array, V: Array, slopes: Array, derivatives: Array, penalty: Any = None
) -> float:
    """The objective, relative to s * |J|^2; ``penalty`` is the matrix or None."""
    gram = _gram(derivatives) * (V.T @ V)
    cross = float(np.sum(W * _projection_on_V(problem, V, derivatives)))
    energy = len(derivatives) * float(np.vdot(problem.jacobians, problem.jacobians))
    total = energy - 2 * cross + float(np.sum(W * (W @ gram)))
    if penalty is not None:
        total += float(np.sum((penalty @ slopes) ** 2))
    return max(total, 0.0) / energy


def start(problem: Problem, objective: Objective, W: Array, V: Array) -> State:
    """The first iterate: the paper's random W and V, with the G that fits them best.

    The explicit penalty needs an rms before there is a G; the left and right filters,
    fitted to the data, give the first one.
    """
    rms = np.ones((2, V.shape[1]))
    if objective.penalty:
        plain = Objective(objective.penalty, objective.penalty)
        rms = _settled(problem, plain, W, V, rms, 0.0).rms
    return _settled(problem, objective, W, V, rms, 1e-2)


def settle(problem: Problem, objective: Objective, W: Array, V: Array, state: State) -> State:
    """Exact G-update, then exact W-update, for a new V; scale moved out of V and W into G."""
    return _settled(problem, objective, W, V, state.rms, state.damping, state)


def _settled(
    problem: Problem,
    objective: Objective,
    W: Array,
    V: Array,
    rms: Array,
    damping: float,
    before: State | None = None,
) -> State:
    W, V = _unit(W), _unit(V)
    axes = tuple(problem.axis(i, V[:, i]) for i in range(V.shape[1]))
    determined = W.shape[0] * V.shape[0] >= V.shape[1]
    guess = carried_slopes(before, axes) if before is not None and determined else None
    solver = objective.solver(axes, W, V, rms)
    slopes = g_update(problem, solver, W, V, guess)
    derivatives = solver.operator.apply(slopes)
    W = w_update(problem, V, derivatives)
    value = loss(problem, W, V, slopes, derivatives, solver.penalty)
    del solver
    return rescaled(State(W, V, axes, slopes, derivatives, rms, value, damping), objective)


def carried_slopes(state: State, axes: Axes) -> Array:
    """Slopes on new axes of the functions of z that a state holds: where to begin a G-update."""
    parts = []
    for old, new, g in zip(state.axes, axes, state.mean_derivatives, strict=True):
        middle = 0.5 * (new.abscissae[1:] + new.abscissae[:-1])
        parts.append(np.interp(middle, old.abscissae, old.mean_over_ties(g)))
    return np.concatenate(parts)


def rescaled(state: State, objective: Objective) -> State:
    """Unit columns in W; G takes their scale, and the penalty's rms is taken afresh.

    Without this the frozen rms of the explicit penalty rewards shrinking G for ever.
    """
    size = _norms(state.W)
    slopes = state.slopes * np.repeat(size, [axis.n_slopes for axis in state.axes])
    rms = state.rms
    if objective.penalty:
        sides = SlopeOperator(objective.penalty, state.axes).apply(slopes)
        rms = np.sqrt(np.mean(sides**2, axis=2))
        rms = np.maximum(rms, 1e-12 * max(float(rms.max()), 1e-300))
    return replace(
        state,
        W=state.W / size,
        slopes=slopes,
        derivatives=state.derivatives * size[:, None],
        rms=rms,
    )


def _norms(matrix: Array) -> Array:
    norms = np.linalg.norm(matrix, axis=0)
    return np.where(norms > 0, norms, 1.0)


def _unit(matrix: Array) -> Array:
    return np.asarray(matrix / _norms(matrix))
