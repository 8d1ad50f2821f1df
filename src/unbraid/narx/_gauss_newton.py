"""Gauss-Newton on the simulation error, and a way in for models that run off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from ..model._function import DecoupledFunction
from ._lags import Lags
from ._layout import Layout
from ._records import Record
from ._simulation import Run, Setting, simulate, substitute
from ._static_map import Decoupled

ROWS = 8192  # samples whose sensitivities are held at once
MOST_DAMPING = 1e8
NO_EFFECT = 1e-7  # of a number on the outputs, beside the largest effect
LOST = 0.3  # rms error, in spreads of y, from which a start is led in through less feedback
CLOSER = 0.3  # how much nearer to full feedback each next stage is
NEARLY = 1e-3  # feedback of 1 less this is as good as 1, for the next stage
STAGE_STEPS, STAGE_GAIN, MOST_STAGES = 25, 1e-2, 40

Report = Callable[[float, DecoupledFunction], bool]  # told the loss after a step; True stops


@dataclass(frozen=True, eq=False)
class Task:
    """Records to be met in simulation, each from its first ``initial`` samples on.

    With ``feedback`` below 1, that share of the simulated outputs is fed back and the rest is
    measured: from one-step prediction (0) to simulation (1).
    """

    lags: Lags
    records: Sequence[Record]
    initial: int
    spread: Array
    limit: Array | float = np.inf
    feedback: float = 1.0

    def runs(
        self,
        d: DecoupledFunction,
        guesses: Sequence[Array] | None = None,
        thorough: bool = False,
    ) -> list[Run] | None:
        """Every record simulated, or None where one runs off.

        From guesses that are near (by default what was measured) this is quick, and a run that does
        not settle from there counts as run off, unless it is to be thorough.
        """
        found = []
        for k, record in enumerate(self.records):
            guess = record.y if guesses is None else guesses[k]
            setting = self._setting(record)
            run = simulate(Decoupled(d), self.lags, setting, guess, near=True)
            if run.diverged_at is not None and thorough:
                run = simulate(Decoupled(d), self.lags, setting)
            if run.diverged_at is not None:
                return None
            found.append(run)
        return found

    def loss(self, runs: Sequence[Run] | None) -> float:
        """Mean square error of all outputs, in their spreads; infinite where one has run off."""
        if runs is None:
            return np.inf
        total = sum(float(np.sum(self._miss(k, run) ** 2)) for k, run in enumerate(runs))
        count = sum(float(np.sum(self._roots(k) ** 2)) for k in range(len(self.records)))
        return total / (count * self.spread.size)

    def _roots(self, k: int) -> Array:
        """Square roots of the weights of a record after its initial samples, (T - initial, 1)."""
        roots = self.records[k].roots
        if roots is None:
            return np.ones((len(self.records[k]) - self.initial, 1))
        return roots[self.initial :, None]

    def _miss(self, k: int, run: Run) -> Array:
        """Errors of a record after its initial samples, in spreads, weighted."""
        error = (run.y - self.records[k].y)[self.initial :]
        return np.asarray(self._roots(k) * error / self.spread)

    def normal_equations(
        self, layout: Layout, d: DecoupledFunction, runs: Sequence[Run]
    ) -> tuple[Array, Array]:
        """Gauss-Newton matrix and gradient, a window of sensitivities at a time."""
        q = layout.size
        matrix, gradient = np.zeros((q, q)), np.zeros(q)
        for k, (run, record) in enumerate(zip(runs, self.records, strict=True)):
            miss, roots = self._miss(k, run), self._roots(k)
            fed = self._setting(record).fed_back(run.y)
            head = np.zeros((self.lags.memory, self.spread.size, q))
            for begin in range(self.initial, len(record), ROWS):
                end = min(begin + ROWS, len(record))
                table = self.lags.table(record.u, fed, begin, end)
                _, slopes = Decoupled(d).linearised(table, self.lags.feedback[0])
                direct = layout.sensitivities(d, table)
                total = substitute(self.feedback * slopes, self.lags, direct, head)
                head = np.concatenate([head, total])[len(total) :]
                here = slice(begin - self.initial, end - self.initial)
                rows = (roots[here, :, None] * total / self.spread[:, None]).reshape(-1, q)
                matrix += rows.T @ rows
                gradient += rows.T @ miss[here].ravel()
        return matrix, gradient

    def _setting(self, record: Record) -> Setting:
        return Setting(record.u, record.y[: self.initial], self.limit, record.y, self.feedback)


@dataclass(frozen=True)
class Patience:
    """Stop after so many steps, or when ``tries`` in a row gain less than ``tolerance``."""

    max_iterations: int
    tolerance: float = 1e-4
    tries: int = 3


def minimise(
    task: Task,
    layout: Layout,
    numbers: Array,
    runs: Sequence[Run],
    patience: Patience,
    report: Report | None = None,
) -> tuple[Array, bool]:
    """Levenberg-Marquardt from numbers and their runs: where it ended, and whether it settled."""
    d = layout.unpack(numbers)
    loss, damping, quiet = task.loss(runs), 1e-3, 0
    for _ in range(patience.max_iterations):
        matrix, gradient = task.normal_equations(layout, d, runs)
        while True:
            trial = numbers - _damped_step(layout, matrix, gradient, damping)
            function = layout.unpack(trial)
            trial_runs = task.runs(function, [run.y for run in runs])
            trial_loss = task.loss(trial_runs)
            if trial_loss < loss and trial_runs is not None:
                break
            damping *= 6
            if damping > MOST_DAMPING:
                return numbers, True
        damping = max(damping / 8, 1e-12)
        quiet = quiet + 1 if 1 - trial_loss / loss < patience.tolerance else 0
        numbers, d, runs, loss = trial, function, trial_runs, trial_loss
        if report is not None and report(loss, d):
            return numbers, False
        if quiet >= patience.tries or loss == 0:
            return numbers, True
    return numbers, False


def _damped_step(layout: Layout, matrix: Array, gradient: Array, damping: float) -> Array:
    """A step that leaves alone what has no effect on the records."""
    units = layout.units
    size = units * np.sqrt(np.maximum(np.diag(matrix), 0.0))
    size = np.maximum(size, NO_EFFECT * size.max() + 1e-300) / units
    scaled = matrix / size[:, None] / size
    scaled[np.diag_indices_from(scaled)] += damping + 1e-14
    return np.asarray(np.linalg.solve(scaled, gradient / size) / size)


def steadied(task: Task, layout: Layout, numbers: Array) -> tuple[Array, tuple[float, ...]]:
    """Numbers whose simulation does not run off, and the feedbacks gone through to get there.

    One-step prediction cannot run off; from there the feedback is raised stage by stage, each
    stage fitted before the next, and by less where the next one would run off. The last feedback
    is 1 where that worked.
    """
    stages: list[float] = []
    feedback, share = 0.0, CLOSER
    stage = Patience(STAGE_STEPS, STAGE_GAIN, 2)
    while len(stages) < MOST_STAGES:
        at = replace(task, feedback=feedback)
        runs = at.runs(layout.unpack(numbers))
        if runs is not None:
            numbers, _ = minimise(at, layout, numbers, runs, stage)
            stages.append(feedback)
            share = CLOSER
            if feedback == 1.0:
                break
        else:
            share = 0.5 * (1 + share)
            if not stages or share > 0.99:
                break
        ahead = 1 - share * (1 - stages[-1])
        feedback = 1.0 if 1 - ahead < NEARLY else ahead
    return numbers, tuple(stages)
