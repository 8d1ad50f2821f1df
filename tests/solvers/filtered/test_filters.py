"""Filters in slope coordinates against the general Lagrange formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import paper
from unbraid import Filter, InvalidOptionError
from unbraid.solvers._axis import make_axis
from unbraid.solvers.filtered._filters import compute_stencil, filter_with_tangent

KINDS = ["left", "central", "right"]


def apply_filter(filter_, axis, values):
    """The filter on values that live on the abscissae."""
    start, weights = compute_stencil(filter_, axis)
    slopes = np.diff(values) / axis.gaps
    reach = np.minimum(start[:, None] + np.arange(weights.shape[1]), axis.n_slopes - 1)
    return np.sum(weights * slopes[reach], axis=1)


@given(
    seed=st.integers(0, 10_000),
    size=st.integers(8, 30),
    kind=st.sampled_from(KINDS),
    k=st.integers(2, 6),
)
def test_stencils_equal_the_lagrange_formula(seed, size, kind, k):
    rng = np.random.default_rng(seed)
    z = np.cumsum(rng.uniform(0.1, 1.0, size))
    g = rng.standard_normal(size)
    expected = paper.difference_matrix(z, kind, k) @ g
    found = apply_filter(Filter(kind, k), make_axis(z), g)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@given(
    gaps=st.lists(st.floats(1e-6, 1.0), min_size=6, max_size=20),
    kind=st.sampled_from(KINDS),
)
def test_three_point_filters_are_exact_on_parabolas_and_bounded(gaps, kind):
    z = np.cumsum([0.0, *gaps])
    axis = make_axis(z)
    z = axis.abscissae
    start, weights = compute_stencil(Filter(kind), axis)
    assert weights.min() >= -1 - 1e-9
    assert weights.max() <= 2 + 1e-9
    # slopes of a parabola are exact sums: no rounding of g[k+1] - g[k] over tiny gaps
    slopes = 2.0 - 3.0 * (z[1:] + z[:-1])
    found = weights[:, 0] * slopes[start] + weights[:, 1] * slopes[start + 1]
    np.testing.assert_allclose(found, 2.0 - 6.0 * z, atol=1e-9 * (1 + z[-1]))


@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), k=st.integers(2, 5))
def test_tangent_is_the_derivative_by_v(seed, kind, k):
    rng = np.random.default_rng(seed)
    # well separated along v, so that a small turn does not reorder the points
    p = rng.standard_normal((12, 3))
    v = np.array([1.0, 0.2, -0.3])
    p[:, 0] = np.arange(12) * 2.0 - p[:, 1:] @ v[1:]
    g = rng.standard_normal(12)

    def derivative(direction):
        return paper.filter_matrix(p @ direction, kind, k) @ g

    axis = make_axis(p @ v)
    found, tangent = filter_with_tangent(Filter(kind, k), axis, g, p)
    np.testing.assert_allclose(found, derivative(v), atol=1e-10 * (1 + np.abs(found).max()))
    for a in range(3):
        step = 1e-6 * np.eye(3)[a]
        numerical = (derivative(v + step) - derivative(v - step)) / 2e-6
        np.testing.assert_allclose(
            tangent[:, a], numerical, atol=1e-5 * (1 + np.abs(numerical).max())
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_window_straddles_a_break(kind, k):
    z = np.linspace(-1, 1, 21)
    axis = make_axis(z, breaks=(0.02,))
    g = np.where(z < 0.02, 2 * z, 0.1 - 3 * z)
    found = apply_filter(Filter(kind, k), axis, g)
    np.testing.assert_allclose(found, np.where(z < 0.02, 2.0, -3.0), atol=1e-12)
    # and without the break the filter does blur it
    assert np.abs(apply_filter(Filter(kind, k), make_axis(z), g) - found).max() > 0.5


def test_derivative_is_zero_beyond_limits():
    z = np.linspace(-2, 2, 41)
    axis = make_axis(z, limits=(-1.01, 1.01))
    found = apply_filter(Filter("left"), axis, z**2)
    assert np.all(found[np.abs(z) > 1.01] == 0)
    np.testing.assert_allclose(found[np.abs(z) < 1.01], 2 * z[np.abs(z) < 1.01], atol=1e-12)


@pytest.mark.parametrize(("window", "points"), [("middle", 3), ("left", 1)])
def test_rejects_invalid_filters(window, points):
    with pytest.raises(InvalidOptionError):
        Filter(window, points)
