"""The search that the implicit and the explicit method share."""

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, replace
from typing import Any, Self

import numpy as np

from ..._typing import Array
from ...errors import DegenerateBranchError, InvalidOptionError, InvalidSamplesError
from .._base import Candidate, Run, StopCriteria, iterate
from .._constraints import BranchConstraint, detect_breaks
from .._factors import disagreement
from .._problem import Problem
from .._starts import SCREENING_POINTS, SolverOptions, run_all, select_best_runs, spawn_generators
from ._als import FilterObjective, State, make_first_state
from ._v_updates import V_UPDATES, VUpdate, relaxed_step

SCREENING_ITERATIONS = 20  # relaxed iterations before starts are compared
SLOW_PROGRESS = 1e-2  # relative decrease of the loss over some iterations
MAX_WINDOW_POINTS = 15  # points of a filter: rounding dominates the polynomial through more
MAX_DETECTION_CONDITION = 1e6  # condition number up to which J determines g' point by point


@dataclass(frozen=True, kw_only=True)
class FilteredMethod(SolverOptions):
    """Options that the filtered methods share."""

    v_update: VUpdate = "function"
    constraints: BranchConstraint | Sequence[BranchConstraint] | None = None
    moulds: InitVar[Any] = None

    def __post_init__(self, workers: int | None, moulds: Any) -> None:
        super().__post_init__(workers)
        self._take_former_option("moulds", "constraints", moulds)

    def validate(self) -> Self:
        if not isinstance(self.v_update, str) or self.v_update not in V_UPDATES:
            raise InvalidOptionError(
                f"v_update is {self.v_update!r}: choose one of {', '.join(map(repr, V_UPDATES))}"
            )
        return super().validate()


@dataclass(frozen=True)
class FilteredSearch:
    """The objective, the options, and how many of the best starts are polished."""

    objective: FilterObjective
    method: FilteredMethod
    n_polished: int = 3


@dataclass(frozen=True)
class Agreement:
    """Whether equally good starts agree on W and V (None: unknown), and a text."""

    unique: bool | None
    text: str


@dataclass(frozen=True)
class _Task:
    """One start in one stage of the search."""

    stage: str
    problem: Problem
    search: FilteredSearch
    index: int
    n_tasks: int
    W: Array
    V: Array


def search_starts(
    problem: Problem, search: FilteredSearch, **details: object
) -> tuple[list[Candidate], Agreement]:
    """Compare starts; return polished ones, best first, and their agreement.

    Where there are many points, the starts are compared and polished on few of them, and the best
    one is refined on more and more. Breaks are detected where a constraint asks for it.
    """
    _check_windows(problem, search.objective)
    method = search.method
    coarse, *finer = problem.levels(SCREENING_POINTS)
    rngs = spawn_generators(method.random_state, method.n_starts)
    rough = replace(search, objective=replace(search.objective, accuracy=1e-3))
    starts = [problem.draw_factors(rng) for rng in rngs]
    ranked = _run_stage("screen", coarse, rough, starts)
    residuals = tuple(float(np.sqrt(run.best.loss)) for run in ranked)
    runs = _run_stage("polish", coarse, search, ranked[: search.n_polished])
    agreement = _assess_agreement(runs, method.n_starts)
    for level in finer:
        runs = _run_stage("refine", level, search, runs[:1])
    cut = with_detected_breaks(problem, runs[0].best)
    if cut is not problem:  # W and V are close already: no new starts
        runs = _run_stage("polish", cut, search, runs[:1])
    return [_make_candidate(cut, run, residuals, details) for run in runs], agreement


def _run_stage(
    stage: str,
    problem: Problem,
    search: FilteredSearch,
    starts: Sequence[Run | tuple[Array, Array]],
) -> list[Run]:
    """Run a stage from W and V, or from runs; return the survivors, best first."""
    pairs = [(s.best.W, s.best.V) if isinstance(s, Run) else s for s in starts]
    tasks = [
        _Task(stage, problem, search, index, len(pairs), W, V) for index, (W, V) in enumerate(pairs)
    ]
    size = len(problem.points) * problem.n_branches
    return select_best_runs(run_all(_run_task, tasks, search.method.n_jobs, size), len(tasks))


