"""How much to smooth: generalised cross-validation on the sums of a fit."""

from __future__ import annotations

import numpy as np
import scipy

from ._joint import Data, Fit, coefficient_matrix

GRID = np.logspace(-16, 0, 33)
CLEAN = 1e-16  # loss below which there is nothing to smooth


def cross_validated(data: Data, fit: Fit) -> float:
    """Weight of the penalty on g''' for which generalised cross-validation is least; 0 for none.

    W and V are held, and counted as degrees of freedom. Needs no pass over the points.
    """
    n_points, n, m = data.sizes
    r = fit.C.shape[1]
    if float(fit.loss[0]) < CLEAN:
        return 0.0
    one = np.array([0])
    W, V = fit.W[one], fit.V[one]
    A = coefficient_matrix(data, W, V, fit.select(one).sums, None)[0]
    P = scipy.linalg.block_diag(*fit.stack.select(one).roughness()[0])
    c = fit.C[0].ravel()
    penalised = coefficient_matrix(data, W, V, fit.select(one).sums, fit.penalty)[0]
    target = penalised @ c
    try:
        rates, modes = scipy.linalg.eigh(P, A)
    except np.linalg.LinAlgError:
        return 0.0
    pulled = modes.T @ target
    n_parts = (n * m if data.jacobian_weight else 0) + (n if data.value_weight else 0)
    n_equations = n_points * n_parts
    outer = r * (n + m - 2)
    total = float(fit.jacobian_loss[0] + fit.value_loss[0]) + float(2 * target @ c - c @ A @ c)
    shrink = 1 / (1 + GRID[:, None] * np.maximum(rates, 0.0))
    loss = total - (2 * shrink - shrink**2) @ pulled**2
    freedom = np.clip((shrink.sum(axis=1) + outer) / n_equations, 0.0, 0.999)
    score = np.maximum(loss, 1e-18) / (1 - freedom) ** 2
    best = int(np.argmin(score))
    return 0.0 if best == 0 else float(GRID[best])
