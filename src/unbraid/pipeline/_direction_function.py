"""A decoupled function of directions with a curve per output."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._typing import Array
from ..bases import Basis, BSpline, Polynomial
from ..data._samples import Samples
from ..model._branch_fit import fit_branch
from ..model._function import DecoupledFunction
from ..solvers.directions._cancellation import avoid_cancellation
from ..solvers.directions._fit import (
    DirectionFit,
    fit_coefficients,
    make_tables,
    total_error,
    validation_errors,
)
from ..solvers.directions._problem import DirectionProblem, unit_rows
from ..solvers.directions._simplification import Simplifier
from ..solvers.directions._terms import choose_terms
from ._fitted_function import with_offset


@dataclass(frozen=True)
class DirectionSettings:
    """Sizes and limits of the growth of directions.

    Attributes
    ----------
    slope_weight : float
        Weight of the Jacobians relative to the values, in standardised units.
    max_directions : int
        Most directions, where the user sets no limit.
    max_inputs : int
        With more inputs, branches are counted instead.
    max_simplified_outputs : int
        With more outputs, these share all directions.
    jacobian_weights : tuple of float
        Weights, relative to the values, that are compared in the last fit.
    max_fitted, max_validation : int
        Points that directions are searched on.
    max_increase : float
        Growth of the error, as a share of it, that a simplification may cost.
    spline_sizes : tuple of int
        Coefficients per curve that are compared in the end.
    as_good, as_good_sparse : float
        Ratios of errors up to which fewer coefficients are taken, and directions with zeros.
    parallel : float
        Cosine of directions that count as one where branches are exact (5 degrees).
    better, decisive : float
        Ratios of errors below which branches are searched for with splines, and below which they
        replace directions.
    max_more_branches, max_more_splines : int
        Branches beyond the number of directions that are tried with polynomials, and beyond the
        number at which their error falls, with splines.
    stagnant : float
        Ratio of errors from which another branch brings nothing.
    nearly_exact : float
        Error in % below which splines are tried in any case.
    quick_degree, quick_starts, quick_points, quick_iterations
        Of the search that shows whether branches may fit much better.
    """

    slope_weight: float = 0.1
    max_directions: int = 12
    max_inputs: int = 30
    max_simplified_outputs: int = 4
    jacobian_weights: tuple[float, ...] = (1.0, 0.1, 1e-3)
    max_fitted: int = 1200
    max_validation: int = 1000
    max_increase: float = 0.15
    spline_sizes: tuple[int, ...] = (6, 8, 10, 12, 16, 24)
    as_good: float = 1.02
    as_good_sparse: float = 2.0
    parallel: float = 0.996
    better: float = 0.5
    decisive: float = 0.1
    max_more_branches: int = 4
    max_more_splines: int = 1
    stagnant: float = 0.97
    nearly_exact: float = 1.0
    quick_degree: int = 9
    quick_starts: int = 4
    quick_points: int = 300
    quick_iterations: int = 30


DIRECTION_SETTINGS = DirectionSettings()


class Column(NamedTuple):
    """A branch of one output: standardised direction, basis, values at the points."""

    direction: Array
    output: int
    basis: Basis
    values: Array


def choose_spline_count(problem: DirectionProblem, directions: Array) -> DirectionFit:
    """The fit with the fewest coefficients per curve that is as good as the best."""
    fits = [
        fit_coefficients(problem, directions, size, curve_penalty=0.0)
        for size in DIRECTION_SETTINGS.spline_sizes
    ]
    errors = [total_error(validation_errors(problem, fit)) for fit in fits]
    limit = DIRECTION_SETTINGS.as_good * min(errors)
    return next(fit for fit, error in zip(fits, errors, strict=True) if error <= limit)


def make_columns(
    problem: DirectionProblem, directions: Array, n_splines: int, max_increase: float
) -> tuple[list[Column], int]:
    """Columns of a decoupled function: a curve each, or the linear rest of an output.

    Also returns the number of linear terms that no curve can carry.
    """
    columns: list[Column] = []
    known = np.empty((0, problem.sizes[2]))
    n_linear = 0
    for o in range(problem.sizes[1]):
        own = problem.select_output(o)
        is_simplified = problem.sizes[1] <= DIRECTION_SETTINGS.max_simplified_outputs
        fit = _fit_output(own, directions, known, n_splines, max_increase, is_simplified)
        known = np.vstack([known, fit.directions])
        terms = choose_terms(own, fit, 0, max_increase)
        z = own.points @ fit.directions.T
        size = fit.n_curve_coefficients
        table = make_tables(own.points, fit.directions, fit.knots).splines.reshape(*z.shape, size)
        for d in np.flatnonzero(terms.curves):
            values = table[:, d] @ terms.splines[d] + terms.slopes[d] * z[:, d]
            columns.append(Column(fit.directions[d], o, BSpline(fit.n_splines), values))
        if np.any(terms.linear):
            n_linear += 1
            columns.append(Column(terms.linear, o, Polynomial(1), own.points @ terms.linear))
    if not columns:  # every output is constant
        nothing = np.zeros(len(problem.points))
        columns.append(Column(np.eye(problem.sizes[2])[0], 0, Polynomial(1), nothing))
    return columns, n_linear


def _fit_output(
    problem: DirectionProblem,
    directions: Array,
    known: Array,
    n_splines: int,
    max_increase: float,
    is_simplified: bool,
) -> DirectionFit:
    """The directions that one output needs, those of others where they are close."""
    fit = fit_coefficients(problem, directions, n_splines)
    if len(directions) and is_simplified:
        terms = choose_terms(problem, fit, 0, max_increase)
        simplifier = Simplifier(problem, n_splines, max_increase)
        found = simplifier.run(directions[terms.curves])
        found = simplifier.use_known(found, known)
        directions = avoid_cancellation(problem, found.fit, max_increase).directions
    return choose_spline_count(problem, directions)


def assemble(
    problem: DirectionProblem, columns: list[Column], samples: Samples
) -> DecoupledFunction:
    """The function of some columns, in the user's units."""
    directions = unit_rows(np.array([column.direction for column in columns]) / problem.spread)
    largest = np.argmax(np.abs(directions), axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    V = (directions * signs[:, None]).T
    W = np.zeros((problem.sizes[1], len(columns)))
    W[[column.output for column in columns], np.arange(len(columns))] = 1.0
    points = problem.points * problem.spread + problem.centre
    branches = tuple(
        fit_branch(c.basis, points @ V[:, i], c.values * problem.output_spread[c.output])
        for i, c in enumerate(columns)
    )
    return with_offset(DecoupledFunction(W, V, branches, np.zeros(len(W))), samples)
