"""Least squares in directions, with curves and linear part eliminated.

    f_o(p) ~ c_o + L_o p + sum_d h_od(a_d p),    grad f_o(p) ~ L_o + sum_d h_od'(a_d p) a_d

in standardised inputs and outputs. The curves are cubic B-splines without the first and the last
one: constant and linear part take their place. For given directions all outputs share one normal
matrix, whose sums over the points need no array beyond N times the number of coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..._typing import Array, Index
from ._problem import DirectionProblem
from ._splines import evaluate_cubic_splines, place_knots

NORMAL_RIDGE = 1e-10  # relative to the mean of the diagonal of the normal matrix
CURVE_PENALTY = 1e-3  # on the squares of the curves: against large ones that cancel


@dataclass(frozen=True, eq=False)
class Tables:
    """Splines of all directions, and two derivatives, each (N, D (K - 2))."""

    splines: Array
    slopes: Array
    bends: Array


@dataclass(frozen=True, eq=False)
class DirectionFit:
    """Directions with their best coefficients.

    Attributes
    ----------
    directions : (D, m)
        Unit rows.
    knots : (D, K + 4)
    coefficients : (1 + m + D (K - 2), n)
        Offset, linear part and curves, one column per output.
    residual, slope_residual : (N, n), (N, n, m)
        At the fitted rows.
    cost : float
    matrix, target : arrays
        Normal equations of the coefficients.
    tables, factor
        Splines at the fitted rows, and the factor of the matrix.
    """

    directions: Array
    knots: Array
    coefficients: Array
    residual: Array
    slope_residual: Array
    cost: float
    matrix: Array
    target: Array
    tables: Tables
    factor: tuple[Array, bool]

    @property
    def n_splines(self) -> int:
        return int(self.knots.shape[1]) - 4

    @property
    def n_curve_coefficients(self) -> int:
        """Per curve: without the first and the last spline."""
        return self.n_splines - 2

    def curve_coefficients(self) -> Array:
        """Coefficients of the curves, (D, K - 2, n)."""
        n_inputs = self.directions.shape[1]
        shape = (len(self.directions), self.n_curve_coefficients, -1)
        return self.coefficients[1 + n_inputs :].reshape(shape)

    def predict(self, points: Array) -> Array:
        """Values at standardised points."""
        tables = make_tables(points, self.directions, self.knots)
        return np.asarray(design_values(points, tables) @ self.coefficients)


def make_tables(points: Array, directions: Array, knots: Array) -> Tables:
    """Splines of all directions at some points."""
    if not len(directions):
        empty = np.empty((len(points), 0))
        return Tables(empty, empty, empty)
    found = evaluate_cubic_splines(directions @ points.T, knots)
    flat = [table[:, :, 1:-1].transpose(1, 0, 2).reshape(len(points), -1) for table in found]
    return Tables(*flat)


def design_values(points: Array, tables: Tables) -> Array:
    """Columns of the offset, the linear part and the curves."""
    return np.hstack([np.ones((len(points), 1)), points, tables.splines])


def fit_coefficients(
    problem: DirectionProblem,
    directions: Array,
    n_splines: int,
    rows: Index | None = None,
    curve_penalty: float = CURVE_PENALTY,
) -> DirectionFit:
    """The best offset, linear part and curves for given directions."""
    rows = problem.fitted if rows is None else rows
    points, values = problem.points[rows], problem.values[rows]
    jacobians = problem.jacobians[rows]
    knots = np.empty((0, n_splines + 4))
    if len(directions):
        knots = place_knots(directions @ problem.points.T, n_splines)
    tables = make_tables(points, directions, knots)
    design = design_values(points, tables)
    matrix_of_values = design.T @ design
    matrix = matrix_of_values.copy()
    target = design.T @ values
    if problem.slope_weight:
        _add_slopes(matrix, target, problem.slope_weight, directions, tables, jacobians)
    blocks = _find_blocks(len(directions), matrix, problem.sizes[2])
    penalties = [curve_penalty * matrix_of_values[block, block] for block in blocks]
    for block, penalty in zip(blocks, penalties, strict=True):
        matrix[block, block] += penalty
    matrix[np.diag_indices_from(matrix)] += NORMAL_RIDGE * np.trace(matrix) / len(matrix)
    factor = cho_factor(matrix, check_finite=False)
    coefficients = cho_solve(factor, target, check_finite=False)
    residual = values - design @ coefficients
    slope_residual = _subtract_slopes(jacobians, directions, tables, coefficients)
    cost = np.sum(residual**2) + problem.slope_weight * np.sum(slope_residual**2)
    for block, penalty in zip(blocks, penalties, strict=True):
        cost += np.sum(coefficients[block] * (penalty @ coefficients[block]))
    return DirectionFit(
        directions,
        knots,
        coefficients,
        residual,
        slope_residual,
        float(cost),
        matrix,
        target,
        tables,
        factor,
    )


def _find_blocks(n_directions: int, matrix: Array, n_inputs: int) -> list[slice]:
    """Columns of the curves along each direction."""
    begin = 1 + n_inputs
    size = (len(matrix) - begin) // max(n_directions, 1)
    return [slice(begin + d * size, begin + (d + 1) * size) for d in range(n_directions)]


def _add_slopes(
    matrix: Array,
    target: Array,
    weight: float,
    directions: Array,
    tables: Tables,
    jacobians: Array,
) -> None:
    """Add the normal equations of the Jacobians."""
    n_points, _, m = jacobians.shape
    n_curves = tables.slopes.shape[1]
    linear, curves = slice(1, 1 + m), slice(1 + m, 1 + m + n_curves)
    matrix[linear, linear] += weight * n_points * np.eye(m)
    target[linear] += weight * jacobians.sum(axis=0).T
    if not n_curves:
        return
    size = n_curves // len(directions)
    by_column = np.repeat(directions, size, axis=0)  # direction of each column
    cross = weight * by_column.T * tables.slopes.sum(axis=0)
    matrix[linear, curves] += cross
    matrix[curves, linear] += cross.T
    matrix[curves, curves] += weight * (by_column @ by_column.T) * (tables.slopes.T @ tables.slopes)
    along = np.einsum("kol,dl->kdo", jacobians, directions)
    slopes = tables.slopes.reshape(n_points, len(directions), size)
    target[curves] += weight * np.einsum("kds,kdo->dso", slopes, along).reshape(n_curves, -1)


def _subtract_slopes(
    jacobians: Array, directions: Array, tables: Tables, coefficients: Array
) -> Array:
    """Residual of the Jacobians, (N, n, m)."""
    m = jacobians.shape[2]
    rest = jacobians - coefficients[1 : 1 + m].T
    if len(directions):
        slopes = sum_splines(tables.slopes, len(directions), coefficients[1 + m :])
        rest -= np.einsum("kdo,dl->kol", slopes, directions)
    return np.asarray(rest)


def curve_values(fit: DirectionFit, points: Array) -> Array:
    """Curves of a fit at standardised points, (N, D, n)."""
    splines = make_tables(points, fit.directions, fit.knots).splines
    m = points.shape[1]
    if not len(fit.directions):
        return np.empty((len(points), 0, fit.coefficients.shape[1]))
    return sum_splines(splines, len(fit.directions), fit.coefficients[1 + m :])


def sum_splines(table: Array, n_directions: int, coefficients: Array) -> Array:
    """Curves, or derivatives of them, at the rows of a table (N, D K); (N, D, n)."""
    by_direction = table.reshape(len(table), n_directions, -1)
    parts = coefficients.reshape(n_directions, by_direction.shape[2], -1)
    return np.asarray(np.einsum("kds,dso->kdo", by_direction, parts, optimize=True))


def validation_errors(problem: DirectionProblem, fit: DirectionFit) -> Array:
    """Error of each output on the validation rows, in % of its spread."""
    rows = problem.validation
    rest = problem.values[rows] - fit.predict(problem.points[rows])
    return np.asarray(100 * np.sqrt(np.mean(rest**2, axis=0)))


def total_error(errors: Array) -> float:
    """Root mean square over the outputs."""
    return float(np.sqrt(np.mean(np.square(errors))))
