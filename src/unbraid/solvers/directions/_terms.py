"""Which curves and linear terms each output needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._typing import Array, Mask
from ._fit import NORMAL_RIDGE, DirectionFit, design_values, make_tables
from ._problem import DirectionProblem

NEGLIGIBLE = 1e-7  # error, relative to the spread of the output


@dataclass(frozen=True, eq=False)
class ChosenTerms:
    """Terms of one output, with their coefficients.

    Attributes
    ----------
    curves : (D,) mask
        Directions that the output has a curve along.
    inputs : (m,) mask
        Inputs with a linear term that no curve carries.
    slopes : (D,)
        Slope along each direction, in addition to its splines.
    linear : (m,)
        Linear terms.
    splines : (D, K - 2)
        Coefficients of the curves.
    """

    curves: Mask
    inputs: Mask
    slopes: Array
    linear: Array
    splines: Array


class _OutputFit:
    """Least squares of one output on some of the terms of a fit."""

    def __init__(self, problem: DirectionProblem, fit: DirectionFit, output: int) -> None:
        self.fit, self.n_inputs = fit, problem.sizes[2]
        self.target = fit.target[:, output]
        rows = problem.validation
        tables = make_tables(problem.points[rows], fit.directions, fit.knots)
        self.design = design_values(problem.points[rows], tables)
        self.values = problem.values[rows, output]

    def columns(self, curves: Mask, inputs: Mask) -> Array:
        """Combinations of the columns of the fit: offset, slopes, linear terms, splines."""
        m, size = self.n_inputs, self.fit.n_curve_coefficients
        every = np.eye(len(self.target))
        slopes = np.zeros((len(self.target), int(curves.sum())))
        slopes[1 : 1 + m] = self.fit.directions[curves].T
        splines = every[:, 1 + m :][:, np.repeat(curves, size)]
        return np.hstack([every[:, :1], slopes, every[:, 1 : 1 + m][:, inputs], splines])

    def solve(self, columns: Array) -> Array:
        """Coefficients of the columns of the fit."""
        matrix = columns.T @ self.fit.matrix @ columns
        matrix[np.diag_indices_from(matrix)] += NORMAL_RIDGE * np.trace(matrix) / len(matrix)
        return np.asarray(np.linalg.solve(matrix, columns.T @ self.target))

    def error(self, curves: Mask, inputs: Mask) -> float:
        """Root mean square error on the validation rows."""
        columns = self.columns(curves, inputs)
        rest = self.values - self.design @ (columns @ self.solve(columns))
        return float(np.sqrt(np.mean(rest**2)))

    def terms(self, curves: Mask, inputs: Mask) -> ChosenTerms:
        solved = self.solve(self.columns(curves, inputs))
        n_directions, n_curves = len(curves), int(curves.sum())
        slopes, linear = np.zeros(n_directions), np.zeros(self.n_inputs)
        splines = np.zeros((n_directions, self.fit.n_curve_coefficients))
        begin = 1 + n_curves
        slopes[curves] = solved[1:begin]
        linear[inputs] = solved[begin : begin + int(inputs.sum())]
        splines[curves] = solved[begin + int(inputs.sum()) :].reshape(n_curves, splines.shape[1])
        return ChosenTerms(curves, inputs, slopes, linear, splines)


def choose_terms(
    problem: DirectionProblem, fit: DirectionFit, output: int, max_increase: float
) -> ChosenTerms:
    """Leave out curves, then linear terms, while the error of an output hardly grows."""
    model = _OutputFit(problem, fit, output)
    curves = np.ones(len(fit.directions), dtype=bool)
    inputs = np.ones(problem.sizes[2], dtype=bool)
    limit = max((1 + max_increase) * model.error(curves, inputs), NEGLIGIBLE)
    for mask in (curves, inputs):
        while np.any(mask):
            places = np.flatnonzero(mask).tolist()
            errors = [_error_without(model, curves, inputs, mask, k) for k in places]
            if min(errors) > limit:
                break
            mask[places[int(np.argmin(errors))]] = False
            limit = max(min(limit, (1 + max_increase) * min(errors)), NEGLIGIBLE)
    return model.terms(curves, inputs)


def _error_without(model: _OutputFit, curves: Mask, inputs: Mask, mask: Mask, k: int) -> float:
    """The error with one entry of a mask, which is one of the two, switched off."""
    mask[k] = False
    error = model.error(curves, inputs)
    mask[k] = True
    return error
