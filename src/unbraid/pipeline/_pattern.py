"""The pattern of a function: zeros in W and V, and branches along one direction.

A fit of such a function keeps its pattern. The free changes of W and V are the columns of a
matrix: one for each entry that is not zero, or for each entry of a direction that branches share.
"""

import numpy as np

from .._typing import Array, Index, Mask
from ..bases import Polynomial
from ..model._curves import Expansion
from ..model._function import DecoupledFunction
from ..solvers._factors import unit_columns

SAME_DIRECTION = 1 - 1e-12  # cosine of branches along one direction


def has_pattern(function: DecoupledFunction) -> bool:
    """Whether branches share a direction, or V has zeros: a fit keeps both."""
    V = function.V
    n_moving = int(np.sum(np.any(V != 0, axis=1)))
    sparse = np.any(np.sum(V != 0, axis=0) < n_moving)
    return bool(sparse or len(set(group_directions(V))) < V.shape[1])


def group_directions(V: Array) -> list[int]:
    """For every branch the first one along the same direction.

    >>> group_directions(np.array([[1.0, 0.0, -2.0], [0.0, 1.0, 0.0]]))
    [0, 1, 0]
    """
    unit = unit_columns(V)
    same = np.abs(unit.T @ unit) > SAME_DIRECTION
    return [int(np.argmax(row)) for row in same]


def find_free_changes(function: DecoupledFunction, W: Array, V: Array) -> Array:
    """Changes of W (n, r) and V (m, r) that keep the pattern of a function.

    W and V are those of the function in the solver's units. The unknowns are W_1, W_2, ...,
    V_1, V_2, ... Linear branches turn only where no other branch of their outputs can replace
    them: these can have any slope.
    """
    n, r = W.shape
    m = len(V)
    changes = []
    for i in range(r):
        entries = np.flatnonzero(W[:, i])
        for o in entries if len(entries) > 1 else []:
            change_W = np.zeros((r, n))
            change_W[i, o] = 1.0
            changes.append(np.concatenate([change_W.ravel(), np.zeros(r * m)]))
    groups = np.array(group_directions(V))
    linear = find_linear(function)
    for first in np.unique(groups):
        members = np.flatnonzero(groups == first)
        ratios = V[:, members].T @ V[:, first] / np.sum(V[:, first] ** 2)
        for turn in _find_turns(W, V, linear, members):
            change_V = np.zeros((r, m))
            change_V[members] = np.outer(ratios, turn)
            changes.append(np.concatenate([np.zeros(r * n), change_V.ravel()]))
    return np.array(changes).reshape(-1, r * (n + m)).T


def find_linear(function: DecoupledFunction) -> Mask:
    """Which branches have a basis of straight lines."""
    curves = [branch.curve for branch in function.branches]
    return np.array([isinstance(c, Expansion) and c.basis == _line_like(c) for c in curves])


def _line_like(curve: Expansion) -> Polynomial:
    return Polynomial(1, *curve.basis.interval)


def _find_turns(W: Array, V: Array, linear: Mask, members: Index) -> list[Array]:
    """Independent changes of a direction that keep its zeros."""
    i = members[0]
    entries = np.flatnonzero(V[:, i])
    if len(entries) < 2:
        return []
    turns = np.eye(len(V))[entries]
    if not np.all(linear[members]):
        return list(turns)
    outputs = np.any(W[:, members] != 0, axis=1)
    others = V[:, ~linear & np.any(W[outputs] != 0, axis=0)]
    if others.size:
        turns = turns - turns @ others @ np.linalg.pinv(others)
        turns = turns * (V[:, i] != 0)
    _, sizes, right = np.linalg.svd(turns, full_matrices=False)
    kept = right[sizes > 1e-9]
    return list(kept) if len(kept) > 1 else []
