"""State-space models written out: one sample at a time, and derivatives by differences."""

from __future__ import annotations

import numpy as np


def simulate(equations, u, x0):
    """States (T + 1, n_x) and outputs (T, n_y) by the definition."""
    x, y = [np.asarray(x0, dtype=float)], []
    for row in u:
        p = np.concatenate([x[-1], row])
        z = equations.V.T @ p
        g = np.array([float(b(zi)) for b, zi in zip(equations.branches, z, strict=True)])
        q = equations.linear @ p + equations.W @ g + equations.offset
        x.append(q[: equations.n_states])
        y.append(q[equations.n_states :])
    return np.array(x), np.array(y)


def differentiate(outputs, parameters, step=1e-6):
    """Central differences of ``outputs(parameters)``, one column per parameter."""
    columns = []
    for k in range(parameters.size):
        change = np.zeros(parameters.size)
        change[k] = step * max(1.0, abs(parameters[k]))
        up, down = outputs(parameters + change), outputs(parameters - change)
        columns.append((up - down).ravel() / (2 * change[k]))
    return np.stack(columns, axis=1)
