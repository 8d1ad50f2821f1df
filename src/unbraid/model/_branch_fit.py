"""Fit a branch to values or derivatives at some abscissae."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import Array
from .._util.linalg import triangle
from ..bases import Basis
from ..bases._knots import count_distinct
from ..errors import InvalidOptionError
from ..solvers._axis import make_axis
from ._branch import Branch, Extrapolate
from ._curves import ROWS_PER_BLOCK, Expansion, Nonparametric


def fit_branch(
    basis: Basis | None,
    z: Array,
    values: Array | None,
    derivatives: Array | None = None,
    extrapolate: Extrapolate = "linear",
    estimate: Array | None = None,
) -> Branch:
    """Least-squares fit of a basis to values of g, or to derivatives without values.

    The fitted constant is dropped. ``basis=None`` keeps the nonparametric estimate.
    """
    check_basis(basis)
    marks = np.stack([z, values if estimate is None else estimate], axis=1)  # type: ignore[list-item]
    if basis is None:
        return Branch(_nonparametric(z, marks[:, 1], derivatives), extrapolate, marks)
    basis.check_size(z.size)
    bound = basis.reduced(int(count_distinct(z, basis.n_functions))).bind(z)
    if values is not None:
        level = lambda z: np.column_stack([bound.design(z), np.ones(z.size)])  # noqa: E731
        coefficients = _least_squares(level, z, values)[:-1]
    else:
        assert derivatives is not None
        coefficients = _least_squares(lambda z: bound.design(z, 1), z, derivatives)
    curve = Expansion(bound, coefficients)
    marks[:, 1] += np.mean(curve(z) - marks[:, 1])
    return Branch(curve, extrapolate, marks)


def check_basis(basis: Any) -> None:
    """Reject what is neither a basis nor None."""
    if basis is not None and not isinstance(basis, Basis):
        raise InvalidOptionError(
            f"basis is {basis!r}: pass Polynomial(degree), BSpline(n_coefficients), "
            f"PiecewiseLinear, Fourier, RBF, CustomBasis, or None for the estimate itself"
        )


def _least_squares(design: Callable[[Array], Array], z: Array, target: Array) -> Array:
    """Least-squares coefficients; of many rows only a triangular factor is stored."""
    parts = [
        np.column_stack([design(z[k : k + ROWS_PER_BLOCK]), target[k : k + ROWS_PER_BLOCK]])
        for k in range(0, min(z.size, ROWS_PER_BLOCK), ROWS_PER_BLOCK)
    ]
    for k in range(ROWS_PER_BLOCK, z.size, ROWS_PER_BLOCK):
        more = np.column_stack([design(z[k : k + ROWS_PER_BLOCK]), target[k : k + ROWS_PER_BLOCK]])
        parts = [triangle(np.concatenate([*parts, more]))]
    rows, target = parts[0][:, :-1], parts[0][:, -1]
    scale = np.linalg.norm(rows, axis=0)
    scale[scale == 0] = 1.0
    return np.asarray(np.linalg.lstsq(rows / scale, target, rcond=1e-12)[0] / scale)


def _nonparametric(z: Array, values: Array, derivatives: Array | None) -> Nonparametric:
    axis = make_axis(z)
    g = axis.mean_over_ties(values)
    slopes = (
        np.gradient(g, axis.abscissae) if derivatives is None else axis.mean_over_ties(derivatives)
    )
    return Nonparametric(axis.abscissae, g, slopes)
