"""Linear algebra of the Jacobian tensor: Khatri-Rao products, subspaces, ranks."""

from itertools import combinations

import numpy as np

from .._typing import Array

MIN_SKETCHED_COLUMNS = 100  # columns from which a few combinations of the rows are tried first
SKETCHED_SHARE = 8  # columns over combinations
N_TEST_COMBINATIONS = 4


def khatri_rao(a: Array, b: Array) -> Array:
    """Column-wise Kronecker product; the row index of ``b`` runs fastest.

    >>> khatri_rao(np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]])).ravel()
    array([3., 4., 6., 8.])
    """
    return np.asarray(np.einsum("ir,jr->ijr", a, b).reshape(-1, a.shape[1]))


def triangle(rows: Array) -> Array:
    """Triangular R with ``R.T R = rows.T rows``."""
    return np.asarray(np.linalg.qr(rows, mode="r"))


def subspace(rows: Array, relative_tolerance: float = 1e-12) -> Array | None:
    """Orthonormal basis of the span of the rows, or None where they span everything.

    Singular values below ``relative_tolerance`` of the largest count as zero.
    """
    small = sketched_subspace(rows, relative_tolerance)
    if small is not None:
        return small
    _, singular, right = np.linalg.svd(triangle(rows), full_matrices=False)
    rank = int(np.sum(singular > relative_tolerance * singular[0]))
    return None if rank == rows.shape[1] else np.asarray(right[:rank].T)


def sketched_subspace(rows: Array, relative_tolerance: float) -> Array | None:
    """The same from few random combinations of long rows; None where these miss some.

    The combinations span what the rows span if that has fewer dimensions. Some of them only test
    this (Halko, Martinsson and Tropp, 2011).
    """
    n_rows, n_columns = rows.shape
    count = n_columns // SKETCHED_SHARE
    if n_columns < MIN_SKETCHED_COLUMNS or n_rows < n_columns:
        return None
    mixtures = np.random.default_rng(0).standard_normal((count + N_TEST_COMBINATIONS, n_rows))
    combined = mixtures @ rows
    _, singular, right = np.linalg.svd(combined[:count], full_matrices=False)
    rank = int(np.sum(singular > relative_tolerance * singular[0]))
    basis = right[:rank].T
    test = combined[count:]
    missed = np.linalg.norm(test - (test @ basis) @ basis.T)
    if rank > count // 2 or missed > relative_tolerance * np.linalg.norm(test):
        return None
    _, _, turn = np.linalg.svd(triangle(rows @ basis), full_matrices=False)
    return np.asarray(basis @ turn.T)


def leading(rows: Array, count: int, keep: Array | None = None) -> Array:
    """Orthonormal basis of ``count`` directions in which the rows are largest.

    The directions in ``keep`` come first.

    >>> leading(np.diag([3.0, 2.0, 1.0]), 2).round().T + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    basis = np.zeros((rows.shape[1], 0))
    if keep is not None:
        unit = keep / np.maximum(np.linalg.norm(keep, axis=0), 1e-300)
        basis = np.linalg.qr(unit)[0][:, :count]
    R = triangle(rows)
    _, _, right = np.linalg.svd(R - (R @ basis) @ basis.T, full_matrices=False)
    more = right[: count - basis.shape[1]].T
    most = np.column_stack([basis, more])
    signs = np.sign(most[np.argmax(np.abs(most), axis=0), np.arange(most.shape[1])])
    return np.asarray(most * signs)


def k_rank(matrix: Array, relative_tolerance: float = 1e-8) -> int:
    """Largest k such that every k columns are independent (Kruskal's rank)."""
    n_columns = matrix.shape[1]
    norms = np.linalg.norm(matrix, axis=0)
    if np.any(norms == 0):
        return 0
    unit = matrix / norms
    best = 1
    for size in range(2, min(matrix.shape) + 1):
        for chosen in combinations(range(n_columns), size):
            singular = np.linalg.svd(unit[:, chosen], compute_uv=False)
            if singular[-1] <= relative_tolerance * singular[0]:
                return best
        best = size
    return best


def damped_solve(hessian: Array, gradient: Array, scale: Array, damping: float) -> Array:
    """Levenberg-Marquardt step, damped in proportion to ``scale``.

    ``scale`` is the diagonal of the Hessian before elimination.
    """
    floor = 1e-9 * max(float(scale.max()), 1e-300)
    damped = hessian + np.diag((damping + 1e-9) * scale + floor)
    return np.asarray(np.linalg.lstsq(damped, gradient, rcond=1e-14)[0])
