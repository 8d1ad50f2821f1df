"""Refining a decoupled NARX model on its simulation error, eq. (post_opt)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from .._util.linalg import triangle
from .._util.validation import counted
from ..bases import Basis, BSpline, Polynomial
from ..errors import ConvergenceWarning, DivergenceError, FitWarning
from ..metrics import relative_error
from ..model._branch import Branch, Expansion, fit_branch
from ..model._function import DecoupledFunction
from ..model._residuals import residuals_of
from ..sources._hermite import whitening
from ._gauss_newton import LOST, Patience, Task, minimise, steadied
from ._layout import Layout, curves
from ._linear_branch import straightened

PATIENCE = 8  # steps without a gain on the held-out samples
MARKS = 2000  # regressors that a branch's picture shows
EVEN = 2e-3  # a loss this much larger is as good, if the model can be read better
OVERFITTING = "the error on the held-out samples stopped falling"
ASKED = "stopped by the callback"

Callback = Callable[[int, float], object]


@dataclass(frozen=True)
class Refinement:
    """What a refinement did.

    Attributes
    ----------
    errors : tuple of float
        Simulation error in % after every step of the descent that was kept, on the samples
        fitted, weighted as they were.
    held_out_errors : tuple of float
        The same on the samples held out; the step with the least of them was kept.
    stages : tuple of float
        Shares of feedback gone through: (1.0,) unless the start ran off or was far off.
    stop_reason : str
    converged : bool
    seconds : float
    """

    errors: tuple[float, ...]
    held_out_errors: tuple[float, ...]
    stages: tuple[float, ...]
    stop_reason: str
    converged: bool
    seconds: float

    @property
    def words(self) -> str:
        """What was done, in a sentence."""
        steps = counted(max(len(self.errors) - 1, 0), "step")
        return f"Refined on the simulation error, {steps}: {self.stop_reason}."


def refined(
    d: DecoupledFunction,
    task: Task,
    held: Task | None,
    max_iterations: int,
    callback: Callback | None = None,
) -> tuple[DecoupledFunction, Refinement]:
    """The function of least simulation error from here, on held-out samples where there are."""
    began = time.perf_counter()
    table = _regressors(task)
    layout = _layout(d, table)
    numbers = layout.pack()
    stages: tuple[float, ...] = (1.0,)
    way = _Way(task, held, max_iterations, callback)
    direct = way.down(layout, numbers, thorough=True)
    watches = [direct]
    lost = not direct.errors or direct.errors[0] > 100 * LOST
    if lost and direct.reason != ASKED:
        numbers, stages = steadied(task, layout, numbers)
        if stages[-1:] == (1.0,):
            watches.append(way.down(layout, numbers, thorough=True))
    watches = [watch for watch in watches if watch.errors]
    if not watches:
        raise DivergenceError(
            "the simulation runs off or stays far from the data, whatever was tried: decouple with "
            "more branches, or fit the model anew with other lags or a lower degree",
            sample=task.initial,
        )
    watch = min(watches, key=lambda watch: (watch.least, watch.errors[-1]))
    gathered = straightened(watch.best, table)
    if gathered is not None and watch.reason != ASKED:
        again = _layout(gathered, table)
        other = way.down(again, again.pack())
        if np.isfinite(other.least) and other.least <= (1 + EVEN) * watch.least:
            watch = other
    record = Refinement(
        tuple(watch.errors),
        tuple(watch.held_out_errors),
        stages,
        watch.reason,
        watch.settled,
        time.perf_counter() - began,
    )
    return _finished(watch.best, table, np.concatenate(_outputs(task))), record


def warn(record: Refinement) -> None:
    """What the user should know, said to the caller of the caller."""
    if not record.converged and record.stop_reason != ASKED:
        message = f"refinement {record.stop_reason}; raise max_iterations"
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    if record.held_out_errors and not np.isfinite(min(record.held_out_errors)):
        message = (
            "the model runs off, or far away, on the held-out samples at every step: they could "
            "not tell when to stop"
        )
        warnings.warn(message, FitWarning, stacklevel=3)


class _Way:
    """Descents from several starts, their steps counted through."""

    def __init__(
        self, task: Task, held: Task | None, max_iterations: int, callback: Callback | None
    ) -> None:
        self.task, self.held, self.callback = task, held, callback
        self.max_iterations, self.steps = max_iterations, 0

    def down(self, layout: Layout, numbers: Array, thorough: bool = False) -> _Watch:
        """All that was seen on the way down; nothing, where the start runs off."""
        watch = _Watch(self.held, self.callback, self.steps)
        start = layout.unpack(numbers)
        runs = self.task.runs(start, thorough=thorough)
        if runs is None or watch(self.task.loss(runs), start):
            return watch
        patience = Patience(self.max_iterations)
        _, settled = minimise(self.task, layout, numbers, runs, patience, watch)
        watch.settled = settled or watch.reason == OVERFITTING
        unsettled = f"stopped after max_iterations = {self.max_iterations} steps"
        watch.reason = watch.reason or ("settled" if settled else unsettled)
        self.steps += len(watch.errors)
        return watch


class _Watch:
    """Keeps the best function seen, and says when to stop."""

    def __init__(self, held: Task | None, callback: Callback | None, steps_before: int) -> None:
        self.held, self.callback, self.steps_before = held, callback, steps_before
        self.errors: list[float] = []
        self.held_out_errors: list[float] = []
        self.least, self.reason, self.settled = np.inf, "", False
        self.best: DecoupledFunction

    def __call__(self, loss: float, d: DecoupledFunction) -> bool:
        self.errors.append(100 * float(np.sqrt(loss)))
        if self.held is not None:
            judged = self.held.loss(self.held.runs(d))
            self.held_out_errors.append(100 * float(np.sqrt(judged)))
        else:
            judged = loss
        if judged < self.least or not np.isfinite(self.least):
            self.least, self.best = judged, d
        seen = self.held_out_errors
        if seen and np.isfinite(self.least) and len(seen) - 1 - int(np.argmin(seen)) >= PATIENCE:
            self.reason = OVERFITTING
        step = self.steps_before + len(self.errors) - 1
        if self.callback is not None and self.callback(step, self.errors[-1]):
            self.reason = ASKED
        return bool(self.reason)


def _regressors(task: Task) -> Array:
    lags = task.lags
    return np.concatenate([lags.table(r.u, r.y, task.initial, len(r)) for r in task.records])


def _outputs(task: Task) -> list[Array]:
    return [record.y[task.initial :] for record in task.records]


def _layout(d: DecoupledFunction, table: Array) -> Layout:
    curves(d)
    centred = table - table.mean(axis=0)
    spreads = np.std(table @ d.V, axis=0)
    spreads = np.where(spreads > 0, spreads, spreads.max(initial=0.0) or 1.0)
    return Layout(d, whitening(triangle(centred), len(centred)), spreads)


def _finished(d: DecoupledFunction, table: Array, y: Array) -> DecoupledFunction:
    """The same function with unit columns, largest share first, and what pictures need."""
    z = table @ d.V
    lengths = np.array([_length(d, i) for i in range(d.n_branches)])
    heights = np.linalg.norm(d.W, axis=0)
    branches = [
        _rescaled(branch, z[:, i], lengths[i], heights[i]) for i, branch in enumerate(d.branches)
    ]
    order = np.argsort([-np.std(b(z[:, i] / lengths[i])) for i, b in enumerate(branches)])
    new = replace(
        d,
        V=(d.V / lengths)[:, order],
        W=(d.W / heights)[:, order],
        branches=tuple(branches[i] for i in order),
        solution=None,
        held_out_error=None,
    )
    new = replace(new, offset=d.offset + np.mean(d(table) - new(table), axis=0))
    values = new(table)
    return replace(
        _with_marks(new, table, y),
        fitted_error=relative_error(y, values),
        residuals=residuals_of(y, values),
        spread=table.std(axis=0),
    )


def _length(d: DecoupledFunction, i: int) -> float:
    """Length of a column of V, with the sign of its largest entry where a branch can be turned."""
    column = d.V[:, i]
    largest = column[np.argmax(np.abs(column))]
    turn = largest < 0 and isinstance(curves(d)[i].basis, Polynomial)
    return float(np.linalg.norm(column)) * (-1.0 if turn else 1.0)


def _rescaled(branch: Branch, z: Array, length: float, height: float) -> Branch:
    """The branch as a function of z / length, times height, less some constant."""
    assert isinstance(branch.curve, Expansion)
    basis, coefficients = branch.curve.basis, height * branch.curve.coefficients
    if isinstance(basis, Polynomial) and branch.extrapolate == "basis":
        fitted = fit_branch(basis.unbound(), z / length, height * branch.curve(z))
        return replace(fitted, extrapolate="basis")  # the same polynomial on the range it now has
    if length < 0:  # Legendre polynomials of odd degree turn with z
        coefficients = coefficients * (-1.0) ** np.arange(1, coefficients.size + 1)
    curve = Expansion(_stretched(basis, 1 / length), coefficients)
    return replace(branch, curve=curve, estimate=None, band=None)


def _stretched(basis: Basis, factor: float) -> Basis:
    """The same functions of a z that many times as large."""
    if isinstance(basis, BSpline):
        assert basis.knots is not None
        return replace(basis, knots=tuple(factor * knot for knot in basis.knots))
    low, high = sorted(factor * end for end in basis.interval)
    return replace(basis, low=low, high=high)  # type: ignore[call-arg]


def _with_marks(d: DecoupledFunction, table: Array, y: Array) -> DecoupledFunction:
    """What the samples say of each branch, all else granted."""
    rows = np.unique(np.linspace(0, len(table) - 1, min(MARKS, len(table))).astype(int))
    z, rest = d.transform(table[rows]), (y[rows] - d(table[rows])) @ d.W
    branches = tuple(
        replace(b, estimate=np.column_stack([z[:, i], b(z[:, i]) + rest[:, i]]), band=None)
        for i, b in enumerate(d.branches)
    )
    return replace(d, branches=branches)
