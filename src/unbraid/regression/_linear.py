"""Linear and constant functions, for few rows or data without variation."""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Polynomial
from ..model._branch import Branch
from ..model._branch_fit import fit_branch
from ..model._function import DecoupledFunction
from ..model._operating_points import sample_points
from ._rows import Rows


def fit_linear_function(rows: Rows) -> DecoupledFunction:
    """Least-squares fit of a function with linear branches.

    The solution has the least norm, with inputs scaled by their spread.

    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> d = fit_linear_function(Rows(X, X @ [[3.0], [4.0]] + 1, np.ones(3)))
    >>> d.V.ravel().round(9).tolist(), d([[1.0, 1.0]]).round(9).tolist()
    ([0.6, 0.8], [[8.0]])
    """
    scale = np.where(rows.X.std(axis=0) > 0, rows.X.std(axis=0), 1.0)
    centre = np.average(rows.X, axis=0, weights=rows.weights)
    root = np.sqrt(rows.weights)[:, None]
    table = root * (rows.X - centre) / scale
    slopes = np.linalg.lstsq(table, root * (rows.Y - rows.mean), rcond=1e-10)[0] / scale[:, None]
    left, sizes, right = np.linalg.svd(slopes.T, full_matrices=False)
    kept = max(1, int(np.sum(sizes > 1e-12 * max(sizes[0], 1e-300))))
    sign = np.where(right[np.arange(kept), np.abs(right[:kept]).argmax(axis=1)] < 0, -1.0, 1.0)
    W, V = left[:, :kept] * sign, (right[:kept] * sign[:, None]).T
    flip = np.where(W[np.abs(W).argmax(axis=0), np.arange(kept)] < 0, -1.0, 1.0)
    branches = tuple(
        _make_line(rows.X @ V[:, i], flip[i] * sizes[i] if sizes[0] > 0 else 0.0)
        for i in range(kept)
    )
    plain = DecoupledFunction(W * flip, V, branches, np.zeros(rows.Y.shape[1]))
    return replace(
        plain,
        offset=rows.mean - plain(centre[None])[0],
        spread=rows.X.std(axis=0),
        points=sample_points(rows.X),
    )


def with_leave_one_out_errors(d: DecoupledFunction, rows: Rows) -> DecoupledFunction:
    """The linear function with its error on rows that are left out one by one."""
    if len(rows) < 2:
        return d
    values = np.empty_like(rows.Y)
    for k in range(len(rows)):
        kept = rows.subset(np.delete(np.arange(len(rows)), k))
        values[k] = fit_linear_function(kept)(rows.X[k : k + 1])[0]
    errors = 100 * np.sqrt(rows.output_errors(values, rows.output_scale))
    return replace(d, held_out_error=errors)


def fit_constant_function(rows: Rows) -> DecoupledFunction:
    """The mean, as one branch of slope 0."""
    return fit_linear_function(replace(rows, Y=np.broadcast_to(rows.mean, rows.Y.shape)))


def _make_line(z: Array, slope: float) -> Branch:
    reach = z if np.ptp(z) > 0 else z[0] + np.array([-1.0, 1.0])
    return fit_branch(Polynomial(1), reach, slope * reach)
