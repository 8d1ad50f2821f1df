"""Grow directions with a curve per output, and turn them into a decoupled function."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .._typing import Array, Mask
from ..bases import Basis, BSpline, Polynomial
from ..data._samples import Samples
from ..data._splitting import draw_subset
from ..model._branch_fit import fit_branch
from ..model._function import DecoupledFunction
from ..solvers._base import Solution, StopCriteria
from ..solvers._factors import Factors
from ..solvers.directions._fit import (
    DirectionFit,
    curve_values,
    fit_coefficients,
    total_error,
    validation_errors,
)
from ..solvers.directions._growth import GrowthStep, choose_step, grow_directions
from ..solvers.directions._problem import DirectionProblem, make_direction_problem, unit_rows
from ..solvers.directions._simplification import Simplifier
from ._joint_fit import with_offset
from ._refit import refit
from ._state import FitSettings, FitState


@dataclass(frozen=True)
class DirectionSettings:
    """Sizes and limits of the growth of directions.

    Attributes
    ----------
    slope_weight : float
        Weight of the Jacobians relative to the values, in standardised units.
    max_fitted, max_validation : int
        Points that directions are searched on.
    max_increase : float
        Growth of the error, as a share of it, that a simplification may cost.
    spline_sizes : tuple of int
        Coefficients per curve that are compared in the end.
    as_good : float
        Ratio of errors up to which fewer coefficients are taken.
    dropped_variance : float
        Variance of curves, and of linear terms, that may be left out of an output, as a share of
        its squared error.
    """

    slope_weight: float = 0.1
    max_fitted: int = 1200
    max_validation: int = 1000
    max_increase: float = 0.05
    spline_sizes: tuple[int, ...] = (6, 8, 10, 12, 16, 24)
    as_good: float = 1.02
    dropped_variance: float = 0.05


DIRECTION_SETTINGS = DirectionSettings()
REFIT_STOP = StopCriteria(20)


@dataclass(frozen=True, eq=False)
class GrownDirections:
    """The state of a fit along grown directions, and the errors by their number."""

    state: FitState
    steps: tuple[GrowthStep, ...]
    chosen: GrowthStep
    n_linear: int  # linear terms that no direction can carry


def can_grow(settings: FitSettings, held_out: Samples | None) -> bool:
    """Whether directions can be grown: values and Jacobians count, the basis is free."""
    return (
        held_out is not None
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
    steps = grow_directions(problem, max_directions, tolerance, rng)
    chosen = choose_step(steps, tolerance)
    simplifier = Simplifier(problem, chosen.fit.n_splines, limits.max_increase)
    directions = chosen.fit.directions
    if len(directions):
        directions = simplifier.run(directions).fit.directions
    fit = choose_spline_count(problem, directions)
    errors = validation_errors(problem, fit)
    function, n_linear = make_function(problem, fit, errors, fitted)
    solution = _make_solution(function, fitted, total_error(errors), perf_counter() - began)
    state = FitState(settings, fitted, held_out, solution, function, 0.0, settings.jacobian_weight)
    state = refit(state, fitted, settings.jacobian_weight, stop=REFIT_STOP)
    return GrownDirections(state, tuple(steps), chosen, n_linear)


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
    problem: DirectionProblem, fit: DirectionFit, errors: Array, samples: Samples
) -> tuple[DecoupledFunction, int]:
    """A decoupled function: a branch per curve that matters, and one per linear rest.

    Also returns the number of linear terms that no curve can carry.
    """
    n, m = problem.sizes[1:]
    linear, curves = _separate_linear_part(problem, fit)
    budget = DIRECTION_SETTINGS.dropped_variance * (errors / 100) ** 2
    matters = _keep_largest(curves.var(axis=0), budget)
    matters[np.arange(len(matters)), np.argmax(curves.var(axis=0), axis=1)] = True
    columns: list[tuple[Array, int, Basis, Array]] = []
    n_linear = 0
    for o in range(n):
        active = np.flatnonzero(matters[:, o])
        carried = np.linalg.lstsq(fit.directions[active].T, linear[:, o], rcond=None)[0]
        for d, slope in zip(active, carried, strict=True):
            z = problem.points @ fit.directions[d]
            basis = BSpline(fit.n_splines)
            columns.append((fit.directions[d], o, basis, curves[:, d, o] + slope * z))
        rest = linear[:, o] - fit.directions[active].T @ carried
        rest = rest * _keep_largest(rest[:, None] ** 2, budget[o : o + 1])[:, 0]
        if np.any(rest):
            n_linear += 1
            columns.append((rest, o, Polynomial(1), problem.points @ rest))
    if not columns:
        columns.append((np.eye(m)[0], 0, Polynomial(1), np.zeros(len(problem.points))))
    return _assemble(problem, columns, samples), n_linear


def _separate_linear_part(problem: DirectionProblem, fit: DirectionFit) -> tuple[Array, Array]:
    """Linear part (m, n), and curves (N, D, n) without mean and slope, at all rows."""
    m = problem.sizes[2]
    curves = curve_values(fit, problem.points)
    linear = fit.coefficients[1 : 1 + m].copy()
    for d, direction in enumerate(fit.directions):
        z = problem.points @ direction
        design = np.column_stack([np.ones(len(z)), z])
        line = np.linalg.lstsq(design, curves[:, d], rcond=None)[0]
        curves[:, d] -= design @ line
        linear += np.outer(direction, line[1])
    return linear, curves


def _keep_largest(variances: Array, budget: Array) -> Mask:
    """Which terms (rows) to keep of each output (column): small ones go within a budget."""
    order = np.argsort(variances, axis=0)
    total = np.cumsum(np.take_along_axis(variances, order, axis=0), axis=0)
    keep = np.empty(variances.shape, dtype=bool)
    np.put_along_axis(keep, order, total > budget, axis=0)
    return keep


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
