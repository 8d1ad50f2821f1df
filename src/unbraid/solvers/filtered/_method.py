"""Filtered tensor decomposition from many starts: what the implicit and explicit methods share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..._typing import Array
from ...errors import DegenerateBranch, InvalidOption, InvalidSamples
from .._base import Candidate, Run, StopRule, iterate
from .._constraints import Mould, detect_breaks
from .._factors import disagreement
from .._problem import Problem
from .._starts import Options, best_runs, generators, run_all
from ._als import Objective, State, start
from ._v_updates import STEPS, VUpdate, relaxed_step

WARM_UP = 20  # relaxed iterations before starts are compared
COARSE = 500  # points on which starts are compared and first polished
MOST_WINDOW = 15  # points: the polynomial through more of them is all rounding
REFINEMENT = 8  # times more points a level


@dataclass(frozen=True, kw_only=True)
class FilteredMethod(Options):
    """Options that the filtered methods share."""

    v_update: VUpdate = "function"
    moulds: Mould | Sequence[Mould] | None = None

    def prepared(self) -> Self:
        if not isinstance(self.v_update, str) or self.v_update not in STEPS:
            raise InvalidOption(
                f"v_update is {self.v_update!r}: choose one of {', '.join(map(repr, STEPS))}"
            )
        return super().prepared()


@dataclass(frozen=True)
class Search:
    """What is minimised, how, and how many of the best starts are polished."""

    objective: Objective
    method: FilteredMethod
    n_polished: int = 3


@dataclass(frozen=True)
class Found:
    """Runs on all points, best first, and what the starts before them said."""

    runs: list[Run]
    start_objectives: tuple[float, ...]
    agreement: str


@dataclass(frozen=True)
class _Task:
    problem: Problem
    search: Search
    index: int
    n_tasks: int
    stage: str
    W: Array
    V: Array


def search_starts(problem: Problem, search: Search) -> Found:
    """Compare many starts, polish the best.

    Where there are many points, the starts are compared and polished on few of them; the best is
    then carried to more and more.
    """
    method = search.method
    coarse, *finer = levels(problem)
    begins = [_begin(problem, rng) for rng in generators(method.random_state, method.n_starts)]
    rough = replace(search, objective=replace(search.objective, accuracy=1e-3))
    ranked = best_runs(_stage("screen", _screen, coarse, rough, begins), method.n_starts)
    residuals = tuple(float(np.sqrt(run.best.loss)) for run in ranked)
    chosen = [(run.best.W, run.best.V) for run in ranked[: search.n_polished]]
    runs = best_runs(_stage("polish", _polish, coarse, search, chosen), len(chosen))
    agreement = _agreement(runs, method.n_starts)
    for level in finer:
        best = [(runs[0].best.W, runs[0].best.V)]
        runs = best_runs(_stage("refine", _refine, level, search, best), 1)
    return Found(runs, residuals, agreement)


def _agreement(runs: Sequence[Run], n_starts: int) -> str:
    """How far the polished starts agree, in words."""
    best = runs[0].best
    if len(runs) == 1:
        return f"the best of {n_starts} starts was polished"
    residuals = [100 * float(np.sqrt(run.best.loss)) for run in runs]
    equal = [run.best for run in runs if run.best.loss <= 1.5 * best.loss + 1e-16]
    agree = sum(disagreement(best, other) < 0.05 for other in equal)
    verdict = "" if agree == len(equal) else "W and V are not unique: "
    return (
        f"{verdict}of the {len(runs)} best of {n_starts} starts {len(equal)} are equally good and "
        f"{agree} of these agree on W and V; residuals {min(residuals):.2g} to "
        f"{max(residuals):.2g} %"
    )


def _stage(
    stage: str,
    function: Callable[[_Task], Run | None],
    problem: Problem,
    search: Search,
    begins: Sequence[tuple[Array, Array]],
) -> list[Run | None]:
    tasks = [
        _Task(problem, search, index, len(begins), stage, W, V)
        for index, (W, V) in enumerate(begins)
    ]
    size = problem.points.shape[0] * problem.n_branches
    return run_all(function, tasks, search.method.n_jobs, size)


def levels(problem: Problem) -> list[Problem]:
    """The problem on ever more of its points, spread evenly over the record; last on all."""
    n_points = problem.points.shape[0]
    sizes = []
    size = COARSE
    while size * 2 < n_points:
        sizes.append(size)
        size *= REFINEMENT
    rows = [np.unique(np.linspace(0, n_points - 1, size).astype(np.intp)) for size in sizes]
    return [problem.subset(chosen) for chosen in rows] + [problem]


def _begin(problem: Problem, rng: np.random.Generator) -> tuple[Array, Array]:
    _, n, m = problem.shape
    W = rng.standard_normal((n, problem.n_branches))
    return W, rng.standard_normal((m, problem.n_branches))


def _screen(task: _Task) -> Run | None:
    return _run(task, relaxed_step, StopRule(WARM_UP))


def _polish(task: _Task) -> Run | None:
    return _run(
        task, STEPS[task.search.method.v_update], StopRule(task.search.method.max_iterations)
    )


def _refine(task: _Task) -> Run | None:
    """W and V come from fewer points: a few iterations are enough."""
    method = task.search.method
    return _run(task, STEPS[method.v_update], StopRule(method.max_iterations, patience=2))


def _run(
    task: _Task, step: Callable[[Problem, Objective, State], State], rule: StopRule
) -> Run | None:
    problem, objective = task.problem, task.search.objective
    report = task.search.method.reporter(task.stage, task.index, task.n_tasks)
    try:
        state = start(problem, objective, task.W, task.V)
        return iterate(lambda s: step(problem, objective, s), state, rule, report)
    except (DegenerateBranch, ArithmeticError, np.linalg.LinAlgError):
        if getattr(task.search.method.callback, "failed", False):
            raise
        return None


def candidates(problem: Problem, search: Search, **details: object) -> tuple[list[Candidate], str]:
    """Polished starts in the user's units, best first, and how far they agree.

    Breaks are detected where asked for.
    """
    _check_windows(problem, search.objective)
    found = search_starts(problem, search)
    runs = found.runs
    cut = with_detected_breaks(problem, runs[0].best)
    if cut is not problem:  # branches keep their places: go on from here, no new starts
        begin = [(runs[0].best.W, runs[0].best.V)]
        runs = best_runs(_stage("polish", _polish, cut, search, begin), 1)
    polished = [_candidate(cut, run, found.start_objectives, details) for run in runs]
    return polished, found.agreement


def _check_windows(problem: Problem, objective: Objective) -> None:
    longest = max(filter_.points for filter_ in (*objective.data, *objective.penalty))
    if problem.points.shape[0] < longest:
        raise InvalidSamples(
            f"{problem.points.shape[0]} points are fewer than the {longest} in a filter's window; "
            f"use more points or shorter windows"
        )
    if longest > MOST_WINDOW:
        raise InvalidOption(
            f"a polynomial through the {longest} points of a filter's window swings between them: "
            f"use at most {MOST_WINDOW}, better 3 to 7"
        )


def _candidate(
    problem: Problem, run: Run, residuals: tuple[float, ...], details: dict[str, object]
) -> Candidate:
    state: State = run.best
    derivatives = state.mean_derivatives.T
    factors, order = problem.factors(state.W, state.V, state.values, derivatives)
    moulds = tuple(problem.moulds[i] for i in order)
    return Candidate(factors, replace(run, best=None), residuals, {**details, "moulds": moulds})


def with_detected_breaks(problem: Problem, state: State) -> Problem:
    """The problem with its moulds' breaks="detect" filled in; itself if nothing was asked."""
    moulds = list(problem.moulds)
    if not any(mould.breaks == "detect" for mould in moulds):
        return problem
    derivatives = pointwise_derivatives(problem, state)
    for i, mould in enumerate(moulds):
        if mould.breaks != "detect":
            continue
        axis = problem.axis(i, state.V[:, i])
        places = detect_breaks(axis, axis.mean_over_ties(derivatives[i]))
        factor, shift = problem.user_direction(state.V[:, i])
        moulds[i] = Mould(tuple((place - shift) / factor for place in places), mould.limits)
    return replace(problem, moulds=tuple(moulds))


def pointwise_derivatives(problem: Problem, state: State) -> Array:
    """g' at every point on its own (no filter blurs a jump), where W and V allow it; (r, N)."""
    mixing = (state.V.T @ state.V) * (state.W.T @ state.W)
    if np.linalg.cond(mixing) > 1e6:
        return state.mean_derivatives
    target = np.einsum("kol,oi,li->ik", problem.jacobians, state.W, state.V, optimize=True)
    return np.asarray(np.linalg.solve(mixing, target))
