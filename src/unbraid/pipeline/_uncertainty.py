"""Estimate what is identified, standard errors, and bands of the branches."""

from dataclasses import replace

import numpy as np

from .._typing import Array
from ..data._samples import Samples
from ..model._function import DecoupledFunction
from ..solvers._uncertainty import Uncertainty
from ._canonical import count_movable_branches
from ._linearisation import Linearisation

FLAT_CURVATURE = 1e-9  # relative to the largest: below it the data do not see a direction
EQUAL_COSINE = 1 - 1e-12  # of the directions of two branches that are one
BAND_NODES = 101


def estimate_uncertainty(
    function: DecoupledFunction, samples: Samples, linearisation: Linearisation
) -> Uncertainty:
    """Read the uncertainty of a function from its linearised fit."""
    fit = linearisation.fit
    return Uncertainty(
        _count_flat_directions(linearisation.outer_matrix()),
        _count_copies(fit.W[0], fit.V[0]),
        0 if linearisation.free is not None else count_movable_branches(function, samples),
        float(linearisation.direction_errors(np.eye(fit.V.shape[1])).max()),
        linearisation.direction_errors(linearisation.problem.lift_V),
        _bands(function, linearisation),
    )


def with_bands(function: DecoupledFunction, uncertainty: Uncertainty) -> DecoupledFunction:
    """The function with a band of two standard errors on every branch."""
    pairs = zip(function.branches, uncertainty.bands, strict=True)
    return replace(function, branches=tuple(replace(b, band=band) for b, band in pairs))


def _count_flat_directions(matrix: Array) -> int:
    """Directions of W and V without curvature, the matrix scaled to a unit diagonal."""
    if not matrix.size:  # the pattern leaves nothing free
        return 0
    scale = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    rates = np.linalg.eigvalsh(matrix / scale / scale[:, None])
    return int(np.sum(rates < FLAT_CURVATURE * rates[-1]))


def _count_copies(W: Array, V: Array) -> int:
    """Count branches with the same columns of W and V as an earlier one."""
    alike = np.minimum(np.abs(W.T @ W), np.abs(V.T @ V)) > EQUAL_COSINE
    return int(np.any(np.triu(alike, 1), axis=0).sum())


def _bands(function: DecoupledFunction, linearisation: Linearisation) -> tuple[Array, ...]:
    nodes = np.linspace(-1, 1, BAND_NODES)
    bands = []
    for i, branch in enumerate(function.branches):
        size = np.linalg.norm(linearisation.problem.lift_W @ linearisation.fit.W[0, :, i])
        half = 2 * size * linearisation.branch_errors(nodes, i)
        bands.append(np.column_stack([np.linspace(*branch.interval, BAND_NODES), half]))
    return tuple(bands)
