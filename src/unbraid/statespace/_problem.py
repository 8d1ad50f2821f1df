"""The least-squares problem of an estimation: simulation error on records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from .._typing import Array, Mask
from ..dynamics._records import Record
from ._simulation import StateRun, Transition, simulate_states, solve_recursion

SENSITIVITY_WINDOW = 512  # samples whose sensitivities are in memory at once: they fit the cache
STATE_LIMIT = 1e4  # states beyond it mean divergence; they have unit variance at the start


class Parameters(Protocol):
    """A static map [x; u] to [next x; y] as a function of a vector of parameters."""

    @property
    def size(self) -> int: ...

    @property
    def free(self) -> Mask: ...

    def pack(self) -> Array: ...

    def unpack(self, parameters: Array) -> Any: ...

    def sensitivities(self, system: Any, table: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class StateSpaceProblem:
    """Records to be matched in simulation, from the first sample on.

    Every record has its own unknown initial state, and no sample is skipped: an initial state
    without effect on the cost would grow without bound. The unknowns are the parameters of the
    map, then the initial states. The outputs are normalised, and clipped to ``bounds`` where a
    sensor saturates.
    """

    records: Sequence[Record]
    cuts: Sequence[int] = ()  # first held-out sample of every record; empty: all are fitted
    bounds: tuple[Array, Array] | None = None
    fixed_initial: bool = False  # whether the initial states stay as they are

    @property
    def n_outputs(self) -> int:
        return int(self.records[0].y.shape[1])

    @property
    def fit_ends(self) -> list[int]:
        """Number of fitted samples of every record."""
        return list(self.cuts) or [len(record) for record in self.records]

    def shorten(self, n_samples: int) -> StateSpaceProblem:
        """The first samples of the records, all of which are fitted."""
        records, left = [], n_samples
        for record, end in zip(self.records, self.fit_ends, strict=True):
            if left > 0:
                records.append(record.segment(0, min(end, left)))
                left -= len(records[-1])
        return replace(self, records=tuple(records), cuts=())

    def simulate(
        self,
        system: Transition,
        initial: Array,
        guesses: Sequence[Array] | None = None,
        thorough: bool = False,
    ) -> list[StateRun] | None:
        """Simulate every record from its initial state; None if one diverges."""
        runs = []
        for k, record in enumerate(self.records):
            guess = None if guesses is None else guesses[k]
            run = simulate_states(
                system, record.u, initial[k], self.n_outputs, guess, STATE_LIMIT, not thorough
            )
            if run.diverged_at is not None:
                return None
            runs.append(run)
        return runs

    def loss(self, runs: Sequence[StateRun]) -> float:
        """Weighted mean square error of the fitted samples."""
        parts = [(0, end) for end in self.fit_ends]
        return self._mean_square(runs, parts)

    def held_out_loss(self, runs: Sequence[StateRun]) -> float:
        """The same of the held-out samples; that of the fitted ones where there are none."""
        if not self.cuts:
            return self.loss(runs)
        parts = [(cut, len(r)) for cut, r in zip(self.cuts, self.records, strict=True)]
        return self._mean_square(runs, parts)

    def held_out_errors(self, runs: Sequence[StateRun]) -> Array:
        """Squared errors of the held-out (or else all) samples, for standard errors."""
        begins = self.cuts or [0] * len(self.records)
        errors = [
            np.mean(self._residual(record, run)[begin:] ** 2, axis=1)
            for record, run, begin in zip(self.records, runs, begins, strict=True)
        ]
        return np.concatenate(errors)

    def _mean_square(self, runs: Sequence[StateRun], parts: Sequence[tuple[int, int]]) -> float:
        total = count = 0.0
        for record, run, (begin, end) in zip(self.records, runs, parts, strict=True):
            total += float(np.sum(self._residual(record, run)[begin:end] ** 2))
            count += float(np.sum(record.roots[begin:end] ** 2))
        return total / max(count * self.n_outputs, 1e-300)

    def _residual(self, record: Record, run: StateRun) -> Array:
        return np.asarray(record.roots * (self.clip(run.y) - record.y))

    def clip(self, y: Array) -> Array:
        """Outputs as the saturated sensors show them."""
        return y if self.bounds is None else np.clip(y, *self.bounds)

    def normal_equations(
        self, form: Parameters, system: Transition, runs: Sequence[StateRun]
    ) -> tuple[Array, Array]:
        """Gauss-Newton matrix and gradient of half the loss, by parameters and states."""
        n = runs[0].x.shape[1]
        size = form.size + n * len(self.records)
        matrix, gradient = np.zeros((size, size)), np.zeros(size)
        count = 0.0
        for k, (record, run, end) in enumerate(zip(self.records, runs, self.fit_ends, strict=True)):
            columns = np.r_[: form.size, form.size + k * n : form.size + (k + 1) * n]
            residual = self._residual(record, run)
            part, slope = np.zeros((columns.size,) * 2), np.zeros(columns.size)
            for begin, rows in self._sensitivities(form, system, record, run, end):
                stop = begin + len(rows) // self.n_outputs
                part += rows.T @ rows
                slope += rows.T @ residual[begin:stop].ravel()
            matrix[np.ix_(columns, columns)] += part
            gradient[columns] += slope
            count += float(np.sum(record.roots[:end] ** 2)) * self.n_outputs
        return matrix / max(count, 1e-300), gradient / max(count, 1e-300)

    def _sensitivities(
        self, form: Parameters, system: Transition, record: Record, run: StateRun, end: int
    ) -> Any:
        """Yield the first sample and the rows of the Jacobian, window by window."""
        n = run.x.shape[1]
        states = np.arange(n)
        head = np.zeros((n, form.size + n))
        head[states, form.size + states] = 1.0
        for begin in range(0, end, SENSITIVITY_WINDOW):
            window = slice(begin, min(begin + SENSITIVITY_WINDOW, end))
            table = np.concatenate([run.x[window], record.u[window]], axis=1)
            _, slopes = system.linearise(table, states)
            direct = np.zeros((len(table), n + self.n_outputs, form.size + n))
            direct[:, :, : form.size] = form.sensitivities(system, table)
            total = solve_recursion(slopes[:, :n], direct[:, :n], head)
            head = total[-1]
            rows = direct[:, n:] + slopes[:, n:] @ total[:-1]
            rows *= record.roots[window, :, None]
            if self.bounds is not None:
                low, high = self.bounds
                inside = (run.y[window] > low) & (run.y[window] < high)
                rows *= inside[:, :, None]
            yield begin, rows.reshape(-1, rows.shape[2])
