"""The least-squares problem of an estimation: simulation error on records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from .._typing import Array, Mask
from ..dynamics._records import Record
from ._simulation import StateRun, Transition, propagate, simulate_states

SENSITIVITY_WINDOW = 512  # samples whose sensitivities are in memory at once, at most
SENSITIVITY_ENTRIES = 1 << 18  # of such a window, about: they fit the cache
SMALLEST_SENSITIVITY_WINDOW = 128  # samples; calls cost more than the cache saves on fewer
STATE_LIMIT = 1e4  # states beyond it mean divergence; they have unit variance at the start


class Parameters(Protocol):
    """A static map [x; u] to [next x; y] as a function of a vector of parameters."""

    @property
    def size(self) -> int: ...

    @property
    def free(self) -> Mask: ...

    def pack(self) -> Array: ...

    def unpack(self, parameters: Array) -> Any: ...

    def sensitivities(self, system: Any, table: Array, n_more: int = 0) -> Array:
        """Derivatives of the values by the parameters, and columns of zeros for others."""


@dataclass(frozen=True, eq=False)
class StateSpaceProblem:
    """Records to be matched in simulation, from the first sample on.

    Every record has its own unknown initial state, and no sample is skipped: an initial state
    without effect on the cost would grow without bound. The unknowns are the parameters of the
    map, then the initial states. The outputs are normalised, and clipped to ``bounds`` where a
    sensor saturates.
    """

    records: Sequence[Record]
    held_out: Sequence[Mask] = ()  # which samples of every record are not fitted; empty: none
    bounds: tuple[Array, Array] | None = None
    fixed_initial: bool = False  # whether the initial states stay as they are

    @property
    def n_outputs(self) -> int:
        return int(self.records[0].y.shape[1])

    @property
    def n_values(self) -> int:
        """Number of fitted values of the outputs."""
        return self.n_outputs * sum(int(np.count_nonzero(fitted)) for fitted in self.fitted)

    @property
    def fitted(self) -> list[Mask]:
        """Which samples of every record are fitted."""
        if self.held_out:
            return [~mask for mask in self.held_out]
        return [np.ones(len(record), dtype=bool) for record in self.records]

    def shorten(self, n_samples: int) -> StateSpaceProblem:
        """The first samples of the records."""
        records, left = [], n_samples
        for record in self.records:
            if left > 0:
                records.append(record.segment(0, min(len(record), left)))
                left -= len(records[-1])
        pairs = zip(records, self.held_out, strict=False)
        held_out = tuple(mask[: len(record)] for record, mask in pairs)
        return replace(self, records=tuple(records), held_out=held_out)

    def simulate(
        self,
        system: Transition,
        initial: Array,
        guesses: Sequence[Array] | None = None,
        thorough: bool = False,
        ceiling: float = np.inf,
    ) -> list[StateRun] | None:
        """Simulate every record from its initial state; None if one diverges.

        Also None as soon as the loss is known to exceed the ceiling.
        """
        runs = []
        budget = _LossBudget(self, ceiling * self._count())
        for k, (record, fitted) in enumerate(zip(self.records, self.fitted, strict=True)):
            guess = None if guesses is None else guesses[k]
            run = simulate_states(
                system,
                record.u,
                initial[k],
                self.n_outputs,
                guess,
                STATE_LIMIT,
                not thorough,
                partial(budget.is_spent, record, fitted) if np.isfinite(ceiling) else None,
            )
            if run.diverged_at is not None:
                return None
            runs.append(run)
        return runs

    def _count(self) -> float:
        """Sum of the weights of all fitted values."""
        pairs = zip(self.records, self.fitted, strict=True)
        return self.n_outputs * sum(float(np.sum(r.roots[mask] ** 2)) for r, mask in pairs)

    def loss(self, runs: Sequence[StateRun]) -> float:
        """Weighted mean square error of the fitted samples."""
        return self._mean_square(runs, self.fitted)

    def held_out_loss(self, runs: Sequence[StateRun]) -> float:
        """The same of the held-out samples; that of the fitted ones where there are none."""
        return self._mean_square(runs, self.held_out or self.fitted)

    def held_out_errors(self, runs: Sequence[StateRun]) -> Array:
        """Squared errors (N, n_y) of the held-out (or else all) samples."""
        masks = self.held_out or self.fitted
        pairs = zip(self.residuals(runs), masks, strict=True)
        return np.concatenate([residual[mask] ** 2 for residual, mask in pairs])

    def residuals(self, runs: Sequence[StateRun]) -> list[Array]:
        """Weighted errors of every record, (T, n_y)."""
        pairs = zip(self.records, runs, strict=True)
        return [self._residual(record, run) for record, run in pairs]

    def _mean_square(self, runs: Sequence[StateRun], masks: Sequence[Mask]) -> float:
        total = count = 0.0
        for record, run, mask in zip(self.records, runs, masks, strict=True):
            total += float(np.sum(self._residual(record, run)[mask] ** 2))
            count += float(np.sum(record.roots[mask] ** 2))
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
        for k, (record, run, mask) in enumerate(zip(self.records, runs, self.fitted, strict=True)):
            columns = np.r_[: form.size, form.size + k * n : form.size + (k + 1) * n]
            residual = self._residual(record, run)[mask]
            part, slope = np.zeros((columns.size,) * 2), np.zeros(columns.size)
            begin = 0
            for window, sensitivities in self.sensitivities(form, system, record, run):
                rows = sensitivities[mask[window]].reshape(-1, columns.size)
                end = begin + len(rows) // self.n_outputs
                part += rows.T @ rows
                slope += rows.T @ residual[begin:end].ravel()
                begin = end
            matrix[np.ix_(columns, columns)] += part
            gradient[columns] += slope
            count += float(np.sum(record.roots[mask] ** 2)) * self.n_outputs
        return matrix / max(count, 1e-300), gradient / max(count, 1e-300)

    def sensitivities(
        self, form: Parameters, system: Transition, record: Record, run: StateRun
    ) -> Iterator[tuple[slice, Array]]:
        """Yield windows of samples and the derivatives of their outputs (N, n_y, q).

        Columns are the parameters and the initial state of the record.
        """
        n = run.x.shape[1]
        states = np.arange(n)
        head = np.zeros((n, form.size + n))
        head[states, form.size + states] = 1.0
        for window in split_windows(len(record), (n + self.n_outputs) * (form.size + n)):
            table = np.concatenate([run.x[window], record.u[window]], axis=1)
            _, slopes = system.linearise(table, states)
            derivatives = form.sensitivities(system, table, n)
            head = propagate(slopes, derivatives, head)
            yield window, derivatives[:, n:] * self.gain(record, run, window)[:, :, None]

    def gain(self, record: Record, run: StateRun, window: slice) -> Array:
        """Derivatives of the residuals by the simulated outputs of some samples."""
        roots = np.broadcast_to(record.roots[window], run.y[window].shape)
        if self.bounds is None:
            return roots
        low, high = self.bounds
        return np.asarray(roots * ((run.y[window] > low) & (run.y[window] < high)))


@dataclass(eq=False)
class _LossBudget:
    """Squared errors that a simulation may still have."""

    problem: StateSpaceProblem
    left: float

    def is_spent(self, record: Record, fitted: Mask, window: slice, y: Array) -> bool:
        """Count the errors of a window; true if more than the budget is spent."""
        error = record.roots[window] * (self.problem.clip(y) - record.y[window])
        self.left -= float(np.sum(error[fitted[window]] ** 2))
        return self.left < 0


def split_windows(n_samples: int, n_entries: int) -> Iterator[slice]:
    """Windows of samples with so many sensitivities each that they fit the cache.

    >>> [window.start for window in split_windows(1300, 100)]
    [0, 512, 1024]
    """
    fitting = max(SENSITIVITY_ENTRIES // n_entries, SMALLEST_SENSITIVITY_WINDOW)
    step = min(fitting, SENSITIVITY_WINDOW)
    for begin in range(0, n_samples, step):
        yield slice(begin, min(begin + step, n_samples))


def hold_out_blocks(n_samples: int, share: float, n_blocks: int) -> Mask:
    """Blocks of samples at even distances along a record that are not fitted.

    The last block ends with the record: no later sample shows where the simulation should be.

    >>> hold_out_blocks(10, 0.2, 2).nonzero()[0].tolist()
    [4, 9]
    """
    position = (np.arange(n_samples) + 0.5) * n_blocks / n_samples % 1.0
    return np.asarray(position > 1 - share)
