"""Bands of the branches of a regression, from its posterior.

Branches can trade straight lines with each other. The band of a branch is therefore that of its
curve without mean and slope, plus the slope of the whole function along its direction: both are
determined by the data.
"""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..model._function import DecoupledFunction
from ._linearised import BranchDesign
from ._posterior import Posterior, chunk_rows

BAND_NODES = 101


def with_posterior_bands(d: DecoupledFunction, posterior: Posterior, X: Array) -> DecoupledFunction:
    """The function with a band of two standard errors on every branch.

    ``X`` (N, m) are rows of the data. Linear functions get no bands.
    """
    design = posterior.design
    if not isinstance(design, BranchDesign):
        return d
    x = posterior.scaling.standardise(X)
    linear, linear_reported = _fit_linear_parts(posterior, x, d(X))
    fit, branches = posterior.fit, []
    for i, spline in enumerate(design.splines):
        W, v, place = design.W[:, i], design.V[:, i], design.place(i)
        nodes = np.linspace(*spline.interval, BAND_NODES)
        along = np.einsum("o,l,olq->q", W, v, linear)
        rows = np.outer(nodes, along)
        rows[:, place] += _remove_line(x @ v, spline.design(x @ v), nodes, spline.design(nodes))
        variance = np.einsum("ka,ab,kb->k", rows, fit.covariance, rows)
        reported = nodes * float(W @ linear_reported @ v)
        reported += _reported_curve(d, design, i, x @ v, nodes)
        variance += (rows @ fit.coefficients - reported) ** 2
        half = 2 * np.sqrt(np.maximum(variance, 0.0)) / design.heights[i]
        place_z = design.starts[i] + design.scales[i] * nodes
        branches.append(replace(d.branches[i], band=np.column_stack([place_z, half])))
    return replace(d, branches=tuple(branches))


def _fit_linear_parts(posterior: Posterior, x: Array, values: Array) -> tuple[Array, Array]:
    """Slopes (n, m, q) of the derivatives, and those (n, m) of values."""
    scaling, design = posterior.scaling, posterior.design
    lines = np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.pinv(lines.T @ lines)[1:]
    n, q = values.shape[1], len(posterior.fit.coefficients)
    sums = np.zeros((n, lines.shape[1], q))
    for rows in chunk_rows(len(x), n * q):
        sums += np.einsum("nl,noq->olq", lines[rows], design.table(x[rows]), optimize=True)
    reported = (values - scaling.level) / scaling.size
    return inverse @ sums, (inverse @ (lines.T @ reported)).T


def _reported_curve(
    d: DecoupledFunction, design: BranchDesign, i: int, z: Array, nodes: Array
) -> Array:
    """A branch of the function at nodes, in standardised units, without its line."""
    at = [
        design.heights[i] * d.branches[i](design.starts[i] + design.scales[i] * t)
        for t in (z, nodes)
    ]
    return _remove_line(z, at[0][:, None], nodes, at[1][:, None])[:, 0]


def _remove_line(z: Array, at_data: Array, nodes: Array, at_nodes: Array) -> Array:
    """Functions at nodes (M, K) less their lines over the data z (N,)."""
    line = np.linalg.lstsq(np.column_stack([np.ones_like(z), z]), at_data, rcond=None)[0]
    return np.asarray(at_nodes - line[0] - np.outer(nodes, line[1]))
