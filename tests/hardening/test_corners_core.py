"""Corners of the core: what cannot be had, what is hardly there."""

from __future__ import annotations

import sys
import types
from dataclasses import replace

import numpy as np
import pytest

from hardening.plain import F, J, P, known_function
from unbraid import (
    BSpline,
    CustomBasis,
    DecoupledFunction,
    InvalidOption,
    Polynomial,
    Samples,
    UnbraidError,
    decouple,
)
from unbraid.cases import silverbox
from unbraid.export import to_latex
from unbraid.metrics import monomial_count
from unbraid.model._branch import Branch, Expansion, Nonparametric, branch_to_dict, fit_branch
from unbraid.model._error_summary import WILD, mean_error
from unbraid.model._extrapolation import trial_margin
from unbraid.model._residuals import Residuals
from unbraid.pipeline._selection import choose_basis, grow, pruned
from unbraid.pipeline._uncertainty import assess, with_worth
from unbraid.solvers._axis import make_axis
from unbraid.solvers._constraints import detect_breaks

SAMPLES = Samples(P, F, J)
Z = np.linspace(-1, 1, 41)


def polynomial(*coefficients, extrapolate="linear"):
    """A branch with these coefficients on [-1, 1]."""
    basis = Polynomial(len(coefficients)).bind(Z)
    return Branch(Expansion(basis, np.array(coefficients, dtype=float)), extrapolate)


def function_of(*branches, weight=1.0):
    r = len(branches)
    V = np.eye(2)[:, np.arange(r) % 2]
    return DecoupledFunction(np.full((1, r), weight), V, tuple(branches), np.zeros(1))


# Choosing --------------------------------------------------------------------------------------


def test_errors_that_nobody_knows():
    assert mean_error(None) == 0
    assert mean_error(np.array([1.0, np.nan])) == WILD
    assert mean_error(np.array([1.0, 3.0, np.inf])) == 2


def test_where_no_basis_can_be_tried_the_smallest_is_taken():
    def trial(basis, smoothing, samples):
        raise np.linalg.LinAlgError

    bases = [Polynomial(2), BSpline(8)]
    assert choose_basis(trial, None, bases, [0.5, 0.1], SAMPLES, None) == (Polynomial(2), 0.5)


def test_a_basis_that_fails_is_left_out():
    def trial(basis, smoothing, samples):
        if basis.n_functions < 5:
            raise InvalidOption("too small")
        return known_function()

    bases = [Polynomial(2), BSpline(8)]
    chosen = choose_basis(trial, lambda d, held: 1.0, bases, [0.5], SAMPLES, SAMPLES)
    assert chosen == (BSpline(8), 0.5)


def test_branches_are_added_until_no_more_can_be_had():
    one = replace(known_function(), held_out_error=np.array([30.0]))

    def solve(r, known):
        if r == 2:
            raise UnbraidError("no start survived")
        return one

    choice = grow(solve, 0.1, 5, 100)
    assert choice.function is one
    assert choice.reason == "2 branches could not be had: no start survived"
    assert len(choice.table) == 1


def test_not_even_one_branch():
    def solve(r, known):
        raise UnbraidError("no start survived")

    with pytest.raises(UnbraidError, match="survived"):
        grow(solve, 0.1, 5, 100)


def test_branches_that_move_nothing_go_and_leave_their_mean():
    d = function_of(polynomial(1.0, 0.5), polynomial(1e-9, 0.0))
    d = replace(d, W=np.array([[1.0, 1.0]]), offset=np.array([0.25]))
    samples = Samples(P, d(P), np.zeros((len(P), 1, 2)))
    small = pruned(d, samples, tolerance=0.01)
    assert small.n_branches == 1
    assert small.branches[0] is d.branches[0]
    np.testing.assert_allclose(small(P), d(P), atol=2e-9)
    assert small(P).mean() == pytest.approx(d(P).mean(), abs=1e-15)


def test_a_solver_has_to_give_a_solution():
    class Careless:
        def solve(self, samples, n_branches):
            return samples.points, samples.points

    with pytest.raises(InvalidOption, match="Careless"):
        decouple(SAMPLES, n_branches=1, method=Careless())


