"""The JAX export in double and single precision."""

import numpy as np
import pytest

from export_helpers import (
    FUNCTIONS,
    LINEAR_CASES,
    assert_agrees,
    every_case,
    mark_slow,
    sample_points,
    single_precision_points,
    single_tolerance,
)
from unbraid.export import to_jax


@pytest.fixture(scope="module")
def jax64():
    """JAX with double precision for these tests alone."""
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)


@every_case
def test_values_agree(jax64, case):
    d = FUNCTIONS[case]
    p = sample_points(d)
    assert_agrees(jax64.jit(to_jax(d))(p), d(p))


@pytest.mark.parametrize("case", mark_slow([*LINEAR_CASES, "spline_basis", "bumps_nan"]))
def test_jacobians_agree(jax64, case):
    d = FUNCTIONS[case]
    p = sample_points(d)[:150]
    jacobian = jax64.jit(jax64.vmap(jax64.jacrev(to_jax(d))))
    assert_agrees(jacobian(p), d.jacobian(p), 1e-11)


def test_gradients_agree(jax64):
    d = FUNCTIONS["both_ways"]
    f = to_jax(d)
    p = sample_points(d)[0]
    value, slope = jax64.jit(jax64.value_and_grad(lambda p: f(p)[1]))(p)
    assert_agrees(value, d(p)[0, 1])
    assert_agrees(slope, d.jacobian(p)[0, 1], 1e-11)


@pytest.mark.parametrize("case", mark_slow(LINEAR_CASES))
def test_single_precision_agrees(case):
    jax = pytest.importorskip("jax")
    d = FUNCTIONS[case]
    p = single_precision_points(d)
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    try:
        values = jax.jit(to_jax(d))(p)
        assert not jax.config.jax_enable_x64
    finally:
        jax.config.update("jax_enable_x64", before)
    assert values.dtype == np.float32
    assert_agrees(values, d(p), single_tolerance(case))
