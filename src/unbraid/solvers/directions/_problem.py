"""Samples in standardised inputs and outputs, for fits of directions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..._typing import Array, Index
from ...data._samples import Samples

CONSTANT_SPREAD = 1e-12  # relative to the mean: smaller spreads are rounding


@dataclass(frozen=True, eq=False)
class DirectionProblem:
    """Standardised samples.

    Attributes
    ----------
    points, values, jacobians : (N, m), (N, n), (N, n, m)
        Inputs and outputs minus their means, over their spreads; Jacobians to match.
    fitted, validation : arrays of int
        Rows that are fitted, and rows that models are compared on.
    slope_weight : float
        Weight of the Jacobians; that of the values is 1.
    centre, spread : (m,)
        Mean and standard deviation of each input; the spread of a constant one is 1.
    output_centre, output_spread : (n,)
        The same of each output.
    """

    points: Array
    values: Array
    jacobians: Array
    fitted: Index
    validation: Index
    slope_weight: float
    centre: Array
    spread: Array
    output_centre: Array
    output_spread: Array

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(N, n, m)."""
        n_points, n_outputs, n_inputs = self.jacobians.shape
        return n_points, n_outputs, n_inputs

    def select_output(self, output: int) -> DirectionProblem:
        """The problem of one output."""
        columns = [output]
        return replace(
            self,
            values=self.values[:, columns],
            jacobians=self.jacobians[:, columns],
            output_centre=self.output_centre[columns],
            output_spread=self.output_spread[columns],
        )

    def standardise_directions(self, V: Array) -> Array:
        """Unit rows (r, m) of the columns of V (m, r), which has the user's units."""
        return unit_rows((V * self.spread[:, None]).T)


def make_direction_problem(
    fitted: Samples, validation: Samples, slope_weight: float
) -> DirectionProblem:
    """Standardise samples by the means and spreads of all of them."""
    points = np.vstack([fitted.points, validation.points])
    values = np.vstack([fitted.values, validation.values])
    jacobians = np.concatenate([fitted.jacobians, validation.jacobians])
    centre, spread = _location_and_scale(points)
    output_centre, output_spread = _location_and_scale(values)
    rows = np.arange(len(points))
    return DirectionProblem(
        (points - centre) / spread,
        (values - output_centre) / output_spread,
        jacobians * spread / output_spread[:, None],
        rows[: len(fitted)],
        rows[len(fitted) :],
        slope_weight,
        centre,
        spread,
        output_centre,
        output_spread,
    )


def _location_and_scale(table: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each column; a constant column has 1."""
    mean, spread = table.mean(axis=0), table.std(axis=0)
    return mean, np.where(spread > CONSTANT_SPREAD * np.abs(mean), spread, 1.0)


def unit_rows(table: Array) -> Array:
    """Rows divided by their lengths."""
    length = np.linalg.norm(table, axis=1, keepdims=True)
    return np.asarray(table / np.where(length > 0, length, 1.0))
