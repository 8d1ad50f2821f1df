"""Factors of a decomposition, and how to compare two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from .._typing import Array, Index

EQUAL = 0.999  # of the largest: an entry that is as large but for rounding


@dataclass(frozen=True, eq=False)
class Factors:
    """``J[k] ~ W diag(derivatives[k]) V.T`` with ``G`` the branch values at ``z = points @ V``.

    Shapes: W (n, r), V (m, r), G, z and derivatives (N, r).
    """

    W: Array
    V: Array
    G: Array
    z: Array
    derivatives: Array

    @property
    def n_branches(self) -> int:
        return int(self.W.shape[1])

    def normalised(self) -> Factors:
        """Unit columns in W and V, largest entry of each positive; G carries the size.

        Of entries that are equally large, the first one is.
        """
        v = signed_norm(self.V)
        w = signed_norm(self.W)
        return Factors(self.W / w, self.V / v, self.G * w, self.z / v, self.derivatives * (w * v))

    def permuted(self, order: Index) -> Factors:
        """Branches in another order."""
        return Factors(
            self.W[:, order],
            self.V[:, order],
            self.G[:, order],
            self.z[:, order],
            self.derivatives[:, order],
        )


def signed_norm(matrix: Array) -> Array:
    """Column norms with the sign of the largest entry; 1 for a zero column."""
    norms, size = np.linalg.norm(matrix, axis=0), np.abs(matrix)
    first = np.argmax(size >= EQUAL * size.max(axis=0), axis=0)
    largest = np.take_along_axis(matrix, first[None], axis=0)[0]
    signed = norms * np.where(largest < 0, -1.0, 1.0)
    return np.where(norms > 0, signed, 1.0)


class HasWV(Protocol):
    @property
    def W(self) -> Array: ...

    @property
    def V(self) -> Array: ...


def disagreement(a: HasWV, b: HasWV) -> float:
    """Largest angle (rad) between matched columns of W or V, best matching, signs ignored.

    Zero when the two are the same up to permutation, sign and scale.
    """
    angles = np.maximum(_angles(a.V, b.V), _angles(a.W, b.W))
    nearest = angles.argmin(axis=1)
    if np.unique(nearest).size == nearest.size:  # no two want the same: the best matching
        return float(angles.min(axis=1).max())
    rows, columns = scipy.optimize.linear_sum_assignment(angles)
    return float(angles[rows, columns].max())


def _angles(a: Array, b: Array) -> Array:
    """Angles between all pairs of columns; a column and its negative count as one line."""
    a = a / np.maximum(np.linalg.norm(a, axis=0), 1e-300)
    b = b / np.maximum(np.linalg.norm(b, axis=0), 1e-300)
    cosine = a.T @ b
    difference = a[:, :, None] - np.where(cosine < 0, -1.0, 1.0) * b[:, None, :]
    half = np.clip(0.5 * np.linalg.norm(difference, axis=0), 0.0, 1.0)
    return np.asarray(2 * np.arcsin(half))
