"""Shares of terms in the variance of their sum: LMG shares, never negative.

The share of a term is what it adds to the explained variance, averaged over all orders in which the
terms can be added (Lindeman, Merenda and Gold; the Shapley value).
"""

from itertools import combinations
from math import comb

import numpy as np

from .._typing import Array
from .._util.linalg import triangle

MIN_PLAYER_VARIANCE = 1e-3  # of the sum
MAX_PLAYERS = 10  # terms with separate shares: there are 2^10 subsets of them


def lmg_shares(terms: Array) -> Array:
    """Shares of the columns of ``terms`` (N, k) in the variance of their sum.

    Shares are at least 0 and add up to 1. The share of a term below 0.1 % is its variance: what it
    explains by chance is more. If there are many terms, the smallest count as one and divide its
    share in proportion to their variances.

    >>> x = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> lmg_shares(x * [2.0, 1.0]).round(9).tolist()
    [0.8, 0.2]
    """
    terms = terms - terms.mean(axis=0)
    variances = np.mean(terms**2, axis=0) / max(float(np.mean(terms.sum(axis=1) ** 2)), 1e-300)
    shares = np.where(variances < MIN_PLAYER_VARIANCE, variances, 0.0)
    players = np.flatnonzero(variances >= MIN_PLAYER_VARIANCE)
    left = max(1 - float(shares.sum()), 0.0)
    if len(players) <= MAX_PLAYERS:
        shares[players] = left * _exact_shares(terms[:, players])
    else:
        players = players[np.argsort(-variances[players], kind="stable")]
        large, small = players[: MAX_PLAYERS - 1], players[MAX_PLAYERS - 1 :]
        merged = np.column_stack([terms[:, large], terms[:, small].sum(axis=1)])
        found = left * _exact_shares(merged)
        shares[large] = found[:-1]
        shares[small] = found[-1] * variances[small] / variances[small].sum()
    return np.asarray(shares / shares.sum()) if shares.sum() > 0 else shares


def _exact_shares(terms: Array) -> Array:
    """LMG shares from the explained variance of every set of terms."""
    k = terms.shape[1]
    total = terms.sum(axis=1)
    factor = triangle(np.column_stack([terms, total]))
    columns, target = factor[:, :k], factor[:, k]
    scale = np.linalg.norm(columns, axis=0)
    columns = columns / np.where(scale > 0, scale, 1.0)
    explained = {
        chosen: _explained_part(columns[:, chosen], target)
        for size in range(k + 1)
        for chosen in combinations(range(k), size)
    }
    shares = np.zeros(k)
    for chosen, value in explained.items():
        for i in set(range(k)) - set(chosen):
            more = explained[tuple(sorted((*chosen, i)))] - value
            shares[i] += max(more, 0.0) / (k * comb(k - 1, len(chosen)))
    return shares / shares.sum() if shares.sum() > 0 else shares


def _explained_part(columns: Array, target: Array) -> float:
    """Squared length of the projection of the target on the columns."""
    if columns.shape[1] == 0:
        return 0.0
    fit = columns @ np.linalg.lstsq(columns, target, rcond=1e-10)[0]
    return float(fit @ fit)
