"""Linear state-space matrices from records: Ho-Kalman, and a subspace method."""

from collections.abc import Sequence

import numpy as np
import scipy

from .._typing import Array
from .._util.linalg import triangle
from ..dynamics._records import Record

ARX_RIDGE = 1e-9  # relative to the mean square of the regressors
RESPONSE_LENGTH = 3  # of the impulse response, in orders of the ARX model
BLOCK_ROWS = 4096  # regressors in memory at once
MARGINAL_RADIUS = 0.999  # of poles on the unit circle after reflection
MAX_POLE_RADIUS = 1.0 - 1e-6


def fit_arx(records: Sequence[Record], order: int) -> tuple[Array, Array]:
    """Least squares of y(t) on u(t), ..., u(t - order) and the past of y.

    Returns the coefficients of the inputs (order + 1, n_y, n_u) and outputs (order, n_y, n_y).
    """
    n_u, n_y = records[0].u.shape[1], records[0].y.shape[1]
    width = (order + 1) * n_u + order * n_y
    matrix, right = np.zeros((width, width)), np.zeros((width, n_y))
    for record in records:
        for begin in range(order, len(record), BLOCK_ROWS):
            end = min(begin + BLOCK_ROWS, len(record))
            past = [record.u[begin - k : end - k] for k in range(order + 1)]
            past += [record.y[begin - k : end - k] for k in range(1, order + 1)]
            rows = np.concatenate(past, axis=1)
            matrix += rows.T @ rows
            right += rows.T @ record.y[begin:end]
    matrix[np.diag_indices_from(matrix)] += ARX_RIDGE * np.trace(matrix) / width
    solved = np.linalg.solve(matrix, right)
    inputs, outputs = np.split(solved, [(order + 1) * n_u])
    return (
        inputs.reshape(order + 1, n_u, n_y).swapaxes(1, 2),
        outputs.reshape(order, n_y, n_y).swapaxes(1, 2),
    )


def impulse_response(inputs: Array, outputs: Array, length: int) -> Array:
    """Markov parameters (length, n_y, n_u) of an ARX model."""
    order = len(outputs)
    response = np.zeros((length, *inputs.shape[1:]))
    response[: order + 1] = inputs[:length]
    for k in range(1, length):
        for lag in range(1, min(k, order) + 1):
            response[k] += outputs[lag - 1] @ response[k - lag]
    return response


def realise(response: Array, n_states: int) -> tuple[tuple[Array, Array, Array, Array], Array]:
    """Ho-Kalman: A, B, C, D of an impulse response, and the singular values."""
    _, n_y, n_u = response.shape
    half = (len(response) - 1) // 2
    blocks = [[response[1 + i + j] for j in range(half)] for i in range(half)]
    left, values, right = np.linalg.svd(np.block(blocks), full_matrices=False)
    root = np.sqrt(values[:n_states])
    observability, control = left[:, :n_states] * root, root[:, None] * right[:n_states]
    A, C = split_observability(observability, n_y)
    return (A, control[:, :n_u], C, response[0]), values


def split_observability(observability: Array, n_outputs: int) -> tuple[Array, Array]:
    """A and C of an extended observability matrix [C; C A; C A^2; ...]."""
    later = observability[n_outputs:]
    A = np.linalg.lstsq(observability[:-n_outputs], later, rcond=None)[0]
    return np.asarray(A), observability[:n_outputs]


def find_observability(records: Sequence[Record], n_states: int, horizon: int) -> Array | None:
    """Extended observability matrix by past-output MOESP; None if data are too few.

    The future outputs are projected off the future inputs, then on the past of u and y.
    """
    n_u, n_y = records[0].u.shape[1], records[0].y.shape[1]
    width = 2 * horizon * (n_u + n_y)
    if sum(max(len(r) - 2 * horizon + 1, 0) for r in records) < 2 * width:
        return None
    factor = np.zeros((0, width))
    for record in records:
        count = len(record) - 2 * horizon + 1
        for begin in range(0, max(count, 0), BLOCK_ROWS):
            size = min(BLOCK_ROWS, count - begin)
            window = record.segment(begin, begin + size + 2 * horizon - 1)
            future, past = range(horizon, 2 * horizon), range(horizon)
            rows = [window.u[k : k + size] for k in (*future, *past)]
            rows += [window.y[k : k + size] for k in (*past, *future)]
            factor = triangle(np.concatenate([factor, np.concatenate(rows, axis=1)]))
    begin, end = horizon * n_u, horizon * (2 * n_u + n_y)
    explained = factor[begin:end, end:].T  # future outputs on the past, given future inputs
    left, values, _ = np.linalg.svd(explained, full_matrices=False)
    return np.asarray(left[:, :n_states] * np.sqrt(values[:n_states]))


def reflect_poles(A: Array) -> Array:
    """A with poles outside of the unit circle replaced by their mirror images.

    >>> float(reflect_poles(np.array([[2.0]]))[0, 0])
    0.5
    """
    T, Z = scipy.linalg.schur(A, output="complex")
    poles = np.diag(T).copy()
    size = np.abs(poles)
    outside = size > MAX_POLE_RADIUS
    if not np.any(outside):
        return A
    mirrored = poles / np.maximum(size, 1e-300) ** 2
    limited = mirrored / np.maximum(np.abs(mirrored) / MARGINAL_RADIUS, 1.0)
    np.fill_diagonal(T, np.where(outside, limited, poles))
    return np.asarray((Z @ T @ Z.conj().T).real)


def spectral_radius(A: Array) -> float:
    """Largest size of a pole."""
    return float(np.abs(np.linalg.eigvals(A)).max(initial=0.0))
