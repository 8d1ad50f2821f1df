"""Levenberg-Marquardt on W and V, many starts at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..._typing import Array, Index, Mask
from .._base import StopCriteria
from .._factors import unit_columns
from ._data import Data
from ._definite import solve_definite, whiten_rows
from ._joint import Fit, evaluate
from ._normal import NormalEquations, assemble_normal_equations

EXACT_FIT_LOSS = 1e-21  # loss of a fit that is exact to rounding
INITIAL_DAMPING = 1e-2  # relative to the diagonal of the Gauss-Newton matrix
TREND_ITERATIONS = 8  # whose decrease of the loss is extrapolated
MIN_LM_DAMPING, MAX_LM_DAMPING = 1e-12, 1e6  # a start that needs the largest has ended

Report = Callable[[int, float], bool]  # of iteration and residual; True stops


@dataclass(frozen=True, eq=False)
class Descent:
    """Where the starts ended, with their losses.

    ``history`` is the best residual per iteration, ``settled`` which starts settled. The fit is
    evaluated when it is first asked for.
    """

    W: Array
    V: Array
    loss: Array
    history: tuple[float, ...]
    settled: Mask
    stopped: bool
    make_fit: Callable[[], Fit]

    @cached_property
    def fit(self) -> Fit:
        return self.make_fit()

    def select(self, starts: Index) -> Descent:
        """Return some of the starts."""
        return replace(
            self,
            W=self.W[starts],
            V=self.V[starts],
            loss=self.loss[starts],
            settled=self.settled[starts],
            make_fit=lambda: self.fit.select(starts),
        )


class _Starts:
    """W, V, loss and damping of every start, and its small steps in a row.

    ``losses`` are those after each iteration, and ``aside`` the starts that were given up.
    """

    def __init__(self, fit: Fit) -> None:
        self.W, self.V, self.loss = fit.W.copy(), fit.V.copy(), fit.loss.copy()
        self.losses = [self.loss.copy()]
        self.aside = np.zeros(len(fit.W), dtype=bool)
        self.damping = np.full(len(fit.W), INITIAL_DAMPING)
        self.n_small = np.zeros(len(fit.W), dtype=int)

    def take(self, active: Index, trial: Fit, tolerance: float) -> Mask:
        """Take trials that lower the loss, adapt the damping; return which."""
        before = self.loss[active]
        better = trial.loss < before
        gain = np.where(better, 1 - trial.loss / np.maximum(before, 1e-300), 0.0)
        damping = self.damping[active] * np.where(better, 1 / 5, 4.0)
        self.damping[active] = np.clip(damping, MIN_LM_DAMPING, MAX_LM_DAMPING)
        taken = active[better]  # a step that is refused says nothing about convergence
        small = gain[better] <= tolerance
        self.n_small[taken] = np.where(small, self.n_small[taken] + 1, 0)
        self.W[taken], self.V[taken] = trial.W[better], trial.V[better]
        self.loss[taken] = trial.loss[better]
        self.losses.append(self.loss.copy())
        return better

    @property
    def exact(self) -> Mask:
        return self.loss < EXACT_FIT_LOSS

    def give_up(self, stop: StopCriteria) -> None:
        """Set starts aside whose trend does not lead below the losses that are wanted.

        The logarithm of the loss is extrapolated to the last iteration.
        """
        done = len(self.losses) - 1
        if stop.n_wanted is None or len(self.loss) <= stop.n_wanted or done <= TREND_ITERATIONS:
            return
        decrease = self.loss / np.maximum(self.losses[-1 - TREND_ITERATIONS], 1e-300)
        expected = self.loss * decrease ** ((stop.max_iterations - done) / TREND_ITERATIONS)
        self.aside |= expected > np.sort(self.loss)[stop.n_wanted - 1]

    def find_settled(self, stop: StopCriteria) -> Mask:
        return (self.n_small >= stop.patience) | self.exact | (self.damping >= MAX_LM_DAMPING)


def minimise(
    data: Data,
    fit: Fit,
    stop: StopCriteria,
    report: Report | None = None,
    free: Array | None = None,
) -> Descent:
    """Lower the loss of every start until it settles or will not be among the best.

    The columns of ``free`` (., q, any) are the only changes of W and V that are made; the default
    is all.
    """
    starts = _Starts(fit)
    active, current = np.arange(len(fit.W)), fit
    history = [float(np.sqrt(fit.loss.min()))]
    settled, stopped = starts.exact, False
    if np.all(settled):
        ends = starts.W, starts.V, starts.loss
        return Descent(*ends, tuple(history), settled, stopped, lambda: fit)
    active_data, active_free = data, free
    matrix, gradient = _assemble_outer_equations(data, fit, free)
    for iteration in range(1, stop.max_iterations + 1):
        step = _compute_damped_step(matrix, gradient, starts.damping[active])
        step = step if active_free is None else (active_free @ step[..., None])[..., 0]
        trial = evaluate(active_data, current.stack, *_apply_step(current, step), current.penalty)
        better = starts.take(active, trial, stop.tolerance)
        current = _merge(current, trial, better)
        history.append(float(np.sqrt(starts.loss.min())))
        starts.give_up(stop)
        settled = starts.find_settled(stop)
        stopped = report is not None and report(iteration, history[-1])
        if np.all(settled | starts.aside) or stopped or np.sum(starts.exact) >= stop.n_exact:
            break
        going = ~(settled | starts.aside)[active]
        if not np.all(going):
            current, active = current.select(np.flatnonzero(going)), active[going]
            active_data = data.select(active)
            active_free = free if free is None or len(free) == 1 else free[active]
        elif not np.any(better):
            continue
        matrix, gradient = _assemble_outer_equations(active_data, current, active_free)

    def make_fit() -> Fit:
        if len(active) == len(fit.W):
            return current
        return evaluate(data, fit.stack, starts.W, starts.V, fit.penalty)

    ends = starts.W, starts.V, starts.loss
    return Descent(*ends, tuple(history), settled, stopped, make_fit)


def _assemble_outer_equations(data: Data, fit: Fit, free: Array | None) -> tuple[Array, Array]:
    """Matrix and gradient in the free changes of W and V."""
    matrix, gradient = eliminate_coefficients(assemble_normal_equations(data, fit), fit)
    if free is None:
        return matrix, gradient
    return free.swapaxes(1, 2) @ matrix @ free, (gradient[:, None] @ free)[:, 0]


def eliminate_coefficients(normal: NormalEquations, fit: Fit) -> tuple[Array, Array]:
    """Return matrix and gradient in W and V alone.

    Scaling a column of W or V while c takes the inverse has no effect. The matrix is made definite
    along these directions, so that a step does not go there.
    """
    b = normal.n_outer
    rows = np.concatenate([normal.cross, normal.gradient[:, None, b:]], axis=1)
    white = whiten_rows(fit.factors, rows)
    inner = white @ white.swapaxes(1, 2)
    matrix, gradient = normal.outer - inner[:, :b, :b], normal.gradient[:, :b] - inner[:, :b, b]
    matrix += matrix.swapaxes(1, 2)
    matrix *= 0.5
    add_scale_projectors(matrix, fit, normal.outer)
    return matrix, gradient


def add_scale_projectors(matrix: Array, fit: Fit, outer_matrix: Array) -> None:
    """Add projectors on the columns of W and V, as large as the outer matrix there."""
    n_starts, _, r = fit.W.shape
    diagonal, begin = outer_matrix.diagonal(axis1=1, axis2=2), 0
    for factor in (fit.W, fit.V):
        size, columns = factor.shape[1], factor.swapaxes(1, 2)
        part = slice(begin, begin + r * size)
        height = diagonal[:, part].reshape(n_starts, r, size).mean(axis=2) + 1e-300
        blocks = (height[..., None] * columns)[..., None] * columns[:, :, None]
        places = begin + np.arange(r * size).reshape(r, size)
        matrix[:, places[:, :, None], places[:, None]] += blocks
        begin += r * size


def _compute_damped_step(matrix: Array, gradient: Array, damping: Array) -> Array:
    diagonal = matrix.diagonal(axis1=1, axis2=2)
    floor = 1e-10 * diagonal.max(axis=1, keepdims=True) + 1e-300
    damped = matrix.copy()
    q = np.arange(matrix.shape[1])
    damped[:, q, q] += damping[:, None] * np.maximum(diagonal, floor) + 1e-4 * floor
    return -solve_definite(damped, gradient[..., None])[..., 0]


def _apply_step(fit: Fit, step: Array) -> tuple[Array, Array]:
    """Return W and V after a step, columns of unit length."""
    n_starts, n, r = fit.W.shape
    step_W = step[:, : r * n].reshape(n_starts, r, n).swapaxes(1, 2)
    step_V = step[:, r * n :].reshape(n_starts, r, -1).swapaxes(1, 2)
    return unit_columns(fit.W + step_W), unit_columns(fit.V + step_V)


def _merge(old: Fit, new: Fit, taken: Mask) -> Fit:
    """Return the new fit of the starts that took the step, the old one of the others."""
    if np.all(taken):
        return new

    def choose(a: Array, b: Array) -> Array:
        return np.where(taken.reshape(-1, *[1] * (a.ndim - 1)), b, a)

    return old.map_arrays(choose, new)
