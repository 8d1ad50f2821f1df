"""Products of arrays with a leading axis of S starts."""

from __future__ import annotations

import numpy as np

from ..._typing import Array


def flat(table: Array) -> Array:
    """(S, N, r, K) as (S, N, rK)."""
    return table.reshape(*table.shape[:2], -1)


def products(V: Array, W: Array) -> Array:
    """Khatri-Rao product of every start, (S, n*m, r), inputs running fastest."""
    return np.asarray(np.einsum("sor,slr->solr", W, V).reshape(len(V), -1, V.shape[2]))


def gram(a: Array, b: Array) -> Array:
    return np.asarray(a.swapaxes(-1, -2) @ b)


def apply(table: Array, C: Array) -> Array:
    """Sum over the basis: (S, N, r)."""
    return np.asarray(np.einsum("snik,sik->sni", table, C))


def pull(table: Array, target: Array) -> Array:
    """Sum over the points: (S, r, K)."""
    return np.asarray(np.einsum("snik,sni->sik", table, target))
