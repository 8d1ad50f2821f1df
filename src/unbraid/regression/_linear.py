"""Few rows, or nothing to see: a straight function, or a constant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..bases import Polynomial
from ..model._branch import Branch, fit_branch
from ..model._function import DecoupledFunction
from ._rows import Rows


def straight_function(rows: Rows) -> DecoupledFunction:
    """Least squares (of least norm, inputs in units of their spread) as branches that are lines.

    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> d = straight_function(Rows(X, X @ [[3.0], [4.0]] + 1, np.ones(3)))
    >>> d.V.ravel().round(9).tolist(), d([[1.0, 1.0]]).round(9).tolist()
    ([0.6, 0.8], [[8.0]])
    """
    scale = np.where(rows.X.std(axis=0) > 0, rows.X.std(axis=0), 1.0)
    centre = np.average(rows.X, axis=0, weights=rows.weights)
    level = np.average(rows.Y, axis=0, weights=rows.weights)
    root = np.sqrt(rows.weights)[:, None]
    table = root * (rows.X - centre) / scale
    slopes = np.linalg.lstsq(table, root * (rows.Y - level), rcond=1e-10)[0] / scale[:, None]
    left, sizes, right = np.linalg.svd(slopes.T, full_matrices=False)
    kept = max(1, int(np.sum(sizes > 1e-12 * max(sizes[0], 1e-300))))
    sign = np.where(right[np.arange(kept), np.abs(right[:kept]).argmax(axis=1)] < 0, -1.0, 1.0)
    W, V = left[:, :kept] * sign, (right[:kept] * sign[:, None]).T
    flip = np.where(W[np.abs(W).argmax(axis=0), np.arange(kept)] < 0, -1.0, 1.0)
    branches = tuple(
        _line(rows.X @ V[:, i], flip[i] * sizes[i] if sizes[0] > 0 else 0.0) for i in range(kept)
    )
    plain = DecoupledFunction(W * flip, V, branches, np.zeros(len(level)))
    return replace(plain, offset=level - plain(centre[None])[0], spread=rows.X.std(axis=0))


def constant_function(rows: Rows) -> DecoupledFunction:
    """The mean, as a branch that is flat."""
    level = np.average(rows.Y, axis=0, weights=rows.weights)
    return straight_function(Rows(rows.X, np.broadcast_to(level, rows.Y.shape), rows.weights))


def _line(z: Array, slope: float) -> Branch:
    reach = z if np.ptp(z) > 0 else z[0] + np.array([-1.0, 1.0])
    return fit_branch(Polynomial(1), reach, slope * reach)
