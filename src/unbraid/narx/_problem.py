"""The least-squares problem of a refinement: simulation error on records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array
from ..dynamics._records import Record, Records
from ..dynamics._static_map import DecoupledMap
from ..errors import InvalidSamplesError
from ..model._function import DecoupledFunction
from ._lags import Lags
from ._parameters import Parametrisation
from ._simulation import SimulationCase, SimulationResult, simulate, substitute

SENSITIVITY_BLOCK = 8192  # samples whose sensitivities are in memory at once


@dataclass(frozen=True, eq=False)
class SimulationProblem:
    """Records to be matched in simulation, each after its first ``initial`` samples.

    With ``feedback`` below 1, that share of the simulated outputs is fed back and the rest is
    measured: from one-step prediction (0) to simulation (1). ``spread`` scales the outputs.
    """

    lags: Lags
    records: Sequence[Record]
    initial: int
    spread: Array
    limit: Array | float = np.inf
    feedback: float = 1.0

    def simulate(
        self,
        d: DecoupledFunction,
        guesses: Sequence[Array] | None = None,
        thorough: bool = False,
    ) -> list[SimulationResult] | None:
        """Simulate every record; None if one diverges.

        Newton starts from the guesses (default: the measured outputs). A record on which it does
        not converge counts as diverged, unless ``thorough`` asks for a second, slower attempt.
        """
        results = []
        for k, record in enumerate(self.records):
            guess = record.y if guesses is None else guesses[k]
            case = self._case(record)
            result = simulate(DecoupledMap(d), self.lags, case, guess, newton_only=True)
            if result.diverged_at is not None and thorough:
                result = simulate(DecoupledMap(d), self.lags, case)
            if result.diverged_at is not None:
                return None
            results.append(result)
        return results

    def loss(self, results: Sequence[SimulationResult] | None) -> float:
        """Weighted mean square error of the scaled outputs; infinite after divergence."""
        if results is None:
            return np.inf
        pairs = zip(self.records, results, strict=True)
        total = sum(float(np.sum(self._residual(*pair) ** 2)) for pair in pairs)
        return total / self.n_residuals

    @property
    def n_residuals(self) -> float:
        """Number of residuals, counted by their weights."""
        count = sum(float(np.sum(record.roots[self.initial :] ** 2)) for record in self.records)
        return count * self.spread.size

    def _residual(self, record: Record, result: SimulationResult) -> Array:
        """Weighted errors of the scaled outputs after the initial samples."""
        error = (result.y - record.y)[self.initial :]
        return np.asarray(record.roots[self.initial :] * error / self.spread)

    def normal_equations(
        self, form: Parametrisation, d: DecoupledFunction, results: Sequence[SimulationResult]
    ) -> tuple[Array, Array]:
        """Gauss-Newton matrix and gradient, summed over blocks of samples.

        They overflow where the simulation is chaotic.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return self._sum_normal_equations(form, d, results)

    def _sum_normal_equations(
        self, form: Parametrisation, d: DecoupledFunction, results: Sequence[SimulationResult]
    ) -> tuple[Array, Array]:
        q = form.size
        matrix, gradient = np.zeros((q, q)), np.zeros(q)
        for record, result in zip(self.records, results, strict=True):
            residual, roots = self._residual(record, result), record.roots[self.initial :]
            fed = self._case(record).mix_feedback(result.y)
            head = np.zeros((self.lags.memory, self.spread.size, q))
            for begin in range(self.initial, len(record), SENSITIVITY_BLOCK):
                end = min(begin + SENSITIVITY_BLOCK, len(record))
                table = self.lags.table(record.u, fed, begin, end)
                _, slopes = DecoupledMap(d).linearise(table, self.lags.feedback[0])
                direct = form.sensitivities(d, table)
                total = substitute(self.feedback * slopes, self.lags, direct, head)
                head = np.concatenate([head, total])[len(total) :]
                block = slice(begin - self.initial, end - self.initial)
                rows = (roots[block, :, None] * total / self.spread[:, None]).reshape(-1, q)
                matrix += rows.T @ rows
                gradient += rows.T @ residual[block].ravel()
        return matrix, gradient

    def _case(self, record: Record) -> SimulationCase:
        start = record.y[: self.initial]
        return SimulationCase(record.u, start, self.limit, record.y, self.feedback)


def make_problem(
    records: Records, lags: Lags, initial: int | None, limit: Any
) -> SimulationProblem:
    """The simulation of the records, with every output scaled by its spread."""
    first = records.check_initial(lags.longest, initial)
    spread = np.concatenate([record.y[first:] for record in records.items]).std(axis=0)
    if not any(np.any(record.roots[first:] ** 2) for record in records.items):
        raise InvalidSamplesError(
            "weights are 0 on all samples that are fitted, or on all that are held out: pass "
            "held_out=0 or other weights"
        )
    limit = records.divergence_limit if limit is None else limit
    return SimulationProblem(lags, records.items, first, np.where(spread > 0, spread, 1.0), limit)
