"""Normal form of a refined function: unit columns, the largest branch first."""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis, BSpline, Polynomial
from ..metrics import relative_error
from ..model._branch import Branch
from ..model._branch_fit import fit_branch
from ..model._curves import Expansion
from ..model._function import NO_HELD_OUT_ERRORS, DecoupledFunction
from ..model._operating_points import sample_points
from ..model._residuals import sample_residuals
from ..pipeline._partial_residuals import MAX_PARTIAL_RESIDUALS


def normalise(d: DecoupledFunction, table: Array, y: Array) -> DecoupledFunction:
    """The same function in normal form, with its errors at the regressors.

    ``table`` holds the regressors and ``y`` the measured outputs.
    """
    z = table @ d.V
    lengths = np.array(
        [_signed_length(column, b) for column, b in zip(d.V.T, d.branches, strict=True)]
    )
    heights = np.linalg.norm(d.W, axis=0)
    branches = [
        _rescale(branch, z[:, i], lengths[i], heights[i]) for i, branch in enumerate(d.branches)
    ]
    order = np.argsort([-np.std(b(z[:, i] / lengths[i])) for i, b in enumerate(branches)])
    new = replace(
        d,
        V=(d.V / lengths)[:, order],
        W=(d.W / heights)[:, order],
        branches=tuple(branches[i] for i in order),
        solution=None,
        **NO_HELD_OUT_ERRORS,
    )
    new = replace(new, offset=d.offset + np.mean(d(table) - new(table), axis=0))
    values = new(table)
    return replace(
        _with_partial_residuals(new, table, y),
        fitted_error=relative_error(y, values),
        residuals=sample_residuals(y, values),
        spread=table.std(axis=0),
        points=sample_points(table),
    )


def _signed_length(column: Array, branch: Branch) -> float:
    """Length of a column of V; negative if a polynomial's largest entry of V is."""
    assert isinstance(branch.curve, Expansion)
    largest = column[np.argmax(np.abs(column))]
    flip = largest < 0 and isinstance(branch.curve.basis, Polynomial)
    return float(np.linalg.norm(column)) * (-1.0 if flip else 1.0)


def _rescale(branch: Branch, z: Array, length: float, height: float) -> Branch:
    """The branch as a function of z / length, times height, up to a constant."""
    assert isinstance(branch.curve, Expansion)
    basis, coefficients = branch.curve.basis, height * branch.curve.coefficients
    if isinstance(basis, Polynomial) and branch.extrapolate == "basis":
        fitted = fit_branch(basis.unbound(), z / length, height * branch.curve(z))
        return replace(fitted, extrapolate="basis")  # the same polynomial on its new range
    if length < 0:  # Legendre polynomials of odd degree change sign with z
        coefficients = coefficients * (-1.0) ** np.arange(1, coefficients.size + 1)
    curve = Expansion(_stretch(basis, 1 / length), coefficients)
    return replace(branch, curve=curve, estimate=None, band=None)


def _stretch(basis: Basis, factor: float) -> Basis:
    """The same basis functions of ``factor * z``."""
    if isinstance(basis, BSpline):
        assert basis.knots is not None
        return replace(basis, knots=tuple(factor * knot for knot in basis.knots))
    low, high = sorted(factor * end for end in basis.interval)
    return replace(basis, low=low, high=high)  # type: ignore[call-arg]


def _with_partial_residuals(d: DecoupledFunction, table: Array, y: Array) -> DecoupledFunction:
    """The function with partial residuals as the estimate of each branch."""
    count = min(MAX_PARTIAL_RESIDUALS, len(table))
    rows = np.unique(np.linspace(0, len(table) - 1, count).astype(int))
    z, rest = d.transform(table[rows]), (y[rows] - d(table[rows])) @ d.W
    branches = tuple(
        replace(b, estimate=np.column_stack([z[:, i], b(z[:, i]) + rest[:, i]]), band=None)
        for i, b in enumerate(d.branches)
    )
    return replace(d, branches=branches)
