"""Outputs that are sums of the past: integrators as a structure of the equations.

An integrator is a state k with ``x_k(t+1) = x_k(t) + ...`` that is an output and acts on nothing
else. The structure consists of exact ones and zeros in the equations, which an estimation keeps.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._typing import Array, Mask
from ..dynamics._records import Record
from ._equations import Equations


def find_integrators(e: Equations) -> dict[int, int]:
    """States that are integrators, and the output that each of them is."""
    n = e.n_states
    found = {}
    for k in range(n):
        is_sum = e.A[k, k] == 1 and np.count_nonzero(e.A[:, k]) == 1
        outputs = np.flatnonzero(e.C[:, k])
        if not is_sum or np.any(e.V[k]) or outputs.size != 1:
            continue
        row = n + int(outputs[0])
        if np.count_nonzero(e.linear[row]) == 1 and not np.any(e.W[row]):
            found[k] = int(outputs[0])
    return found


def mask_structure(e: Equations) -> tuple[Mask, Mask, Mask, Mask]:
    """Which entries of linear, offset, W and V are not fixed by integrators."""
    linear, offset, W, V = (np.ones(part.shape, bool) for part in (e.linear, e.offset, e.W, e.V))
    for state, output in find_integrators(e).items():
        row = e.n_states + output
        linear[:, state] = linear[row] = offset[row] = W[row] = V[state] = False
    return linear, offset, W, V


def restore_integrators(e: Equations, integrators: dict[int, int]) -> Equations:
    """The equations with ones and zeros that rounding has changed set again."""
    linear, W, V = e.linear.copy(), e.W.copy(), e.V.copy()
    for state, output in integrators.items():
        row = e.n_states + output
        gain = linear[row, state]
        linear[:, state] = linear[row] = W[row] = V[state] = 0.0
        linear[state, state], linear[row, state] = 1.0, gain
    return replace(e, linear=linear, W=W, V=V)


def select_others(e: Equations) -> Array:
    """Indices of the states that are not integrators."""
    integrators = find_integrators(e)
    return np.array([k for k in range(e.n_states) if k not in integrators], dtype=int)


def add_integrators(A: Array, C: Array) -> tuple[Array, Array]:
    """A and C of a model whose outputs are the sums of those of another model."""
    n, n_y = len(A), len(C)
    summed = np.block([[A, np.zeros((n, n_y))], [C, np.eye(n_y)]])
    return summed, np.eye(n + n_y)[n:]


def take_increments(record: Record) -> tuple[Record, Array]:
    """The record of y(t+1) - y(t) in units of their spread, and that spread."""
    increments = np.diff(record.y, axis=0)
    spread = increments.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    shorter = record.segment(0, len(record) - 1)
    return replace(shorter, y=increments / spread), spread
