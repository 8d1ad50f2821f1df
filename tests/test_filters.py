"""Filters in slope coordinates against the general Lagrange formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import paper
from unbraid import DegenerateBranch, Filter, InvalidOption, Mould
from unbraid.solvers._axis import integrate, make_axis
from unbraid.solvers._constraints import curvature, detect_breaks
from unbraid.solvers.filtered._filters import filtered_with_tangent, stencil

KINDS = ["left", "central", "right"]


def apply(filter_, axis, values):
    """The filter on values that live on the abscissae."""
    start, weights = stencil(filter_, axis)
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
    found = apply(Filter(kind, k), make_axis(z), g)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@given(
    gaps=st.lists(st.floats(1e-6, 1.0), min_size=6, max_size=20),
    kind=st.sampled_from(KINDS),
)
def test_three_point_filters_are_exact_on_parabolas_and_bounded(gaps, kind):
    z = np.cumsum([0.0, *gaps])
    axis = make_axis(z)
    z = axis.abscissae
    start, weights = stencil(Filter(kind), axis)
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
    found, tangent = filtered_with_tangent(Filter(kind, k), axis, g, p)
    np.testing.assert_allclose(found, derivative(v), atol=1e-10 * (1 + np.abs(found).max()))
    for a in range(3):
        step = 1e-6 * np.eye(3)[a]
        numerical = (derivative(v + step) - derivative(v - step)) / 2e-6
        np.testing.assert_allclose(
            tangent[:, a], numerical, atol=1e-5 * (1 + np.abs(numerical).max())
        )


def test_ties_share_one_abscissa_and_average():
    axis = make_axis(np.array([0.0, 1.0, 1.0, 3.0, 2.0, 1.0 + 1e-13]))
    np.testing.assert_array_equal(axis.abscissae, [0, 1, 2, 3])
    np.testing.assert_array_equal(axis.position, [0, 1, 1, 3, 2, 1])
    np.testing.assert_allclose(axis.mean_over_ties(np.array([0.0, 1, 2, 3, 4, 6])), [0, 3, 4, 3])


def test_constant_z_is_refused():
    with pytest.raises(DegenerateBranch, match="every point"):
        make_axis(np.full(10, 3.0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_window_straddles_a_break(kind, k):
    z = np.linspace(-1, 1, 21)
    axis = make_axis(z, breaks=(0.02,))
    g = np.where(z < 0.02, 2 * z, 0.1 - 3 * z)
    found = apply(Filter(kind, k), axis, g)
    np.testing.assert_allclose(found, np.where(z < 0.02, 2.0, -3.0), atol=1e-12)
    # and without the break the filter does blur it
    assert np.abs(apply(Filter(kind, k), make_axis(z), g) - found).max() > 0.5


def test_flat_beyond_limits():
    z = np.linspace(-2, 2, 41)
    axis = make_axis(z, limits=(-1.01, 1.01))
    found = apply(Filter("left"), axis, z**2)
    assert np.all(found[np.abs(z) > 1.01] == 0)
    np.testing.assert_allclose(found[np.abs(z) < 1.01], 2 * z[np.abs(z) < 1.01], atol=1e-12)


def test_a_sample_on_a_limit_and_a_break_beside_one():
    on_grid = make_axis(np.linspace(-2, 2, 41).round(1), limits=(-1, 1))
    assert [flat for _, _, flat in on_grid.segments] == [True, False, True]
    beside = make_axis(np.arange(10.0), breaks=(4.6,), limits=(-np.inf, 5.5))
    assert beside.segments[-1] == (6, 10, True)
    one_beyond = make_axis(np.arange(10.0), limits=(-np.inf, 8.5))
    assert one_beyond.segments == [(0, 9, False), (9, 10, True)]


def test_break_that_isolates_a_point_is_dropped():
    axis = make_axis(np.arange(6.0), breaks=(0.5,))
    assert axis.edges == ()


def test_integration_inverts_slopes_and_goes_straight_across_an_edge():
    z = np.linspace(-1, 1, 20)
    axis = make_axis(z, breaks=(0.02,))
    g = np.where(z < 0.02, 2 * z, 0.1 - 3 * z)  # continuous at the break
    slopes = np.diff(g) / np.diff(z)
    slopes[axis.cuts[1] - 1] = 1e9  # belongs to no window: must not matter
    values = integrate(axis, slopes, np.where(z < 0.02, 2.0, -3.0))
    np.testing.assert_allclose(values - values[0], g - g[0], atol=1e-12)


def test_detection_finds_jumps_and_only_jumps(rng):
    z = np.sort(rng.uniform(-1, 1, 200))
    smooth = np.sin(3 * z)
    assert detect_breaks(make_axis(z), smooth) == []
    broken = smooth + np.where(z > 0.3, 1.5, 0.0)
    found = detect_breaks(make_axis(z), broken)
    assert len(found) == 1
    assert abs(found[0] - 0.3) < 0.03


def test_curvature_of_a_parabola():
    z = np.sort(np.random.default_rng(0).uniform(-1, 1, 60))
    np.testing.assert_allclose(curvature(make_axis(z), 6 * z, 5), 6.0, atol=1e-8)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Mould(breaks="abc"),
        lambda: Mould(breaks=[None]),
        lambda: Mould(limits=(1,)),
        lambda: Filter("middle"),
        lambda: Filter("left", 1),
        lambda: Mould(breaks="guess"),
        lambda: Mould(breaks=(np.nan,)),
        lambda: Mould(limits=(1, -1)),
    ],
)
def test_bad_filters_and_moulds(make):
    with pytest.raises(InvalidOption):
        make()
