"""The implicit method of the paper, whole and as written, on top of ``tests/reference``.

The filters are filled without a loop, so that what is timed is the dense algebra of the paper and
not the interpreter; a test compares them with those of ``tests/reference``.

W by the pseudoinverse; V by Levenberg-Marquardt with numerical derivatives, started from the
relaxation and followed by a normalisation; G by the pseudoinverse. Random N(0, 1) starts. What
the paper leaves open: about five Levenberg-Marquardt steps a V-update, at most 200 iterations, an
iterate is kept if its objective is the least so far, and the run stops once that has fallen by
less than 1e-6 of itself in 20 iterations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from tests.reference import paper

Array = np.ndarray
KINDS = ("left", "right")
ITERATIONS = 200
PATIENCE = 20


@dataclass(frozen=True)
class Dense:
    """The best iterate, and how long it took to get there and beyond."""

    W: Array
    V: Array
    G: Array
    objective: float
    iterations: int
    seconds: float


def filter_matrix(z: Array, kind: str) -> Array:
    """F = S^-1 D S, three points; the nine weights of appendix A, a column each."""
    order = np.argsort(z, kind="stable")
    x, N = z[order], len(z)
    behind = {"left": 2, "right": 0}[kind]
    first = np.clip(np.arange(N) - behind, 0, N - 3)
    a, b, c = x[first], x[first + 1], x[first + 2]
    D, rows = np.zeros((N, N)), np.arange(N)
    D[rows, first] = (2 * x - b - c) / ((a - b) * (a - c))
    D[rows, first + 1] = (2 * x - a - c) / ((b - a) * (b - c))
    D[rows, first + 2] = (2 * x - a - b) / ((c - a) * (c - b))
    F = np.empty_like(D)
    F[np.ix_(order, order)] = D
    return F


def filters(P: Array, V: Array, kind: str) -> list[Array]:
    """One a branch."""
    return [filter_matrix(z, kind) for z in (P @ V).T]


def g_update(J: Array, P: Array, W: Array, V: Array) -> Array:
    """Eq. (Gimp) by the pseudoinverse of the whole matrix."""
    lift = np.kron(paper.khatri_rao(V, W), np.eye(len(P)))
    K = np.vstack([lift @ paper.blkdiag(filters(P, V, kind)) for kind in KINDS])
    target = np.concatenate([paper.unfold(J, 2).ravel(order="F")] * len(KINDS))
    return np.asarray((paper.pinv(K) @ target).reshape(len(P), -1, order="F"))


def residuals(J: Array, P: Array, W: Array, V: Array, G: Array) -> Array:
    """Of eq. (Vimp), one long vector; the filters follow V."""
    parts = []
    for kind in KINDS:
        slopes = paper.filtered(filters(P, V, kind), G)
        parts.append((paper.unfold(J, 1) - V @ paper.khatri_rao(slopes, W).T).ravel())
    return np.concatenate(parts)


def nonlinear_v(J: Array, P: Array, W: Array, V: Array, G: Array) -> Array:
    """Eq. (Vimp) by Levenberg-Marquardt; derivatives by differences, as in MATLAB's solver."""
    slopes = paper.filtered(filters(P, V, KINDS[0]), G)
    start = paper.v_relaxed(J, W, [slopes])

    def miss(flat: Array) -> Array:
        return residuals(J, P, W, flat.reshape(V.shape), G)

    found = least_squares(miss, start.ravel(), method="lm", max_nfev=5 * (start.size + 1))
    return np.asarray(found.x.reshape(V.shape))


def relaxed_v(J: Array, P: Array, W: Array, V: Array, G: Array) -> Array:
    """The relaxation alone, over both filters."""
    return paper.v_relaxed(J, W, [paper.filtered(filters(P, V, s), G) for s in KINDS])


V_UPDATES: dict[str, Callable[..., Array]] = {"nonlinear": nonlinear_v, "relaxed": relaxed_v}


def iteration(J: Array, P: Array, W: Array, V: Array, G: Array, v_update: str) -> tuple[Array, ...]:
    """W, V, G in turn."""
    W = paper.w_update(J, V, [paper.filtered(filters(P, V, s), G) for s in KINDS])
    V = V_UPDATES[v_update](J, P, W, V, G)
    V = V / np.linalg.norm(V, axis=0)
    return W, V, g_update(J, P, W, V)


def solve(
    P: Array,
    jacobians: Array,
    n_branches: int,
    seed: int,
    v_update: str = "nonlinear",
    iterations: int = ITERATIONS,
    seconds: float = np.inf,
) -> Dense:
    """One start; jacobians are (N, n, m)."""
    J = jacobians.transpose(1, 2, 0)
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((J.shape[0], n_branches))
    V = rng.standard_normal((J.shape[1], n_branches))
    G = rng.standard_normal((len(P), n_branches))
    V = V / np.linalg.norm(V, axis=0)
    began, best, history = time.perf_counter(), Dense(W, V, G, np.inf, 0, 0.0), [np.inf]
    for count in range(1, iterations + 1):
        W, V, G = iteration(J, P, W, V, G, v_update)
        objective = float(np.sum(residuals(J, P, W, V, G) ** 2))
        used = time.perf_counter() - began
        kept = (W, V, G, objective) if objective < best.objective else (
            best.W, best.V, best.G, best.objective)  # fmt: skip
        best = Dense(*kept, count, used)
        history.append(best.objective)
        settled = count > PATIENCE and history[-1] > (1 - 1e-6) * history[-1 - PATIENCE]
        if settled or used > seconds:
            break
    return best


def function(
    found: Dense, P: Array, values: Array, degree: int
) -> tuple[Callable[[Array], Array], int]:
    """Polynomials through the columns of G, constants from the values; and how many numbers."""
    z = P @ found.V
    fits = [np.polynomial.Polynomial.fit(z[:, i], found.G[:, i], degree) for i in range(z.shape[1])]

    def without_constant(points: Array) -> Array:
        z = points @ found.V
        return np.stack([g(z[:, i]) for i, g in enumerate(fits)], axis=1) @ found.W.T

    constant = (values - without_constant(P)).mean(axis=0)
    size = found.W.size + found.V.size + degree * len(fits) + constant.size
    return (lambda points: without_constant(points) + constant), size
