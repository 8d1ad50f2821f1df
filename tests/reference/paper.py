"""Sections 5 and 6 and both appendices of the paper, letter by letter, with dense matrices.

Tensors are n x m x N here, as in the paper. Unfoldings follow Kolda: column-major.
"""

from __future__ import annotations

import numpy as np


def pinv(K):
    """The pseudoinverse with MATLAB's tolerance, which the paper's code had."""
    return np.linalg.pinv(K, rcond=max(K.shape) * np.finfo(float).eps)


def lagrange_derivative_weights(window, z):
    """l'_j(z) for j = 1..k: the general formula of appendix A."""
    k = len(window)
    weights = np.zeros(k)
    for j in range(k):
        for s in range(k):
            if s == j:
                continue
            product = 1.0 / (window[j] - window[s])
            for i in range(k):
                if i not in (s, j):
                    product *= (z - window[i]) / (window[j] - window[i])
            weights[j] += product
    return weights


def difference_matrix(zs, kind, k=3):
    """D for sorted zs: sliding window, stopped at the boundaries."""
    N = len(zs)
    behind = {"left": k - 1, "central": (k - 1) // 2, "right": 0}[kind]
    D = np.zeros((N, N))
    for i in range(N):
        first = min(max(i - behind, 0), N - k)
        D[i, first : first + k] = lagrange_derivative_weights(zs[first : first + k], zs[i])
    return D


def filter_matrix(z, kind, k=3):
    """F = S^-1 D S."""
    S = np.eye(len(z))[np.argsort(z, kind="stable")]
    return S.T @ difference_matrix(S @ z, kind, k) @ S


def filters(P, V, kind, k=3):
    """The stack of F_i, one a branch; P is N x m."""
    return [filter_matrix(P @ V[:, i], kind, k) for i in range(V.shape[1])]


def filtered(F, G):
    """F o G, column by column."""
    return np.stack([F[i] @ G[:, i] for i in range(G.shape[1])], axis=1)


def khatri_rao(A, B):
    return np.stack([np.kron(A[:, i], B[:, i]) for i in range(A.shape[1])], axis=1)


def unfold(J, mode):
    return np.moveaxis(J, mode, 0).reshape(J.shape[mode], -1, order="F")


def blkdiag(blocks):
    N, r = len(blocks[0]), len(blocks)
    result = np.zeros((r * N, r * N))
    for i, block in enumerate(blocks):
        result[i * N : (i + 1) * N, i * N : (i + 1) * N] = block
    return result


def w_update(J, V, derivatives):
    """Eq. (Wimp) by the pseudoinverse of K; derivatives are the F_s o G, N x r each."""
    K = np.vstack([khatri_rao(Gp, V) for Gp in derivatives])
    return (pinv(K) @ np.vstack([unfold(J, 0).T] * len(derivatives))).T


def v_relaxed(J, W, derivatives):
    K = np.vstack([khatri_rao(Gp, W) for Gp in derivatives])
    return (pinv(K) @ np.vstack([unfold(J, 1).T] * len(derivatives))).T


def implicit_objective(J, P, W, V, G, kinds, k=3):
    """Eq. (Vimp) as a function of V: the filters depend on it."""
    return sum(
        np.sum((unfold(J, 1) - V @ khatri_rao(filtered(filters(P, V, s, k), G), W).T) ** 2)
        for s in kinds
    )


def implicit_g_update(J, P, W, V, kinds, k=3):
    """Eq. (Gimp): vec(G) = K^+ [vec(J3); ...]; the pseudoinverse also settles the constants."""
    lift = np.kron(khatri_rao(V, W), np.eye(len(P)))
    K = np.vstack([lift @ blkdiag(filters(P, V, s, k)) for s in kinds])
    target = np.concatenate([unfold(J, 2).ravel(order="F")] * len(kinds))
    return (pinv(K) @ target).reshape(len(P), -1, order="F")


def explicit_g_update(J, P, W, V, smoothness, rms_left, rms_right):
    """Eq. (G_update) with the filters of the penalty divided by the rms of their columns."""
    r = V.shape[1]
    lift = np.kron(khatri_rao(V, W), np.eye(len(P)))
    left = [F / rms_left[i] for i, F in enumerate(filters(P, V, "left"))]
    right = [F / rms_right[i] for i, F in enumerate(filters(P, V, "right"))]
    K = np.vstack(
        [
            lift @ blkdiag(filters(P, V, "central")),
            np.sqrt(smoothness) * (blkdiag(left) - blkdiag(right)),
        ]
    )
    target = np.concatenate([unfold(J, 2).ravel(order="F"), np.zeros(r * len(P))])
    return (pinv(K) @ target).reshape(len(P), -1, order="F")


def explicit_objective(J, P, W, V, G, smoothness, rms_left, rms_right):
    """Eq. (V) as a function of V, with the rms held."""
    data = implicit_objective(J, P, W, V, G, ["central"])
    left = filtered(filters(P, V, "left"), G) / rms_left
    right = filtered(filters(P, V, "right"), G) / rms_right
    return data + smoothness * np.sum((left - right) ** 2)


def implicit_iteration(J, P, W, V, G, kinds=("left", "right")):
    """One ALS iteration with the relaxed V-update: W, V, G."""
    derivatives = [filtered(filters(P, V, s), G) for s in kinds]
    W = w_update(J, V, derivatives)
    V = v_relaxed(J, W, derivatives)
    V = V / np.linalg.norm(V, axis=0)
    return W, V, implicit_g_update(J, P, W, V, kinds)
