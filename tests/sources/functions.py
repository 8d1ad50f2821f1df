"""Functions with known Jacobians, and differences to compare Jacobians with."""

import numpy as np

from unbraid import sample
from unbraid.sources import as_function

POINTS = np.random.default_rng(0).uniform(-1, 1, (12, 2))


def table(p):
    return np.stack([np.sin(p[:, 0] * p[:, 1]), np.exp(p[:, 0])], axis=1)


def table_jacobian(p):
    c = np.cos(p[:, 0] * p[:, 1])
    zero = np.zeros(len(p))
    rows = [[c * p[:, 1], c * p[:, 0]], [np.exp(p[:, 0]), zero]]
    return np.moveaxis(np.array(rows), -1, 0)


def differences(f, points, h=3e-3):
    """Jacobians (N, n, m) by central differences of sixth order."""
    columns = []
    for e in np.eye(points.shape[1]):
        at = {k: np.asarray(f(points + k * h * e), dtype=float) for k in (-3, -2, -1, 1, 2, 3)}
        odd = 45 * (at[1] - at[-1]) - 9 * (at[2] - at[-2]) + (at[3] - at[-3])
        columns.append(odd.reshape(len(points), -1) / (60 * h))
    return np.stack(columns, axis=2)


def check_against_differences(model, points, f=None):
    samples = sample(model, points)
    assert samples.source.startswith("exact")
    plain = as_function(model) if f is None else f
    numeric = differences(plain, points)
    assert np.abs(samples.jacobians - numeric).max() < 1e-6 * np.abs(numeric).max()
    return samples


def check_slopes(samples, f, atol=1e-6):
    """Check values and slopes against f and its differences."""
    np.testing.assert_allclose(samples.values, f(samples.points), atol=1e-7)
    np.testing.assert_allclose(samples.jacobians, differences(f, samples.points), atol=atol)