def _run_task(task: _Task) -> Run | None:
    """Run one start; return None where a branch degenerates."""
    problem, objective, method = task.problem, task.search.objective, task.search.method
    step, rule = {
        "screen": (relaxed_step, StopCriteria(SCREENING_ITERATIONS, SLOW_PROGRESS, 8)),
        "polish": (
            V_UPDATES[method.v_update],
            StopCriteria(method.max_iterations, SLOW_PROGRESS, 8),
        ),
        "refine": (
            V_UPDATES[method.v_update],
            StopCriteria(method.max_iterations, SLOW_PROGRESS, 2),
        ),
    }[task.stage]
    report = method.make_reporter(task.stage, task.index, task.n_tasks)
    try:
        state = make_first_state(problem, objective, task.W, task.V)
        return iterate(lambda s: step(problem, objective, s), state, rule, report)
    except (DegenerateBranchError, ArithmeticError, np.linalg.LinAlgError):
        if getattr(method.callback, "failed", False):
            raise
        return None


def _assess_agreement(runs: Sequence[Run], n_starts: int) -> Agreement:
    """Compare W and V of the starts that fit equally well."""
    best = runs[0].best
    if len(runs) == 1:
        return Agreement(None, f"the best of {n_starts} starts was polished")
    residuals = [100 * float(np.sqrt(run.best.loss)) for run in runs]
    equal = [run.best for run in runs if run.best.loss <= 1.5 * best.loss + 1e-16]
    agree = sum(disagreement(best, other) < 0.05 for other in equal)
    verdict = "" if agree == len(equal) else "W and V are not unique: "
    text = (
        f"{verdict}of the {len(runs)} best of {n_starts} starts {len(equal)} are equally good and "
        f"{agree} of these agree on W and V; residuals {min(residuals):.2g} to "
        f"{max(residuals):.2g} %"
    )
    return Agreement(agree == len(equal), text)


def _check_windows(problem: Problem, objective: FilterObjective) -> None:
    longest = max(filter_.points for filter_ in (*objective.data, *objective.penalty))
    if len(problem.points) < longest:
        raise InvalidSamplesError(
            f"{len(problem.points)} points are fewer than the {longest} in a filter's window; "
            f"use more points or shorter windows"
        )
    if longest > MAX_WINDOW_POINTS:
        raise InvalidOptionError(
            f"a polynomial through the {longest} points of a filter's window oscillates: "
            f"use at most {MAX_WINDOW_POINTS}, better 3 to 7"
        )


def _make_candidate(
    problem: Problem, run: Run, residuals: tuple[float, ...], details: dict[str, object]
) -> Candidate:
    state: State = run.best
    derivatives = state.mean_derivatives.T
    factors, order = problem.factors(state.W, state.V, state.values, derivatives)
    details = {**details, "constraints": tuple(problem.constraints[i] for i in order)}
    return Candidate(factors, replace(run, best=None), residuals, details)


def with_detected_breaks(problem: Problem, state: State) -> Problem:
    """Replace breaks="detect" by places; return the same problem if none."""
    if not any(constraint.breaks == "detect" for constraint in problem.constraints):
        return problem
    derivatives = estimate_pointwise_derivatives(problem, state)
    constraints = []
    for i, constraint in enumerate(problem.constraints):
        if constraint.breaks == "detect":
            axis = problem.axis(i, state.V[:, i])
            places = detect_breaks(axis, axis.mean_over_ties(derivatives[i]))
            factor, shift = problem.user_direction(state.V[:, i])
            breaks = tuple((place - shift) / factor for place in places)
            constraint = replace(constraint, breaks=breaks)
        constraints.append(constraint)
    return replace(problem, constraints=tuple(constraints))


def estimate_pointwise_derivatives(problem: Problem, state: State) -> Array:
    """Return g' (r, N) at every point from its own Jacobian: no filter blurs a jump.

    Where the Jacobian does not determine it, the filtered derivatives are returned.
    """
    mixing = (state.V.T @ state.V) * (state.W.T @ state.W)
    if np.linalg.cond(mixing) > MAX_DETECTION_CONDITION:
        return state.mean_derivatives
    target = np.einsum("kol,oi,li->ik", problem.jacobians, state.W, state.V, optimize=True)
    return np.asarray(np.linalg.solve(mixing, target))
