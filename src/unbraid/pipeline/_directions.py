"""Grow directions with a curve per output, and turn them into a decoupled function."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from .._typing import Array
from .._util.progress import report_progress
from ..bases import Basis, BSpline, Polynomial
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..model._branch_fit import fit_branch
from ..model._error_summary import POOR_PERCENT, mean_error
from ..model._function import DecoupledFunction
from ..solvers._base import Callback, Progress, Solution
from ..solvers._factors import Factors
from ..solvers._status import Status
from ..solvers.directions._fit import (
    DirectionFit,
    fit_coefficients,
    make_tables,
    total_error,
    validation_errors,
)
from ..solvers.directions._growth import DirectionStep, choose_step, grow_directions
from ..solvers.directions._problem import DirectionProblem, make_direction_problem, unit_rows
from ..solvers.directions._simplification import Simplifier
from ..solvers.directions._terms import choose_terms
from ._branch_count import BranchCount, BranchCountRow, CountStatus
from ._joint_fit import with_offset
from ._refit import COEFFICIENTS_ONLY, refit
from ._scores import mean_value_error
from ._state import FitSettings, FitState


@dataclass(frozen=True)
class DirectionSettings:
    """Sizes and limits of the growth of directions.

    Attributes
    ----------
    slope_weight : float
        Weight of the Jacobians relative to the values, in standardised units.
    max_inputs : int
        With more inputs, branches are counted instead.
    jacobian_weights : tuple of float
        Weights, relative to the values, that are compared in the last fit.
    max_fitted, max_validation : int
        Points that directions are searched on.
    max_increase : float
        Growth of the error, as a share of it, that a simplification may cost.
    spline_sizes : tuple of int
        Coefficients per curve that are compared in the end.
    as_good : float
        Ratio of errors up to which fewer coefficients are taken.
    much_better, decisive : float
        Ratios of errors below which branches are tried, and below which they replace directions.
    nearly_exact : float
        Error in % below which the function may be a sum of branches exactly.
    poor : float
        Error in % above which more branches are tried.
    quick_degree, quick_starts, quick_points
        Of the search that shows whether branches may fit much better.
    """

    slope_weight: float = 0.1
    max_inputs: int = 30
    jacobian_weights: tuple[float, ...] = (1.0, 0.1, 1e-3)
    max_fitted: int = 1200
    max_validation: int = 1000
    max_increase: float = 0.05
    spline_sizes: tuple[int, ...] = (6, 8, 10, 12, 16, 24)
    as_good: float = 1.02
    much_better: float = 0.5
    decisive: float = 0.1
    nearly_exact: float = 1.0
    poor: float = POOR_PERCENT
    quick_degree: int = 7
    quick_starts: int = 4
    quick_points: int = 300


DIRECTION_SETTINGS = DirectionSettings()


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
    fit = choose_spline_count(problem, directions)
    function, n_linear = make_function(problem, fit, fitted)
    error = total_error(validation_errors(problem, fit))
    solution = _make_solution(function, fitted, error, perf_counter() - began)
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


def find_branch_count(grown: GrownDirections, tolerance: float, max_branches: int) -> int | None:
    """The smallest number of branches that may meet the tolerance or fit much better.

    Branches are searched for from few starts, on few points: polynomials, or splines where the
    directions are nearly exact. None where no number that was tried is much better than these.
    """
    state, limits = grown.state, DIRECTION_SETTINGS
    solver: Any = state.settings.solver
    if state.stopped or not hasattr(solver, "basis"):
        return None
    error = mean_error(state.function.held_out_error)
    basis = None if error < limits.nearly_exact else Polynomial(limits.quick_degree)
    quick = replace(solver, basis=basis, n_starts=limits.quick_starts, callback=None)
    samples = draw_subset(state.fitted, limits.quick_points)

    def may_be_much_better(n_branches: int) -> bool:
        residual = quick.solve(samples, n_branches).details["value_residual"]
        return bool(100 * residual < max(limits.much_better * error, tolerance))

    few = max(1, grown.chosen.n_directions + grown.n_linear)
    counts = {few, state.function.n_branches} if basis is not None else {few}
    if error > limits.poor:
        counts |= set(range(few, max_branches + 1, 2))
    found = next((count for count in sorted(counts) if may_be_much_better(count)), None)
    while found is not None and found > 1 and may_be_much_better(found - 1):
        found -= 1
    return found


def is_much_better(branches: FitState, grown: FitState, tolerance: float) -> bool:
    """Whether branches fit much better than directions: then f is a sum of branches."""
    errors = [mean_error(state.function.held_out_error) for state in (branches, grown)]
    return errors[0] <= max(tolerance, DIRECTION_SETTINGS.decisive * errors[1])


def count_directions(grown: GrownDirections, tolerance: float, max_directions: int) -> BranchCount:
    """The table of errors by number of directions, and why no more were added."""
    steps, chosen = grown.steps, grown.chosen
    status = CountStatus.KNEE
    if grown.state.stopped:
        status = CountStatus.STOPPED
    elif chosen.error <= tolerance:
        status = CountStatus.TOLERANCE
    elif chosen.n_directions == max_directions:
        status = CountStatus.MAX_BRANCHES
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


def choose_spline_count(problem: DirectionProblem, directions: Array) -> DirectionFit:
    """The fit with the fewest coefficients per curve that is as good as the best."""
    fits = [
        fit_coefficients(problem, directions, size, curve_penalty=0.0)
        for size in DIRECTION_SETTINGS.spline_sizes
    ]
    errors = [total_error(validation_errors(problem, fit)) for fit in fits]
    limit = DIRECTION_SETTINGS.as_good * min(errors)
    return next(fit for fit, error in zip(fits, errors, strict=True) if error <= limit)


def make_function(
    problem: DirectionProblem, fit: DirectionFit, samples: Samples
) -> tuple[DecoupledFunction, int]:
    """A decoupled function: a branch per curve that matters, and one per linear rest.

    Also returns the number of linear terms that no curve can carry.
    """
    points = problem.points
    z = points @ fit.directions.T
    size = fit.n_curve_coefficients
    table = make_tables(points, fit.directions, fit.knots).splines.reshape(*z.shape, size)
    columns: list[tuple[Array, int, Basis, Array]] = []
    n_linear = 0
    for o in range(problem.sizes[1]):
        terms = choose_terms(problem, fit, o, DIRECTION_SETTINGS.max_increase)
        for d in np.flatnonzero(terms.curves):
            values = table[:, d] @ terms.splines[d] + terms.slopes[d] * z[:, d]
            columns.append((fit.directions[d], o, BSpline(fit.n_splines), values))
        if np.any(terms.linear):
            n_linear += 1
            columns.append((terms.linear, o, Polynomial(1), points @ terms.linear))
    if not columns:  # every output is constant
        nothing = np.zeros(len(points))
        columns.append((np.eye(points.shape[1])[0], 0, Polynomial(1), nothing))
    return _assemble(problem, columns, samples), n_linear


def _assemble(
    problem: DirectionProblem, columns: list[tuple[Array, int, Basis, Array]], samples: Samples
) -> DecoupledFunction:
    """A function in the user's units of columns: direction, output, basis, values."""
    directions = unit_rows(np.array([column[0] for column in columns]) / problem.spread)
    largest = np.argmax(np.abs(directions), axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    V = (directions * signs[:, None]).T
    W = np.zeros((problem.sizes[1], len(columns)))
    W[[column[1] for column in columns], np.arange(len(columns))] = 1.0
    points = problem.points * problem.spread + problem.centre
    branches = tuple(
        fit_branch(basis, points @ V[:, i], values * problem.output_spread[o])
        for i, (_, o, basis, values) in enumerate(columns)
    )
    return with_offset(DecoupledFunction(W, V, branches, np.zeros(len(W))), samples)


def _make_solution(
    function: DecoupledFunction, samples: Samples, error: float, seconds: float
) -> Solution:
    z = function.transform(samples.points)
    G = np.column_stack([branch(z[:, i]) for i, branch in enumerate(function.branches)])
    slopes = [branch.derivative(z[:, i]) for i, branch in enumerate(function.branches)]
    factors = Factors(function.W, function.V, G, z, np.column_stack(slopes))
    return Solution("directions", factors, (error / 100,), seconds=seconds)
