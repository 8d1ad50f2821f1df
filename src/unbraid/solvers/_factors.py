"""Factors of a decomposition, and how to compare two of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
import scipy

from .._typing import Array, Index

LARGEST_ENTRY_SHARE = 0.999  # entries above this share of the largest count as equally large


@dataclass(frozen=True, eq=False)
class Factors:
    """``J[k] ~ W diag(derivatives[k]) V.T``, with branch values G at z = points @ V.

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

    def normalise(self) -> Factors:
        """Return unit columns in W and V, largest entries positive; G takes the scale.

        Of several entries that are equally large, the first one is positive.
        """
        v, w = signed_norms(self.V), signed_norms(self.W)
        return Factors(self.W / w, self.V / v, self.G * w, self.z / v, self.derivatives * (w * v))

    def permute(self, order: Index) -> Factors:
        """Return the branches in another order."""
        return Factors(*(getattr(self, field.name)[:, order] for field in fields(self)))


def unit_columns(matrix: Array) -> Array:
    """Divide the columns of a matrix, or of a stack of them, by their norms."""
    norms = np.linalg.norm(matrix, axis=-2, keepdims=True)
    return np.asarray(matrix / np.where(norms > 0, norms, 1.0))


def signed_norms(matrix: Array) -> Array:
    """Return column norms with the sign of the largest entry; 1 for a zero column."""
    norms, size = np.linalg.norm(matrix, axis=0), np.abs(matrix)
    first = np.argmax(size >= LARGEST_ENTRY_SHARE * size.max(axis=0), axis=0)
    largest = np.take_along_axis(matrix, first[None], axis=0)[0]
    return np.where(norms > 0, np.where(largest < 0, -norms, norms), 1.0)


class HasWV(Protocol):
    """Anything with the matrices W (n, r) and V (m, r)."""

    @property
    def W(self) -> Array: ...

    @property
    def V(self) -> Array: ...


def disagreement(a: HasWV, b: HasWV) -> float:
    """Return the largest angle (rad) between matched columns, signs ignored.

    Columns are matched for the smallest sum of angles. The result is zero where the two are the
    same up to permutation, sign and scale.
    """
    angles = np.maximum(_compute_angles(a.V, b.V), _compute_angles(a.W, b.W))
    nearest = angles.argmin(axis=1)
    if np.unique(nearest).size == nearest.size:  # nearest columns are the best matching
        return float(angles.min(axis=1).max())
    rows, columns = scipy.optimize.linear_sum_assignment(angles)
    return float(angles[rows, columns].max())


def _compute_angles(a: Array, b: Array) -> Array:
    """Return the angles between all pairs of columns, signs ignored."""
    a, b = unit_columns(a), unit_columns(b)
    cosine = a.T @ b
    difference = a[:, :, None] - np.where(cosine < 0, -1.0, 1.0) * b[:, None, :]
    half = np.clip(0.5 * np.linalg.norm(difference, axis=0), 0.0, 1.0)
    return np.asarray(2 * np.arcsin(half))
