"""One loop for every solver, and the record of what it did."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ..data._samples import Samples
from ._factors import Factors

STOPPED = "stopped by the callback"
NOT_UNIQUE = "W and V are not unique"
NOT_SETTLED = "It has not converged: this is the best iterate, not a minimum."
EXACT = 1e-28  # relative loss at which nothing is left but rounding


class HasLoss(Protocol):
    @property
    def loss(self) -> float: ...


AnyState = TypeVar("AnyState", bound=HasLoss)


@dataclass(frozen=True)
class Progress:
    """What a callback is told after every iteration; returning True stops the work."""

    stage: str
    task: int
    n_tasks: int
    iteration: int
    objective: float


Callback = Callable[[Progress], Any]


@dataclass(frozen=True)
class StopRule:
    """Stop when the loss fell by less than ``tolerance`` (relative) in ``patience`` iterations."""

    max_iterations: int
    tolerance: float = 1e-2
    patience: int = 8


@dataclass(frozen=True)
class Run:
    """Best iterate of one run, its relative residuals, and why it ended."""

    best: Any
    objective: tuple[float, ...]
    stop_reason: str
    converged: bool


def iterate(
    step: Callable[[AnyState], AnyState],
    state: AnyState,
    rule: StopRule,
    report: Callable[[int, float], bool] | None = None,
) -> Run:
    """Apply ``step`` until a stop rule holds; the best iterate is kept, since some steps rise."""
    best = state
    history, floor = [math.sqrt(state.loss)], [state.loss]
    for iteration in range(1, rule.max_iterations + 1):
        if best.loss <= EXACT:
            return Run(best, tuple(history), "the decomposition is exact to rounding", True)
        state = step(state)
        if not math.isfinite(state.loss):
            return Run(best, tuple(history), "an iterate was not finite; the best before it", False)
        best = state if state.loss < best.loss else best
        history.append(math.sqrt(state.loss))
        floor.append(best.loss)
        if report is not None and report(iteration, math.sqrt(best.loss)):
            return Run(best, tuple(history), STOPPED, False)
        if iteration >= rule.patience:
            before = floor[-1 - rule.patience]
            if before - best.loss <= rule.tolerance * before:
                share = f"{100 * rule.tolerance:g} %"
                reason = f"the objective fell by less than {share} in {rule.patience} iterations"
                return Run(best, tuple(history), reason, True)
    reason = f"max_iterations = {rule.max_iterations} reached while still improving"
    return Run(best, tuple(history), reason, False)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One polished start, in the user's units."""

    factors: Factors
    run: Run
    start_objectives: tuple[float, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def objective(self) -> float:
        return min(self.run.objective)


@dataclass(frozen=True, eq=False)
class Solution:
    """What the solver did.

    Attributes
    ----------
    factors : Factors
        W, V, G, z and derivatives of the chosen start, in the user's units, as the solver left
        them on the points it was given.
    objective : tuple of float
        Relative residual of the Jacobian tensor (of Jacobians and values with varpro), iteration by
        iteration.
    start_objectives : tuple of float
        Residual that each start had reached when the starts were compared, best first.
    candidates : tuple of Candidate
        The starts that were polished, best first; for the explicit method the best of each
        smoothness, in the order of the grid.
    diagnosis : str
        What the answer is worth, in a sentence.
    table : tuple
        With n_branches="auto": errors and parameters by number of branches.
    details : mapping
        More of the method; of varpro ``identified``, ``V_standard_errors`` (m, r), ``n_agreeing``,
        ``smoothing``, ``jacobian_residual`` and ``value_residual``.
    """

    method: str
    factors: Factors
    objective: tuple[float, ...]
    start_objectives: tuple[float, ...]
    candidates: tuple[Candidate, ...]
    stop_reason: str
    converged: bool
    seconds: float
    diagnosis: str
    fit_on: str = "values"
    details: Mapping[str, Any] = field(default_factory=dict)
    table: tuple[Any, ...] = ()

    @property
    def n_iterations(self) -> int:
        return len(self.objective) - 1

    @property
    def n_starts(self) -> int:
        return len(self.start_objectives)

    @property
    def title(self) -> str:
        """The method, with what it chose."""
        chosen = self.details.get("smoothness")
        return self.method if chosen is None else f"{self.method} at smoothness {chosen:.3g}"

    def __repr__(self) -> str:
        return (
            f"Solution({self.title}, residual {100 * min(self.objective):.2g} %, "
            f"{self.n_starts} starts, {self.n_iterations} iterations, {self.seconds:.2f} s: "
            f"{self.stop_reason}; {self.diagnosis})"
        )


class Solver(Protocol):
    """Anything that decomposes samples into factors."""

    def solve(self, samples: Samples, n_branches: int) -> Solution: ...
