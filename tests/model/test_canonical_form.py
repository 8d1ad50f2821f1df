"""The canonical form: exact, and free of means and slopes."""

from __future__ import annotations

import numpy as np
import pytest

from branch_examples import polynomial_branch
from unbraid import BSpline
from unbraid.model._branch import Branch
from unbraid.model._branch_fit import fit_branch
from unbraid.model._canonical_form import make_canonical_form


def random_parts(seed, m=4, n=3, r=5, N=300):
    """W, V, branches, offset and points of a decoupled function of random size."""
    rng = np.random.default_rng(seed)
    points = (rng.normal(size=(N, m)) + rng.normal(size=m)) * 10 ** rng.uniform(-2, 2, m)
    W, V = rng.normal(size=(n, r)), rng.normal(size=(m, r)) / points.std(axis=0)[:, None]
    branches = []
    for i in range(r):
        z = points @ V[:, i]
        branches.append(fit_branch(BSpline(8), z, np.tanh(rng.normal() * z) + rng.normal() * z))
    return W, V, branches, rng.normal(size=n), points


def evaluate(W, V, branches, offset, points):
    g = np.stack([b(z) for b, z in zip(branches, (points @ V).T, strict=True)])
    return (W @ g).T + offset


@pytest.mark.parametrize("seed", range(6))
def test_is_the_same_function(seed):
    parts = random_parts(seed)
    form, values = make_canonical_form(*parts), evaluate(*parts)
    np.testing.assert_allclose(form(parts[-1]), values, atol=1e-10 * np.abs(values).max())
    beyond = 1.5 * parts[-1]
    expected = evaluate(*parts[:-1], beyond)
    np.testing.assert_allclose(form(beyond), expected, atol=1e-10 * np.abs(expected).max())


def test_curves_have_no_mean_and_no_slope():
    parts = random_parts(7)
    form = make_canonical_form(*parts)
    z = form.standardise(parts[-1]) @ form.directions.T
    np.testing.assert_allclose(np.linalg.norm(form.directions, axis=1), 1)
    for d, curves in enumerate(form.curves):
        assert form.directions[d, np.argmax(np.abs(form.directions[d]))] > 0
        for curve in curves:
            h = curve(z[:, d])
            assert abs(h.mean()) < 1e-12 * max(1, np.abs(h).max())
            assert abs(np.mean(h * z[:, d])) < 1e-12 * max(1, np.abs(h).max())


def test_derivative_belongs_to_the_curve():
    form = make_canonical_form(*random_parts(8))
    curve, z = form.curves[0][0], np.linspace(-1, 1, 9)
    slope = (curve(z + 1e-6) - curve(z - 1e-6)) / 2e-6
    np.testing.assert_allclose(curve.derivative(z), slope, atol=1e-6)


def test_joins_parallel_branches_and_keeps_the_sum():
    W, V, branches, offset, points = random_parts(9)
    V[:, 1], V[:, 3] = -2 * V[:, 0], 0.5 * V[:, 0]
    form = make_canonical_form(W, V, branches, offset, points)
    assert form.members == ((0, 1, 3), (2,), (4,))
    np.testing.assert_allclose(form(points), evaluate(W, V, branches, offset, points), atol=1e-9)


def test_linear_branches_give_no_direction():
    points = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    line, square = polynomial_branch(2.0), polynomial_branch(0.0, 1.0)
    V = np.eye(2)
    form = make_canonical_form(np.ones((1, 2)), V, [line, square], np.zeros(1), points)
    assert form.members == ((1,),)
    assert form.linear[0, 0] == pytest.approx(2.0)


def test_constant_inputs_are_held():
    W, V, branches, offset, points = random_parts(3)
    points[:, 2] = 7.0
    form = make_canonical_form(W, V, branches, offset, points)
    assert form.spread[2] == 0
    assert not form.directions[:, 2].any()
    assert not form.linear[:, 2].any()
    values = evaluate(W, V, branches, offset, points)
    np.testing.assert_allclose(form(points), values, atol=1e-10 * np.abs(values).max())


def test_repeated_inputs_keep_the_values():
    W, V, branches, offset, points = random_parts(4)
    points[:, 1] = points[:, 0]
    V[:, 0] = [1, -1, 0, 0]  # does not vary at the points
    form = make_canonical_form(W, V, branches, offset, points)
    values = evaluate(W, V, branches, offset, points)
    np.testing.assert_allclose(form(points), values, atol=1e-9 * np.abs(values).max())


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_does_not_depend_on_units(factor):
    W, V, branches, offset, points = random_parts(5)
    scale = np.array([factor, 1, 1 / factor, 1])
    first = make_canonical_form(W, V, branches, offset, points)
    second = make_canonical_form(W, V / scale[:, None], branches, offset, points * scale)
    np.testing.assert_allclose(first.directions, second.directions, atol=1e-9)
    np.testing.assert_allclose(first.linear, second.linear * scale, atol=1e-9)


def test_bands_of_joined_branches_add_in_quadrature():
    z = np.linspace(-1, 1, 5)
    band = np.column_stack([z, np.full(5, 3.0)])
    square = polynomial_branch(0.0, 1.0)
    branch = Branch(square.curve, band=band)
    points = np.linspace(-1, 1, 20)[:, None]
    form = make_canonical_form(
        np.array([[1.0, 4 / 3]]), np.ones((1, 2)), [branch, branch], np.zeros(1), points
    )
    np.testing.assert_allclose(form.curves[0][0].band(np.zeros(3)), 5.0)
    bare = make_canonical_form(
        np.ones((1, 2)), np.ones((1, 2)), [branch, square], np.zeros(1), points
    )
    assert bare.curves[0][0].band(0.0) is None
