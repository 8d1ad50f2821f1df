"""Values and Jacobians of W g(V' p) + offset at points."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._typing import Array, Mask
from .._util.tables import match_columns
from .._util.validation import check_overflow, finite_array
from ..errors import InvalidSamplesError
from ._branch import Branch

EVALUATED_POINTS_PER_BLOCK = 16384  # the temporaries stay in the cache


def as_point_table(points: Any, n_inputs: int, names: Sequence[str] | None) -> Array:
    """Points as (N, m); the columns of a table are matched by name."""
    table = finite_array("points", match_columns(points, names))
    table = table[None, :] if table.ndim == 1 and n_inputs > 1 else table
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] != n_inputs:
        raise InvalidSamplesError(
            f"points has shape {np.shape(points)} but this function has {n_inputs} inputs: pass "
            f"(N, {n_inputs})"
        )
    return table


def project(V: Array, table: Array) -> Array:
    """z = V' p, (N, r)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return check_overflow("z = V' p", np.asarray(table @ V), table)


def evaluate(W: Array, V: Array, branches: Sequence[Branch], offset: Array, table: Array) -> Array:
    """Values (N, n), block by block."""
    values = np.empty((len(table), len(W)))
    with np.errstate(over="ignore", invalid="ignore"):
        for begin in range(0, len(table), EVALUATED_POINTS_PER_BLOCK):
            rows = slice(begin, begin + EVALUATED_POINTS_PER_BLOCK)
            z = V.T @ table[rows].T
            g = np.stack([branch(row) for branch, row in zip(branches, z, strict=True)])
            values[rows] = (W @ g).T
        values += offset
    return _check_finite(values, branches, table)


def differentiate(W: Array, V: Array, branches: Sequence[Branch], table: Array) -> Array:
    """Jacobians (N, n, m), eq. (Jac_d)."""
    with np.errstate(over="ignore", invalid="ignore"):
        z = (table @ V).T
        slopes = [branch.derivative(row) for branch, row in zip(branches, z, strict=True)]
        scaled = np.stack(slopes, 1)[:, None, :] * W
        return _check_finite(np.asarray(scaled @ V.T), branches, table)


def is_inside(branches: Sequence[Branch], z: Array) -> Mask:
    """Which rows of z are in the range of the data of every branch, (N,)."""
    low, high = np.transpose([branch.interval for branch in branches])
    return np.asarray(np.all((z >= low) & (z <= high), axis=1))


def _check_finite(values: Array, branches: Sequence[Branch], table: Array) -> Array:
    """The values, unless they overflowed; NaN only with extrapolate="nan"."""
    if any(branch.extrapolate == "nan" for branch in branches):
        return values
    return check_overflow("the decoupled function", values, table)
