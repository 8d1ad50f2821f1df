"""JAX functions and models."""

import sys

import numpy as np
import pytest

from sources.functions import check_against_differences
from sources.networks import POINTS
from unbraid import sample


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


@pytest.mark.slow  # JAX compiles six functions
def test_differentiates_functions_of_rows_and_points_jitted_or_not(jax):
    jnp = jax.numpy

    def table(p):
        return jnp.stack([jnp.sin(p[:, 0] * p[:, 1]), jnp.exp(p[:, 0])], axis=1)

    def point(p):
        return jnp.stack([jnp.sin(p[0] * p[1]), jnp.exp(p[0])])

    def listed(p):
        return [jnp.sin(p[0] * p[1]), jnp.exp(p[0])]

    exact = np.stack([np.cos(POINTS[:, 0] * POINTS[:, 1])] * 2, axis=1) * POINTS[:, ::-1]
    kinds = [(f, 2) for f in (table, listed, jax.jit(table), jax.jit(point))]
    for f, n_points in (*kinds, (jax.vmap(point), 2), (point, 1)):
        samples = sample(f, POINTS[:n_points])
        assert samples.source == "exact, by jax"
        assert samples.accuracy == 0
        np.testing.assert_allclose(samples.jacobians[:, 0], exact[:n_points], atol=1e-14)
    assert jnp.ones(1).dtype == jnp.float32


@pytest.mark.parametrize("n_outputs", [1, 5])
def test_differentiates_forward_and_in_reverse(jax, n_outputs):
    jnp = jax.numpy
    weights = np.random.default_rng(0).standard_normal((n_outputs, 3))
    points = np.random.default_rng(1).standard_normal((6, 3))
    samples = sample(jax.jit(lambda p: jnp.tanh(weights @ p)), points)
    values = np.tanh(points @ weights.T)
    np.testing.assert_allclose(samples.values, values, atol=1e-14)
    np.testing.assert_allclose(samples.jacobians, (1 - values**2)[:, :, None] * weights, atol=1e-14)


@pytest.mark.slow  # JAX compiles, and fails to
def test_differentiates_functions_that_support_one_mode_only(jax):
    jnp = jax.numpy

    def loop(p):
        return jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * p[0]), (0, p[1]))[
            1
        ]

    points = np.random.default_rng(0).uniform(0.5, 1, (6, 2))
    samples = sample(loop, points)
    np.testing.assert_allclose(samples.jacobians[:, 0, 1], points[:, 0] ** 3, atol=1e-14)

    @jax.custom_vjp
    def squared(p):
        return jnp.tile(p[0] ** 2, 4)

    squared.defvjp(lambda p: (squared(p), p), lambda p, c: (jnp.array([2 * p[0] * c.sum(), 0.0]),))
    np.testing.assert_allclose(sample(squared, points).jacobians[:, 3, 0], 2 * points[:, 0])


@pytest.mark.slow
def test_differentiates_functions_with_branches_of_python(jax):
    jnp = jax.numpy
    points = POINTS[:6]
    assert 0 < np.sum(points[:, 1] > 0) < 6
    samples = sample(lambda p: jnp.sin(p[0]) if p[1] > 0 else -(p[0] ** 2), points)
    expected = np.where(points[:, 1] > 0, np.cos(points[:, 0]), -2 * points[:, 0])
    assert samples.source == "exact, by jax"
    np.testing.assert_allclose(samples.jacobians[:, 0, 0], expected, atol=1e-14)


def test_differentiates_objects_with_single_precision_parameters(jax):
    """As Equinox has them: an object that takes one point."""
    jnp = jax.numpy
    base = type("Module", (), {"__module__": "equinox._module"})

    class Model(base):
        weight = jnp.asarray([[0.5, -1.0], [2.0, 0.25]], dtype=jnp.float32)

        def __call__(self, p):
            return jnp.tanh(self.weight @ p)

    check_against_differences(Model(), POINTS)


def test_uses_differences_where_gradients_are_stopped(jax):
    samples = sample(lambda p: jax.lax.stop_gradient(jax.numpy.sin(p[0])) * p[1], POINTS)
    assert samples.source == "by central differences"
    expected = np.cos(POINTS[:, 0]) * POINTS[:, 1]
    np.testing.assert_allclose(samples.jacobians[:, 0, 0], expected, atol=1e-7)


def test_uses_differences_where_jax_cannot_trace(jax, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)  # which would be tried next

    def opaque(p):
        return jax.numpy.asarray(np.sin(np.asarray(p)))

    samples = sample(opaque, POINTS)
    assert not samples.source.startswith("exact")
    assert np.abs(samples.jacobians - np.cos(POINTS)[:, :, None] * np.eye(2)).max() < 1e-2


def test_uses_double_precision_in_older_versions_of_jax(jax, monkeypatch):
    elsewhere = pytest.importorskip("jax.experimental")
    switch = jax.enable_x64 if hasattr(jax, "enable_x64") else elsewhere.enable_x64
    monkeypatch.delattr(jax, "enable_x64", raising=False)
    monkeypatch.setattr(elsewhere, "enable_x64", switch, raising=False)
    samples = sample(lambda p: jax.numpy.sin(p), POINTS)
    assert samples.source == "exact, by jax"
    np.testing.assert_allclose(samples.values, np.sin(POINTS), rtol=1e-15)
