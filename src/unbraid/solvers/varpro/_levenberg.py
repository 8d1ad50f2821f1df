"""Levenberg-Marquardt on W and V, many starts in step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..._typing import Array, Mask
from ._joint import Data, Fit, Sums, evaluate, solved
from ._normal import Normal, normal_equations

EXACT = 1e-21  # loss at which nothing is left but rounding
MOST_DAMPING = 1e6

Report = Callable[[int, float], bool]  # told the iteration and the residual; True stops


@dataclass(frozen=True)
class Patience:
    """Stop a start that gains less than ``tolerance`` (of its loss) ``tries`` times in a row,

    and all of them as soon as ``enough`` of them are exact.
    """

    max_iterations: int
    tolerance: float = 1e-3
    tries: int = 3
    enough: int = 2


@dataclass(frozen=True)
class Descent:
    """Where the starts ended, the best loss after every iteration, and which of them settled."""

    fit: Fit
    history: tuple[float, ...]
    settled: Mask
    stopped: bool = False


def minimise(
    data: Data,
    fit: Fit,
    patience: Patience,
    report: Report | None = None,
) -> Descent:
    """Lower the loss of every start; those that have settled are set aside."""
    n_starts = len(fit.W)
    W, V, loss = fit.W.copy(), fit.V.copy(), fit.loss.copy()
    active, current = np.arange(n_starts), fit
    damping, quiet = np.full(n_starts, 1e-2), np.zeros(n_starts, dtype=int)
    history = [float(np.sqrt(loss.min()))]
    settled = loss < EXACT
    if np.all(settled):
        return Descent(fit, tuple(history), settled)
    matrix, gradient = reduced(normal_equations(data, fit), fit)
    stopped = False
    for iteration in range(1, patience.max_iterations + 1):
        step = _damped_step(matrix, gradient, damping[active])
        trial = evaluate(data, current.stack, *moved(current, step), current.penalty)
        better = trial.loss < current.loss
        gain = np.where(better, 1 - trial.loss / np.maximum(current.loss, 1e-300), 0.0)
        change = np.where(better, 1 / 5, 4.0)
        damping[active] = np.clip(damping[active] * change, 1e-12, MOST_DAMPING)
        small = gain <= patience.tolerance  # a step refused is no sign of an end: damping is
        quiet[active] = np.where(better, np.where(small, quiet[active] + 1, 0), quiet[active])
        took = active[better]
        W[took], V[took], loss[took] = trial.W[better], trial.V[better], trial.loss[better]
        history.append(float(np.sqrt(loss.min())))
        settled = (quiet >= patience.tries) | (loss < EXACT) | (damping >= MOST_DAMPING)
        stopped = report is not None and report(iteration, history[-1])
        current = _merged(current, trial, better)
        if np.all(settled) or stopped or np.sum(loss < EXACT) >= patience.enough:
            break
        going = ~settled[active]
        if np.any(better) or not np.all(going):
            if not np.all(going):
                current, active = current.select(np.flatnonzero(going)), active[going]
            matrix, gradient = reduced(normal_equations(data, current), current)
    whole = len(active) == n_starts
    ended = current if whole else evaluate(data, fit.stack, W, V, fit.penalty)
    return Descent(ended, tuple(history), settled, stopped)


def reduced(normal: Normal, fit: Fit) -> tuple[Array, Array]:
    """Matrix and gradient in W and V alone, c eliminated.

    A column may be stretched at the expense of c without any effect: the matrix is made definite
    along these directions, so that a step does not go there.
    """
    b = normal.n_outer
    H, g = normal.matrix, normal.gradient
    right = np.concatenate([H[:, b:, :b], g[:, b:, None]], axis=2)
    inner = solved(H[:, b:, b:], right)
    matrix = H[:, :b, :b] - H[:, :b, b:] @ inner[..., :-1]
    gradient = g[:, :b] - (H[:, :b, b:] @ inner[..., -1:])[..., 0]
    matrix = 0.5 * (matrix + matrix.swapaxes(1, 2)) + stretches(fit, H)
    return matrix, gradient


def stretches(fit: Fit, H: Array) -> Array:
    """Projectors on each column of W and V, as large as the matrix is there."""
    n_starts, _, r = fit.W.shape
    outer = r * (fit.W.shape[1] + fit.V.shape[1])
    table, diagonal = np.zeros((n_starts, outer, outer)), H.diagonal(axis1=1, axis2=2)
    branches, begin = np.arange(r), 0
    for matrix in (fit.W, fit.V):
        size, columns = matrix.shape[1], matrix.swapaxes(1, 2)
        part = slice(begin, begin + r * size)
        height = diagonal[:, part].reshape(n_starts, r, size).mean(axis=2) + 1e-300
        blocks = (height[..., None] * columns)[..., None] * columns[:, :, None]
        room = table[:, part, part].reshape(n_starts, r, size, r, size)
        room[:, branches, :, branches] = blocks.swapaxes(0, 1)
        table[:, part, part] = room.reshape(n_starts, r * size, r * size)
        begin += r * size
    return table


def _damped_step(matrix: Array, gradient: Array, damping: Array) -> Array:
    diagonal = matrix.diagonal(axis1=1, axis2=2)
    floor = 1e-10 * diagonal.max(axis=1, keepdims=True) + 1e-300
    damped = matrix.copy()
    q = np.arange(matrix.shape[1])
    damped[:, q, q] += damping[:, None] * np.maximum(diagonal, floor) + 1e-4 * floor
    return -solved(damped, gradient[..., None])[..., 0]


def moved(fit: Fit, step: Array) -> tuple[Array, Array]:
    """W and V after a step, columns of unit length."""
    n_starts, n, r = fit.W.shape
    turn_W = step[:, : r * n].reshape(n_starts, r, n).swapaxes(1, 2)
    turn_V = step[:, r * n :].reshape(n_starts, r, -1).swapaxes(1, 2)
    return unit(fit.W + turn_W), unit(fit.V + turn_V)


def unit(matrix: Array) -> Array:
    """Columns of unit length, (S, size, r)."""
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(length > 0, length, 1.0))


def _merged(old: Fit, new: Fit, take: Mask) -> Fit:
    """The new fit of the starts that took the step, the old one of the others."""
    if np.all(take):
        return new

    def pick(a: Array, b: Array) -> Array:
        return np.where(take.reshape(-1, *[1] * (a.ndim - 1)), b, a)

    sums = Sums(
        pick(old.sums.slopes, new.sums.slopes),
        pick(old.sums.levels, new.sums.levels),
        pick(old.sums.mean, new.sums.mean),
    )
    return replace(
        old,
        W=pick(old.W, new.W),
        V=pick(old.V, new.V),
        C=pick(old.C, new.C),
        sums=sums,
        loss=pick(old.loss, new.loss),
        jacobian_loss=pick(old.jacobian_loss, new.jacobian_loss),
        value_loss=pick(old.value_loss, new.value_loss),
    )
