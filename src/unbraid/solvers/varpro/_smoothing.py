"""The weight of the smoothing penalty by generalised cross-validation."""

import numpy as np
import scipy

from ..._typing import Array
from ._data import Data
from ._joint import Fit, assemble_coefficient_matrix

SMOOTHING_GRID = np.logspace(-16, 0, 33)  # weights of the penalty that are compared
NOISE_FREE_LOSS = 1e-16  # loss below which there is nothing to smooth


def choose_smoothing(data: Data, fit: Fit) -> Array:
    """Return the penalty weights (S,) on g''' that cross-validation favours.

    One is 0 where no penalty is needed. W and V are fixed, and counted as degrees of freedom. No
    pass over the points is made.
    """
    matrices = assemble_coefficient_matrix(data, fit.W, fit.V, fit.sums, None)
    n_equations = np.broadcast_to(_count_equations(data), fit.loss.shape)
    noisy = np.flatnonzero(fit.loss >= NOISE_FREE_LOSS)
    weights = np.zeros(len(fit.loss))
    for s in noisy:
        weights[s] = _choose_weight(fit, int(s), matrices[s], float(n_equations[s]))
    return weights


def _count_equations(data: Data) -> Array:
    """Return the number of data that count, for every start."""
    _, n, m = data.sizes
    return data.n_points * (n * m * (data.jacobian_weight > 0) + n * (data.value_weight > 0))


def _choose_weight(fit: Fit, s: int, A: Array, n_equations: float) -> float:
    """Return the weight for one start, whose normal matrix without penalty is A."""
    P = scipy.linalg.block_diag(*fit.stack.roughness[s])
    c = fit.C[s].ravel()
    target = A @ c
    if fit.penalty is not None:
        target += np.einsum("iab,ib->ia", fit.penalty[s], fit.C[s]).ravel()
    try:
        rates, modes = scipy.linalg.eigh(P, A)
    except np.linalg.LinAlgError:
        return 0.0
    projected = modes.T @ target
    n_outer = fit.C.shape[1] * (fit.W.shape[1] + fit.V.shape[1] - 2)
    total = float(fit.jacobian_loss[s] + fit.value_loss[s]) + float(2 * target @ c - c @ A @ c)
    shrink = 1 / (1 + SMOOTHING_GRID[:, None] * np.maximum(rates, 0.0))
    loss = total - (2 * shrink - shrink**2) @ projected**2
    freedom = np.clip((shrink.sum(axis=1) + n_outer) / n_equations, 0.0, 0.999)
    score = np.maximum(loss, 1e-18) / (1 - freedom) ** 2
    best = int(np.argmin(score))
    return 0.0 if best == 0 else float(SMOOTHING_GRID[best])
