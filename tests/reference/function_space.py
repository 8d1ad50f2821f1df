"""Variable projection written out densely: every residual and derivative in turn."""

import numpy as np


def branches(bases, C, z, order):
    """g, g' or g'' of every branch at z (N, r)."""
    return np.stack([b.design(z[:, i], order) @ C[i] for i, b in enumerate(bases)], axis=1)


def residuals(points, jacobians, values, value_map, weights, bases, W, V, C):
    """Weighted residuals of the Jacobians and of the centred values, one long vector."""
    z = points @ V
    J = np.einsum("oi,ki,li->kol", W, branches(bases, C, z, 1), V) - jacobians
    F = branches(bases, C, z, 0) @ (value_map @ W).T - values
    F = F - F.mean(axis=0)
    return np.concatenate([np.sqrt(weights[0]) * J.ravel(), np.sqrt(weights[1]) * F.ravel()])


def design(points, value_map, weights, bases, W, V, n):
    """Matrix of the residuals in the coefficients alone, (equations, r*K)."""
    r, K = V.shape[1], bases[0].n_functions
    empty = np.zeros((len(points), n, V.shape[0])), np.zeros((len(points), n))
    columns = []
    for unit in np.eye(r * K):
        C = unit.reshape(r, K)
        columns.append(residuals(points, *empty, value_map, weights, bases, W, V, C))
    return np.stack(columns, axis=1)


def derivative(function, x, step=1e-6):
    """Central differences, (len(function), len(x))."""
    columns = [
        (function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(x.size)
    ]
    return np.stack(columns, axis=1)
