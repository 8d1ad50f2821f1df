"""Decoupled equations from a linear model and random branches without weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Array
from .._util.parallel import run_unordered
from .._util.progress import report_progress
from ..bases import Basis, Polynomial, SignedSquare
from ..dynamics._levenberg_marquardt import DescentSettings
from ..dynamics._refinement import RefinementStatus
from ..errors import DivergenceError
from ..model._branch import Extrapolate
from ._branches import BranchKind, add_random_branches, trajectory, with_new_basis
from ._descent import EstimationResult, descend
from ._equations import Equations
from ._growth import grow, propose_branches
from ._parameters import EquationParameters
from ._problem import StateSpaceProblem


@dataclass(frozen=True)
class StartSettings:
    """How many starts are tried, for how long, and on how many samples."""

    screening_iterations: int = 15  # of every start
    n_kept: int = 2  # best starts that go on
    start_iterations: int = 45  # of those, with the simple bases
    basis_iterations: int = 25  # with the requested basis, on the short records
    most_repetitions: float = 4.0  # times so many iterations, where the records are shorter still
    long_iterations: int = 20  # with the requested basis, on longer records
    final_iterations: int = 12  # on all samples
    short_samples: int = 8192
    long_samples: int = 30_000
    start_widening: float = 1.5  # range of the simple bases over that of z
    tolerance: float = 5e-4  # relative decrease of the loss that counts as progress
    growth_samples: int = 8192  # on which a grown branch is refined
    growth_rounds: tuple[int, ...] = (20, 20, 20)  # iterations; a plateau may precede the descent
    growth_reduction: int = 3  # one in so many grown models goes on after a round
    growth_tolerance: float = 1e-4
    proposal_ratio: float = 0.3  # of the gain to the largest one: proposals below are left out

    def iterations_in_basis(self, problem: StateSpaceProblem) -> int:
        """Iterations with the requested basis: more where a step is cheap.

        Models that have not converged miss what fewer branches and states could explain.
        """
        repetitions = self.short_samples / max(sum(map(len, problem.records)), 1)
        return int(self.basis_iterations * min(max(repetitions, 1.0), self.most_repetitions))


@dataclass(frozen=True, eq=False)
class ModelForm:
    """What is fixed during a search: basis, extrapolation, feedthrough, ridge.

    The ridge is relative to that of a prior of unit variance. Finer bases, one after the other,
    replace the basis while that lowers the held-out error.
    """

    basis: Basis
    extrapolate: Extrapolate
    feedthrough: bool = True
    ridge: float = 1.0
    finer_bases: tuple[Basis, ...] = ()

    @property
    def kind(self) -> BranchKind:
        return BranchKind(self.basis, extrapolate=self.extrapolate)

    def start_kinds(self, widening: float) -> list[BranchKind]:
        """Simple bases for the first steps: the requested one if it is simple."""
        simple: list[Basis] = [Polynomial(3), SignedSquare()]
        if isinstance(self.basis, SignedSquare) or (
            isinstance(self.basis, Polynomial) and self.basis.degree <= 3
        ):
            simple = [self.basis]
        return [BranchKind(basis, widening, self.extrapolate) for basis in simple]


def refine_equations(
    problem: StateSpaceProblem,
    equations: Equations,
    initial: Array,
    form: ModelForm,
    iterations: int,
    tolerance: float,
) -> EstimationResult:
    """Levenberg-Marquardt on all parameters, with the ridge of the form."""
    parameters = EquationParameters(equations, form.feedthrough)
    settings = DescentSettings(max_iterations=iterations, tolerance=tolerance)
    penalty = parameters.penalty(form.ridge)
    return descend(problem, parameters, initial, settings, penalty)


def search_starts(
    problem: StateSpaceProblem,
    linear: EstimationResult,
    n_branches: int,
    form: ModelForm,
    settings: StartSettings,
    seeds: Sequence[np.random.SeedSequence],
    n_jobs: int | None,
) -> list[EstimationResult]:
    """Refined random starts on short records, the best first; none if all diverge."""
    kinds = form.start_kinds(settings.start_widening)
    tasks = [
        _Start(problem, linear, n_branches, form, settings, kinds[k % len(kinds)], seed)
        for k, seed in enumerate(seeds)
    ]
    screened = [found for found in map_tasks(_run_start, tasks, n_jobs) if found is not None]
    screened.sort(key=lambda descent: descent.loss)
    more = [(problem, found, form, settings) for found in screened[: settings.n_kept]]
    refined = [found for found in map_tasks(_continue_start, more, n_jobs) if found is not None]
    return sorted(refined, key=lambda descent: descent.loss)


@dataclass(frozen=True, eq=False)
class _Start:
    problem: StateSpaceProblem
    linear: EstimationResult
    n_branches: int
    form: ModelForm
    settings: StartSettings
    kind: BranchKind
    seed: np.random.SeedSequence


def _run_start(start: _Start) -> EstimationResult | None:
    """Screen one random start."""
    report_progress("random starts", start.n_branches)
    table = trajectory(start.problem.records, start.linear.runs)
    rng = np.random.default_rng(start.seed)
    equations = add_random_branches(start.linear.system, table, start.n_branches, start.kind, rng)
    return _try_refine(
        start.problem,
        equations,
        start.linear.initial,
        start.form,
        start.settings.screening_iterations,
        start.settings.tolerance,
    )


def _continue_start(
    task: tuple[StateSpaceProblem, EstimationResult, ModelForm, StartSettings],
) -> EstimationResult | None:
    """Refine a screened start, then once more in the requested basis."""
    problem, found, form, settings = task
    further = _try_refine(
        problem,
        found.system,
        found.initial,
        form,
        settings.start_iterations,
        settings.tolerance,
    )
    iterations = settings.iterations_in_basis(problem)
    return change_basis(problem, further or found, form, iterations, settings)


def _try_refine(*arguments: Any) -> EstimationResult | None:
    try:
        return refine_equations(*arguments)
    except DivergenceError:
        return None


def change_basis(
    problem: StateSpaceProblem,
    found: EstimationResult,
    form: ModelForm,
    iterations: int,
    settings: StartSettings,
) -> EstimationResult | None:
    """Refine in the requested basis, bound to the range of z in these records."""
    missing = len(problem.records) - len(found.initial)
    initial = np.concatenate([found.initial, np.zeros((missing, found.initial.shape[1]))])
    runs = problem.simulate(found.system, initial, thorough=True)
    if runs is None:
        return None
    equations = with_new_basis(found.system, trajectory(problem.records, runs), form.kind)
    return _try_refine(problem, equations, initial, form, iterations, settings.tolerance)


def grow_by_score_test(
    problem: StateSpaceProblem,
    found: EstimationResult,
    form: ModelForm,
    settings: StartSettings,
) -> EstimationResult | None:
    """The best refinement with one more branch that the score test proposes."""
    parameters = EquationParameters(found.system, form.feedthrough)
    initial = found.initial[: len(problem.records)]
    runs = problem.simulate(found.system, initial, thorough=True)
    if runs is None:
        return None
    table = trajectory(problem.records, runs)
    proposals = propose_branches(found.system, problem, runs, parameters)
    part = problem.shorten(settings.growth_samples)
    candidates = [
        (grow(found.system, table, proposal, sign, form.kind), initial[: len(part.records)])
        for proposal in proposals
        if proposal.gain > settings.proposal_ratio * proposals[0].gain
        for sign in (1.0, -1.0)
    ]
    return _refine_in_rounds(part, candidates, form, settings)


def _refine_in_rounds(
    problem: StateSpaceProblem,
    candidates: Sequence[tuple[Equations, Array]],
    form: ModelForm,
    settings: StartSettings,
) -> EstimationResult | None:
    """The best of several models; the worse ones are left out after every round."""
    best: EstimationResult | None = None
    for iterations in settings.growth_rounds:
        refined = []
        for equations, initial in candidates:
            report_progress("score test", equations.n_branches)
            steps = iterations, settings.growth_tolerance
            trial = _try_refine(problem, equations, initial, form, *steps)
            if trial is not None:
                refined.append(trial)
        refined.sort(key=lambda descent: descent.loss)
        if refined and (best is None or refined[0].loss < best.loss):
            best = refined[0]
        kept = refined[: -(-len(candidates) // settings.growth_reduction)]
        unfinished = [k for k in kept if k.status is RefinementStatus.MAX_ITERATIONS]
        candidates = [(descent.system, descent.initial) for descent in unfinished]
    return best


def map_tasks(
    function: Callable[[Any], Any], tasks: Sequence[Any], n_jobs: int | None
) -> list[Any]:
    """Results in the order of the tasks, in this process where n_jobs is 1."""
    if n_jobs == 1:
        return [function(task) for task in tasks]
    results = dict(run_unordered(function, tasks, n_jobs))
    return [results[k] for k in range(len(tasks))]


def with_all_records(found: EstimationResult, n_records: int) -> EstimationResult:
    """The descent with initial states at the mean for records it has not seen."""
    missing = n_records - len(found.initial)
    zeros = np.zeros((missing, found.initial.shape[1]))
    return replace(found, initial=np.concatenate([found.initial, zeros]))
