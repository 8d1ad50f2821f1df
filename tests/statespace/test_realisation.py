"""Tests of realisations of linear systems."""

from __future__ import annotations

import numpy as np

from unbraid.dynamics._records import Record
from unbraid.statespace._realisation import (
    find_observability,
    fit_arx,
    impulse_response,
    realise,
    reflect_poles,
)

A = np.array([[0.8, 0.3], [-0.2, 0.5]])
B, C, D = np.array([[1.0], [0.5]]), np.array([[1.0, -1.0]]), np.array([[0.3]])


def make_record(n_samples=500):
    u = np.random.default_rng(0).standard_normal((n_samples, 1))
    x, y = np.zeros(2), np.zeros((n_samples, 1))
    for t in range(n_samples):
        y[t] = C @ x + D @ u[t]
        x = A @ x + B @ u[t]
    return Record(u, y)


def test_ho_kalman_recovers_the_impulse_response():
    markov = [D, *[C @ np.linalg.matrix_power(A, k) @ B for k in range(29)]]
    response = impulse_response(*fit_arx([make_record()], 4), 30)
    np.testing.assert_allclose(response, markov, atol=1e-6)
    (a, b, c, d), values = realise(np.array(markov), 2)
    assert values[2] < 1e-10 * values[0]
    again = [d, *[c @ np.linalg.matrix_power(a, k) @ b for k in range(29)]]
    np.testing.assert_allclose(again, markov, atol=1e-8)


def test_the_subspace_method_finds_the_poles():
    observability = find_observability([make_record()], 2, 6)
    found = np.linalg.lstsq(observability[:-1], observability[1:], rcond=None)[0]
    np.testing.assert_allclose(
        np.sort(np.linalg.eigvals(found)), np.sort(np.linalg.eigvals(A)), atol=1e-6
    )
    assert find_observability([make_record(30)], 2, 6) is None


def test_unstable_poles_are_reflected_and_others_kept():
    T = np.array([[1.0, 2.0], [0.5, -1.0]])
    unstable = T @ np.diag([1.25, 0.6]) @ np.linalg.inv(T)
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(reflect_poles(unstable))), [0.6, 0.8])
    pair = 1.1 * np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    poles = np.linalg.eigvals(reflect_poles(pair))
    np.testing.assert_allclose(np.abs(poles), 1 / 1.1)
    np.testing.assert_allclose(np.abs(np.angle(poles)), 1.0)
    np.testing.assert_array_equal(reflect_poles(A), A)
