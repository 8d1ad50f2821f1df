"""The interface of a solver, the iteration that solvers share, and the result."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from ..bases import Basis
from ..data._samples import Samples
from ._factors import Factors
from ._status import Status
from ._uncertainty import Uncertainty

EXACT_RELATIVE_LOSS = 1e-28  # squared relative residual that is rounding


class HasLoss(Protocol):
    @property
    def loss(self) -> float: ...


AnyState = TypeVar("AnyState", bound=HasLoss)


@dataclass(frozen=True)
class Progress:
    """What a callback receives after every iteration; returning True stops the work."""

    stage: str
    task: int
    n_tasks: int
    iteration: int
    objective: float


Callback = Callable[[Progress], Any]


@dataclass(frozen=True)
class StopCriteria:
    """When an iteration ends.

    Attributes
    ----------
    max_iterations : int
    tolerance : float
        Relative decrease of the loss that counts as no progress.
    patience : int
        Iterations without progress after which it has converged.
    n_exact : int
        Starts that run together end as soon as so many of them are exact.
    n_wanted : int or None
        Starts that run together are set aside when they will not be among so many best; None lets
        all go on.
    """

    max_iterations: int
    tolerance: float = 1e-3
    patience: int = 3
    n_exact: int = 2
    n_wanted: int | None = None


@dataclass(frozen=True)
class Run:
    """Best iterate of one run, its relative residuals, and why it stopped."""

    best: Any
    objective: tuple[float, ...]
    status: Status


def iterate(
    step: Callable[[AnyState], AnyState],
    state: AnyState,
    stop: StopCriteria,
    report: Callable[[int, float], bool] | None = None,
) -> Run:
    """Apply ``step`` until a stopping criterion holds, and keep the best iterate.

    The last iterate may be worse, since some steps increase the loss.
    """
    best = state
    history, floor = [math.sqrt(state.loss)], [state.loss]
    for iteration in range(1, stop.max_iterations + 1):
        if best.loss <= EXACT_RELATIVE_LOSS:
            return Run(best, tuple(history), Status.EXACT)
        state = step(state)
        if not math.isfinite(state.loss):
            return Run(best, tuple(history), Status.NOT_FINITE)
        best = state if state.loss < best.loss else best
        history.append(math.sqrt(state.loss))
        floor.append(best.loss)
        if report is not None and report(iteration, math.sqrt(best.loss)):
            return Run(best, tuple(history), Status.STOPPED)
        if iteration >= stop.patience:
            before = floor[-1 - stop.patience]
            if before - best.loss <= stop.tolerance * before:
                return Run(best, tuple(history), Status.CONVERGED)
    exact = best.loss <= EXACT_RELATIVE_LOSS
    return Run(best, tuple(history), Status.EXACT if exact else Status.MAX_ITERATIONS)


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
    """The result of a solver, completed by the stages of the fit.

    Attributes
    ----------
    method : str
    factors : Factors
        W, V, G, z and derivatives of the chosen start, in the user's units, as the solver left
        them on the points it was given.
    objective : tuple of float
        Relative residual of the Jacobian tensor (of Jacobians and values with varpro) in every
        iteration of the last fit of the chosen start.
    status : Status
        Why the solver stopped; ``status.value`` is a message.
    start_objectives : tuple of float
        Residual that each start had reached when it was compared with others, sorted. With varpro,
        batches of starts are compared by different parts of the data.
    candidates : tuple of Candidate
        The starts that were polished, best first; for the explicit method the best of each
        smoothness, in the order of the grid. Empty: ``factors`` is the only one.
    unique : bool or None
        Whether all starts that fit equally well have the same W and V; None where unknown.
    uncertainty : Uncertainty or None
        Standard errors of V and what else the data determine, after a fit that estimates them.
    remark : str
        How far the starts agree, or what else the solver reports, as text.
    diagnosis : str
        All of the above in one sentence, written at the end of a fit.
    table : tuple
        With n_branches="auto": errors and parameters by number of branches.
    count_status : str or None
        With n_branches="auto", why no more were added: "tolerance", "accuracy" (of the model, with
        ``target=``), "knee", "complete", "no_gain", "max_branches", "max_directions",
        "too_many_parameters", "failed" or "stopped".
    basis, smoothing
        The basis that the solver worked in, and the weight of its penalty on the third derivative.
    fit_on : {"values", "derivatives"}
        What of the estimate the branches are fitted to.
    outliers : tuple of int
        Rows of the samples whose value or Jacobian looks wrong; with ``robust=True`` they were left
        out of the fit.
    details : mapping
        More of the method; of varpro ``jacobian_residual``, ``value_residual`` and ``n_agreeing``.
    """

    method: str
    factors: Factors
    objective: tuple[float, ...]
    status: Status = Status.CONVERGED
    start_objectives: tuple[float, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    seconds: float = 0.0
    unique: bool | None = None
    uncertainty: Uncertainty | None = None
    remark: str = ""
    diagnosis: str = ""
    basis: Basis | None = None
    smoothing: float = 0.0
    fit_on: Literal["values", "derivatives"] = "values"
    details: Mapping[str, Any] = field(default_factory=dict)
    table: tuple[Any, ...] = ()
    count_status: str | None = None
    outliers: tuple[int, ...] = ()

    @property
    def converged(self) -> bool:
        return self.status.converged

    @property
    def identified(self) -> bool | None:
        """Whether the data determine W and V; None where that was not estimated.

        False where equally good starts have different W and V.
        """
        if self.uncertainty is None:
            return None
        return self.uncertainty.identified and self.unique is not False

    @property
    def stop_reason(self) -> str:
        """The message of the status."""
        return self.status.value

    @property
    def n_iterations(self) -> int:
        return len(self.objective) - 1

    @property
    def n_starts(self) -> int:
        return len(self.start_objectives)

    @property
    def title(self) -> str:
        """The method, with the smoothness it chose."""
        chosen = self.details.get("smoothness")
        return self.method if chosen is None else f"{self.method} at smoothness {chosen:.3g}"

    def __repr__(self) -> str:
        return (
            f"Solution({self.title}, residual {100 * min(self.objective):.2g} %, "
            f"{self.n_starts} starts, {self.n_iterations} iterations, {self.seconds:.2f} s: "
            f"{self.stop_reason}; {self.diagnosis})"
        )


@dataclass(frozen=True)
class Capabilities:
    """What the stages of a fit may do with a solver and its result.

    A solver declares them as its attribute ``capabilities``; one that declares none gets the
    defaults, which keep its W and V as they are.

    Attributes
    ----------
    supports_warm_start : bool
        Whether it has ``with_warm_start(basis, known)``, which returns a copy that works in this
        basis (None: its own) and starts from these functions.
    postprocess : bool
        Whether the stages after it continue its fit of values and Jacobians: subsets of many
        points, selection of the basis, uncertainty, simplification.
    default_held_out : float
        Share of the points that are held out unless the user says otherwise.
    default_refine : bool
        Whether the result is refined on the values unless the user says otherwise.
    """

    supports_warm_start: bool = False
    postprocess: bool = False
    default_held_out: float = 0.0
    default_refine: bool = False


def capabilities_of(solver: Any) -> Capabilities:
    """Return what a solver or its class declares, or the defaults."""
    declared: Capabilities = getattr(solver, "capabilities", Capabilities())
    return declared


class Solver(Protocol):
    """Anything that decomposes samples into factors.

    Beside ``capabilities``, the stages of a fit read the attributes ``jacobian_weight``,
    ``value_weight``, ``weights`` and ``smoothing`` where a solver has them.
    """

    def solve(self, samples: Samples, n_branches: int) -> Solution: ...
