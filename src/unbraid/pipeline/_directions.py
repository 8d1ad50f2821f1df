"""Grow directions with a curve per output, or count branches instead."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..bases import Basis, Polynomial
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..solvers._base import Callback, Progress, Solution
from ..solvers._factors import Factors, unit_columns
from ..solvers._status import Status
from ..solvers.directions._growth import DirectionStep, choose_step, grow_directions
from ..solvers.directions._problem import make_direction_problem
from ..solvers.directions._simplification import Simplifier
from ._branch_count import BranchCount, BranchCountRow, CountStatus
from ._direction_function import (
    DIRECTION_SETTINGS,
    assemble,
    choose_spline_count,
    make_columns,
)
from ._joint_fit import common_basis
from ._refit import COEFFICIENTS_ONLY, refit
from ._scores import mean_value_error
from ._state import EXACT_FIT_PERCENT, FitSettings, FitState


@dataclass(frozen=True, eq=False)
class GrownDirections:
    """The state of a fit along grown directions, and the errors by their number."""

    state: FitState
    steps: tuple[DirectionStep, ...]
    chosen: DirectionStep
    n_linear: int  # linear terms that no direction can carry


def can_grow(settings: FitSettings, n_inputs: int) -> bool:
    """Whether directions can be grown: values and Jacobians count, the basis is free."""
    return (
        n_inputs <= DIRECTION_SETTINGS.max_inputs
        and settings.basis == "auto"
        and settings.capabilities.supports_warm_start
        and settings.output_weights is None
        and not settings.fits_one_part
        and not settings.smoothing_is_given
    )


def fit_grown_directions(
    settings: FitSettings,
    fitted: Samples,
    held_out: Samples,
    tolerance: float,
    max_directions: int,
) -> GrownDirections:
    """Grow directions, simplify them, and fit the function that they make."""
    began = perf_counter()
    limits = DIRECTION_SETTINGS
    problem = make_direction_problem(
        draw_subset(fitted, limits.max_fitted),
        draw_subset(held_out, limits.max_validation),
        limits.slope_weight,
    )
    rng = np.random.default_rng(getattr(settings.solver, "random_state", None))
    reporter = _Reporter(getattr(settings.solver, "callback", None))
    steps = grow_directions(problem, max_directions, tolerance, rng, reporter.report)
    chosen = choose_step(steps, tolerance)
    simplifier = Simplifier(problem, chosen.fit.n_splines, limits.max_increase)
    directions = chosen.fit.directions
    if len(directions):
        directions = simplifier.run(directions).fit.directions
    n_splines = choose_spline_count(problem, directions).n_splines
    columns, n_linear = make_columns(problem, directions, n_splines, limits.max_increase)
    function = assemble(problem, columns, fitted)
    solution = _make_solution(function, fitted, chosen.error, perf_counter() - began)
    if reporter.stopped:
        solution = replace(solution, status=Status.STOPPED)
    fixed = replace(settings, refine=False)  # later fits would narrow angles between directions
    state = FitState(fixed, fitted, held_out, solution, function, 0.0, settings.jacobian_weight)
    trials = [
        replace(refit(state, fitted, weight, stop=COEFFICIENTS_ONLY), jacobian_weight=weight)
        for weight in limits.jacobian_weights
    ]
    state = min(trials, key=lambda trial: mean_value_error(trial.function, held_out))
    return GrownDirections(state, tuple(steps), chosen, n_linear)


def find_branches(grown: GrownDirections, tolerance: float, max_branches: int) -> Factors | None:
    """The fewest branches that may meet the tolerance or fit much better.

    Branches are searched for from few starts, on few points. Where a sum of branches is complete,
    the error of polynomials falls far below that of one branch less; splines that start from these
    polynomials then show whether it is far below that of the directions. None where no number that
    was tried is.
    """
    state, limits = grown.state, DIRECTION_SETTINGS
    solver: Any = state.settings.solver
    if state.stopped or not hasattr(solver, "basis"):
        return None
    error = mean_error(state.function.held_out_error)
    search = _QuickSearch(solver, draw_subset(state.fitted, limits.quick_points))
    fewest = min(max(1, grown.chosen.n_directions), max_branches)
    few = min(fewest + grown.n_linear, max_branches)
    if error < limits.nearly_exact:
        found = None
        if fewest < few:  # a linear term may be the error of a direction
            found = search.find_complete(fewest, 0.0, tolerance)
        if found is None:
            found = search.find_complete(few, error, tolerance)
        if found is not None:
            return found
    most = min(few + limits.max_more_branches, max_branches)
    limit, before, last_fall = limits.better * error, np.inf, None
    for count in range(few, most + 1):
        residual = search.fit_polynomials(count)
        if residual < max(limit, tolerance):
            last_fall = count
        if residual < tolerance or residual > limits.stagnant * before:
            break
        limit, before = min(limits.better * residual, error), residual
    if last_fall is None:
        return None
    for count in range(last_fall, min(last_fall + limits.max_more_splines, max_branches) + 1):
        found = search.find_complete(count, error, tolerance)
        if found is not None:
            return found
    return None


class _QuickSearch:
    """Errors in % of numbers of branches, from few starts on few points."""

    def __init__(self, solver: Any, samples: Samples) -> None:
        self.samples = samples
        self.solver = replace(
            solver,
            n_starts=DIRECTION_SETTINGS.quick_starts,
            max_iterations=DIRECTION_SETTINGS.quick_iterations,
            callback=None,
        )
        self.known: dict[int, Factors] = {}

    def fit_polynomials(self, n_branches: int) -> float:
        """The error with polynomials, whose directions are remembered."""
        return self._solve(self.solver, n_branches, Polynomial(DIRECTION_SETTINGS.quick_degree))

    def fit_splines(self, n_branches: int) -> float:
        """The error with splines, from the directions of the polynomials."""
        if n_branches not in self.known:
            self.fit_polynomials(n_branches)
        solver = replace(self.solver, n_starts=1, known=(self.known[n_branches],))
        return self._solve(solver, n_branches, None)

    def find_complete(self, n_branches: int, error: float, tolerance: float) -> Factors | None:
        """The fewest branches with an error far below ``error``, if so many have."""
        residual = self.fit_splines(n_branches)
        if residual >= max(DIRECTION_SETTINGS.decisive * error, tolerance):
            return None
        enough = max(residual / DIRECTION_SETTINGS.better, tolerance)
        while n_branches > 1 and self.fit_splines(n_branches - 1) <= enough:
            n_branches -= 1
        return self.known[n_branches]

    def _solve(self, solver: Any, n_branches: int, basis: Basis | None) -> float:
        solution = replace(solver, basis=basis).solve(self.samples, n_branches)
        self.known[n_branches] = solution.factors
        return 100 * float(solution.details["value_residual"])


def is_much_better(branches: FitState, grown: FitState, tolerance: float) -> bool:
    """Whether branches fit much better than directions: then f is a sum of branches."""
    errors = [mean_error(state.function.held_out_error) for state in (branches, grown)]
    return errors[0] <= max(tolerance, DIRECTION_SETTINGS.decisive * errors[1])


def fit_sparse(grown: FitState, branches: FitState) -> FitState:
    """The grown directions in the basis of branches, unless these fit better.

    Grown directions have zeros. Where W and V of branches are not unique, a product and a parabola
    are otherwise mixed into quadratic functions of all inputs.
    """
    basis, weight = common_basis(branches.function), branches.jacobian_weight
    held_out, function = grown.held_out, _drop_parallel(grown.function, grown.fitted.points)
    few = function.n_branches <= branches.function.n_branches
    if basis is None or held_out is None or not few:
        return branches
    start = replace(grown, function=function, smoothing=branches.smoothing, jacobian_weight=weight)
    sparse = refit(start, grown.fitted, weight, basis=basis.unbound())
    errors = [mean_value_error(state.function, held_out) for state in (sparse, branches)]
    limit = DIRECTION_SETTINGS.as_good_sparse * errors[1] + EXACT_FIT_PERCENT
    return sparse if errors[0] <= limit else branches


def _drop_parallel(function: DecoupledFunction, points: Array) -> DecoupledFunction:
    """The function without branches close to a larger one of the same outputs."""
    scaled = unit_columns(function.V * points.std(axis=0)[:, None])
    z = function.transform(points)
    sizes = [np.std(branch(z[:, i])) for i, branch in enumerate(function.branches)]
    kept: list[int] = []
    for i in np.argsort(-np.array(sizes) * np.abs(function.W).max(axis=0)).tolist():
        alike = [k for k in kept if np.array_equal(function.W[:, k] != 0, function.W[:, i] != 0)]
        if not np.any(np.abs(scaled[:, alike].T @ scaled[:, i]) > DIRECTION_SETTINGS.parallel):
            kept.append(i)
    kept.sort()
    chosen = tuple(function.branches[k] for k in kept)
    return replace(function, W=function.W[:, kept], V=function.V[:, kept], branches=chosen)


def count_directions(
    grown: GrownDirections, tolerance: float, max_directions: int, capped: CountStatus
) -> BranchCount:
    """The table of errors by number of directions, and why no more were added.

    ``capped`` is the status at ``max_directions``.
    """
    steps, chosen = grown.steps, grown.chosen
    status = CountStatus.KNEE
    if grown.state.stopped:
        status = CountStatus.STOPPED
    elif chosen.error <= tolerance:
        status = CountStatus.TOLERANCE
    elif chosen.n_directions == max_directions:
        status = capped
    message = status.value.format(
        kind="held-out",
        tolerance=tolerance,
        max_branches=max_directions,
        n_branches=chosen.n_directions,
    )
    rows = [
        BranchCountRow(
            step.n_directions,
            100 * float(np.sqrt(np.mean(step.fit.residual**2))),
            step.error,
            step.fit.coefficients.size + step.fit.directions.size,
            step.seconds,
        )
        for step in steps
    ]
    return BranchCount(grown.state, tuple(rows), status, message)


class _Reporter:
    """Shows the progress, and remembers whether the callback asked to stop."""

    def __init__(self, callback: Callback | None) -> None:
        self.callback, self.stopped = callback, False

    def report(self, n_directions: int, error: float) -> bool:
        report_progress(f"directions, error {error:.2g} %")
        if self.callback is not None:
            progress = Progress("directions", 0, 1, n_directions, error / 100)
            self.stopped = bool(self.callback(progress))
        return self.stopped


def _make_solution(
    function: DecoupledFunction, samples: Samples, error: float, seconds: float
) -> Solution:
    z = function.transform(samples.points)
    G = np.column_stack([branch(z[:, i]) for i, branch in enumerate(function.branches)])
    slopes = [branch.derivative(z[:, i]) for i, branch in enumerate(function.branches)]
    factors = Factors(function.W, function.V, G, z, np.column_stack(slopes))
    return Solution("directions", factors, (error / 100,), seconds=seconds)
