"""Branches as functions of another variable: z = scale * new z + shift."""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Basis, BSpline, CustomBasis, SignedSquare
from ..errors import InvalidOptionError
from ..model._branch import Branch
from ..model._curves import Expansion

NODES_PER_FUNCTION = 6  # at which a mirrored curve is refitted exactly


def change_variable(
    branch: Branch, scale: float, shift: float = 0.0, height: float = 1.0
) -> tuple[Branch, float]:
    """The branch ``height * g(scale z + shift)`` and a constant to be added to it.

    The constant is not 0 for a negative scale, because bases leave out the constant.
    """
    curve = branch.curve
    if not isinstance(curve, Expansion):
        raise InvalidOptionError("the branches of a dynamic model must be in a basis")
    basis = _change_basis(curve.basis, scale, shift)
    coefficients, constant = height * curve.coefficients, 0.0
    if scale < 0:
        low, high = basis.interval
        nodes = np.linspace(low, high, NODES_PER_FUNCTION * basis.n_functions + 2)
        table = np.column_stack([basis.design(nodes), np.ones(nodes.size)])
        values = height * curve(np.clip(scale * nodes + shift, *curve.interval))
        *fitted, constant = np.linalg.lstsq(table, values, rcond=None)[0]
        coefficients = np.array(fitted)
    new = replace(branch, curve=Expansion(basis, coefficients), estimate=None, band=None)
    return new, float(constant)


def _change_basis(basis: Basis, scale: float, shift: float) -> Basis:
    """The basis on the same interval of the old variable."""
    if isinstance(basis, CustomBasis):
        raise InvalidOptionError(
            "the functions of a CustomBasis cannot be rescaled: use another basis for dynamic "
            "models"
        )
    if isinstance(basis, BSpline):
        knots = (np.asarray(basis.knots) - shift) / scale
        return replace(basis, knots=tuple(np.sort(knots).tolist()))
    low, high = sorted((end - shift) / scale for end in basis.interval)
    moved = {"low": low, "high": high}
    if isinstance(basis, SignedSquare):
        moved["centre"] = (basis.centre - shift) / scale
    return replace(basis, **moved)


def fit_curve(
    basis: Basis, z: Array, values: Array, ridge: float = 1e-9
) -> tuple[Expansion, float]:
    """Least-squares fit of an unbound basis to values at z, and the constant.

    A small relative ridge keeps coefficients without data small.
    """
    bound = basis.bind(z)
    table = np.column_stack([bound.design(z), np.ones(z.size)])
    matrix = table.T @ table
    matrix[np.diag_indices_from(matrix)] += ridge * np.trace(matrix) / len(matrix)
    solved = np.linalg.solve(matrix, table.T @ values)
    return Expansion(bound, solved[:-1]), float(solved[-1])
