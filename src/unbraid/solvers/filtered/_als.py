"""Alternating least squares: objective, state, W- and G-updates.

The implicit method (section 5.2) fits J through several filters at once. The explicit one
(section 5.3) fits it through one and adds ``smoothness * |left/rms - right/rms|^2``. Both are a
``FilterObjective`` and share every update.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._typing import Array
from .._factors import unit_columns
from .._problem import Problem
from ._filters import Filter
from ._slopes import Axes, SlopeOperator, SlopeSolver, integrate_branches


@dataclass(frozen=True)
class FilterObjective:
    """Filters that fit the data, and filters that must agree, with a weight.

    ``accuracy`` is the tolerance of the G-update: screening needs less than polishing.
    """

    data: tuple[Filter, ...]
    penalty: tuple[Filter, ...] = ()
    smoothness: float = 0.0
    accuracy: float = 1e-6

    def make_penalty(self, axes: Axes, rms: Array) -> Any:
        """Return sqrt(smoothness) (left/rms - right/rms), sparse; rms is (2, r)."""
        if not self.penalty or self.smoothness == 0:
            return None
        sides = [SlopeOperator((filter_,), axes) for filter_ in self.penalty]
        weights = np.sqrt(self.smoothness) / np.repeat(rms, sides[0].shape[2], axis=1)
        for side, weight in zip(sides, weights, strict=True):
            side.matrices[0].data *= np.repeat(weight, side.width)  # entries of each row
        left, right = (side.matrices[0] for side in sides)
        return left - right

    def make_solver(self, axes: Axes, W: Array, V: Array, rms: Array) -> SlopeSolver:
        """Return the normal equations of the G-update for these W and V."""
        mixing = (V.T @ V) * (W.T @ W)
        penalty = self.make_penalty(axes, rms)
        return SlopeSolver(SlopeOperator(self.data, axes), mixing, penalty, self.accuracy)


@dataclass(frozen=True)
class State:
    """One iterate; ``derivatives`` (s, r, N) are the filtered slopes.

    ``rms`` (2, r) divides the penalty's filters: it is their own rms one update ago. ``loss`` is
    the objective relative to s*|J|^2, ``damping`` that of the next V-update.
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
        return integrate_branches(self.axes, self.slopes, self.mean_derivatives)


def update_g(
    problem: Problem, solver: SlopeSolver, W: Array, V: Array, guess: Array | None = None
) -> Array:
    """Return the slopes that are best for W and V (eqs. Gimp and G_update)."""
    target = np.einsum("kol,oi,li->ik", problem.jacobians, W, V, optimize=True)
    rhs = solver.operator.adjoint(np.broadcast_to(target, solver.operator.shape))
    del target
    return solver.solve(rhs, guess)


def update_w(problem: Problem, V: Array, derivatives: Array) -> Array:
    """Return the W that minimises the objective for V and derivatives (eq. Wimp)."""
    gram = _sum_of_products(derivatives) * (V.T @ V)
    return _right_divide(_project_on_v(problem, V, derivatives), gram)


def relax_v(problem: Problem, W: Array, derivatives: Array) -> Array:
    """Return the V that would be best if derivatives did not change with it."""
    total = derivatives.sum(axis=0)
    side = np.einsum("kol,oi,ik->li", problem.jacobians, W, total, optimize=True)
    return _right_divide(side, _sum_of_products(derivatives) * (W.T @ W))


def _sum_of_products(derivatives: Array) -> Array:
    """Sum g'_i g'_j over filters and points."""
    return np.asarray(sum(d @ d.T for d in derivatives))


def _project_on_v(problem: Problem, V: Array, derivatives: Array) -> Array:
    total = derivatives.sum(axis=0)
    return np.asarray(np.einsum("kol,li,ik->oi", problem.jacobians, V, total, optimize=True))


def _right_divide(side: Array, gram: Array) -> Array:
    """Return side @ pinv(gram), with gram scaled to unit diagonal first."""
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    inverse = np.linalg.pinv(gram / np.outer(scale, scale), rcond=1e-12, hermitian=True)
    return np.asarray((side / scale) @ inverse / scale)


def compute_loss(
    problem: Problem, W: Array, V: Array, slopes: Array, derivatives: Array, penalty: Any = None
) -> float:
    """Return the objective relative to s * |J|^2; ``penalty`` is the matrix or None."""
    gram = _sum_of_products(derivatives) * (V.T @ V)
    cross = float(np.sum(W * _project_on_v(problem, V, derivatives)))
    energy = len(derivatives) * float(np.vdot(problem.jacobians, problem.jacobians))
    total = energy - 2 * cross + float(np.sum(W * (W @ gram)))
    if penalty is not None:
        total += float(np.sum((penalty @ slopes) ** 2))
    return max(total, 0.0) / energy


def make_first_state(problem: Problem, objective: FilterObjective, W: Array, V: Array) -> State:
    """Return the first iterate: these W and V, with the G that fits them best."""
    rms = np.ones((2, V.shape[1]))
    if objective.penalty:  # it needs an rms before there is a G: that of its filters on the data
        plain = FilterObjective(objective.penalty, objective.penalty)
        rms = update_g_and_w(problem, plain, W, V, rms).rms
    return update_g_and_w(problem, objective, W, V, rms)


def update_g_and_w(
    problem: Problem,
    objective: FilterObjective,
    W: Array,
    V: Array,
    rms: Array,
    before: State | None = None,
) -> State:
    """Update G, then W, exactly for a new V; ``before`` gives an initial guess."""
    W, V = unit_columns(W), unit_columns(V)
    axes = tuple(problem.axis(i, V[:, i]) for i in range(V.shape[1]))
    determined = W.shape[0] * V.shape[0] >= V.shape[1]
    guess = _transfer_slopes(before, axes) if before is not None and determined else None
    solver = objective.make_solver(axes, W, V, rms)
    slopes = update_g(problem, solver, W, V, guess)
    derivatives = solver.operator.apply(slopes)
    W = update_w(problem, V, derivatives)
    loss = compute_loss(problem, W, V, slopes, derivatives, solver.penalty)
    del solver
    damping = 1e-2 if before is None else before.damping
    state = State(W, V, axes, slopes, derivatives, rms, loss, damping)
    return _move_scale_to_g(state, objective)


def _transfer_slopes(state: State, axes: Axes) -> Array:
    """Return the branches of a state as slopes on new axes."""
    parts = []
    for old, new, g in zip(state.axes, axes, state.mean_derivatives, strict=True):
        middle = 0.5 * (new.abscissae[1:] + new.abscissae[:-1])
        parts.append(np.interp(middle, old.abscissae, old.mean_over_ties(g)))
    return np.concatenate(parts)


def _move_scale_to_g(state: State, objective: FilterObjective) -> State:
    """Give W unit columns, move their scale to G, and recompute the penalty's rms.

    Without this, the fixed rms of the explicit penalty rewards a G that shrinks without end.
    """
    norms = np.linalg.norm(state.W, axis=0)
    size = np.where(norms > 0, norms, 1.0)
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