def test_what_is_too_large_to_be_assessed_stays_as_it_is():
    d = DecoupledFunction(np.ones((3000, 1)), np.eye(2)[:, :1], (polynomial(1.0),), np.zeros(3000))
    assert assess(d, SAMPLES) is None
    assert with_worth(d, None) is d


# Branches --------------------------------------------------------------------------------------


def test_a_branch_that_keeps_no_points_is_followed_nowhere():
    assert trial_margin(polynomial(1.0, 2.0), 1.0) == 0


def test_a_branch_that_cannot_be_fitted_again_is_followed_nowhere():
    z = np.repeat(np.array([-1.0, -0.99, -0.1, 0.1, 0.99, 1.0]), 20)
    powers = [lambda z, k=k: z**k for k in range(1, 5)]
    slopes = [lambda z, k=k: k * z ** (k - 1) for k in range(1, 5)]
    whole = fit_branch(CustomBasis(powers, slopes), z, z**2)
    branch = replace(whole, estimate=np.column_stack([z, z**2]))
    assert trial_margin(branch, 1.0) == 0


def test_what_is_known_at_equal_abscissae_is_averaged_column_by_column():
    axis = make_axis(np.array([2.0, 0.0, 1.0, 1.0]))
    table = np.array([[5.0, 50.0], [1.0, 10.0], [2.0, 20.0], [4.0, 60.0]])
    np.testing.assert_array_equal(axis.mean_over_ties(table), [[1, 10], [3, 40], [5, 50]])


def test_few_points_show_no_jump():
    axis = make_axis(Z[:20])
    assert detect_breaks(axis, np.sign(Z[:20] + 0.6)) == []
    z = np.linspace(-1, 1, 300)
    assert detect_breaks(make_axis(z), np.sign(z)) == [pytest.approx(0, abs=0.01)]


def test_a_branch_made_of_something_else_is_not_saved():
    class Curve:
        interval, n_parameters = (-1.0, 1.0), 1

        def __call__(self, z, order=0):
            return z

    with pytest.raises(InvalidOption, match="Curve"):
        branch_to_dict(Branch(Curve()))


def test_shares_where_nothing_varies():
    told = function_of(polynomial(0.0, 0.0)).describe(P)
    assert [branch.share for branch in told.branches] == [0.0]


def test_a_curve_of_no_simple_shape_is_called_so():
    wild = Nonparametric(Z, np.random.default_rng(0).standard_normal(Z.size), np.zeros(Z.size))
    told = str(function_of(Branch(wild)).describe(np.stack([Z, Z], axis=1)))
    assert "a curve of no simple shape along" in told


def test_latex_of_a_branch_that_ends():
    text = to_latex(function_of(polynomial(2.0, extrapolate="nan")))
    assert r"-1 \le z_{1} \le 1" in text
    assert r"\text{undefined} & \text{elsewhere}" in text


def test_latex_of_pieces_that_read_alike():
    level = Nonparametric(Z, np.full(Z.size, 3.0), np.zeros(Z.size))
    text = to_latex(function_of(Branch(level, "basis")))
    assert "g_{1}(z_{1}) &= 3\n" in text


def test_what_is_left_and_what_is_met_make_the_values():
    left = Residuals(np.array([[3.0], [5.0]]), np.array([[1.0], [-1.0]]))
    np.testing.assert_array_equal(left.approximation, [[2], [6]])
    assert len(left) == 2


def test_no_monomials_of_a_lowest_degree_above_the_highest():
    assert monomial_count(3, 1, lowest=2) == 0


def test_the_record_that_a_package_downloads(monkeypatch, tmp_path):
    path = tmp_path / "SNLS80mV.npz"
    u = np.random.default_rng(0).standard_normal(131_072)
    np.savez(path, u=u, y=2 * u)
    asked = []

    def download(**options):
        asked.append(options)
        return tmp_path / "Schroeder80mV.mat", path

    package = types.ModuleType("nonlinear_benchmarks")
    package.Silverbox = download
    monkeypatch.setitem(sys.modules, "nonlinear_benchmarks", package)
    data = silverbox()
    assert asked == [{"data_file_locations": True}]
    np.testing.assert_array_equal(data.test.y, 2 * data.test.u)
    np.testing.assert_array_equal(data.test.u.ravel(), u[105_712:127_400])
