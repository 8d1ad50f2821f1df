"""The weight of the smoothing penalty by generalised cross-validation."""

import numpy as np
import scipy

from ._data import Data
from ._joint import Fit, assemble_coefficient_matrix

SMOOTHING_GRID = np.logspace(-16, 0, 33)  # weights of the penalty that are compared
NOISE_FREE_LOSS = 1e-16  # loss below which there is nothing to smooth


def choose_smoothing(data: Data, fit: Fit) -> float:
    """Return the penalty weight on g''' that cross-validation favours.

    It is 0 where none is needed. W and V are fixed, and counted as degrees of freedom. No pass over
    the points is made.
    """
    n_points, n, m = data.sizes
    if float(fit.loss[0]) < NOISE_FREE_LOSS:
        return 0.0
    first = fit.select(np.array([0]))
    arguments = data, first.W, first.V, first.sums
    A = assemble_coefficient_matrix(*arguments, None)[0]
    P = scipy.linalg.block_diag(*first.stack.roughness()[0])
    c = first.C[0].ravel()
    target = assemble_coefficient_matrix(*arguments, first.penalty)[0] @ c
    try:
        rates, modes = scipy.linalg.eigh(P, A)
    except np.linalg.LinAlgError:
        return 0.0
    projected = modes.T @ target
    n_parts = (n * m if data.jacobian_weight else 0) + (n if data.value_weight else 0)
    n_outer = fit.C.shape[1] * (n + m - 2)
    total = float(fit.jacobian_loss[0] + fit.value_loss[0]) + float(2 * target @ c - c @ A @ c)
    shrink = 1 / (1 + SMOOTHING_GRID[:, None] * np.maximum(rates, 0.0))
    loss = total - (2 * shrink - shrink**2) @ projected**2
    freedom = np.clip((shrink.sum(axis=1) + n_outer) / (n_points * n_parts), 0.0, 0.999)
    score = np.maximum(loss, 1e-18) / (1 - freedom) ** 2
    best = int(np.argmin(score))
    return 0.0 if best == 0 else float(SMOOTHING_GRID[best])
