"""Tests of branches of the equations, of changes of variable and of coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from statespace.systems import random_equations
from unbraid import BSpline, CustomBasis, Fourier, InvalidOptionError, Polynomial, SignedSquare
from unbraid.dynamics._change_of_variable import change_variable
from unbraid.dynamics._records import Record
from unbraid.model._branch_fit import fit_branch
from unbraid.statespace._branches import (
    BranchKind,
    add_random_branches,
    separate_linear_parts,
    with_new_basis,
)
from unbraid.statespace._signals import SignalScaling, detect_saturation

TABLE = np.random.default_rng(0).standard_normal((400, 5))


@pytest.mark.parametrize(
    "basis", [Polynomial(4), BSpline(7), SignedSquare(0.3), Fourier(2)], ids=repr
)
@pytest.mark.parametrize("scale", [2.5, -0.4])
def test_change_of_variable_keeps_the_curve(basis, scale):
    z = np.linspace(-2, 3, 80)
    branch = fit_branch(basis, z, np.sin(z) + 0.2 * z**2)
    moved, constant = change_variable(branch, scale, 0.7, 3.0)
    new = np.linspace(-4, 4, 57)  # beyond the data, too
    expected = 3.0 * branch(scale * new + 0.7)
    np.testing.assert_allclose(moved(new) + constant, expected, atol=1e-9 * np.abs(expected).max())


def test_custom_functions_cannot_be_rescaled():
    branch = fit_branch(CustomBasis([np.sin], [np.cos]), np.linspace(0, 1, 20), np.zeros(20))
    with pytest.raises(InvalidOptionError, match="CustomBasis"):
        change_variable(branch, 2.0)


def test_separate_linear_parts_keeps_the_values():
    e = random_equations()
    new = separate_linear_parts(e, TABLE)
    np.testing.assert_allclose(new.values(TABLE), e.values(TABLE), atol=1e-9)
    z = TABLE @ new.V
    for i, branch in enumerate(new.branches):
        slope = np.polyfit(z[:, i], branch(z[:, i]), 1)[0]
        assert abs(slope) < 0.02  # but for samples beyond the range of the basis
    np.testing.assert_allclose(z.std(axis=0), 1.0)


def test_new_basis_keeps_the_values_approximately():
    e = random_equations()
    new = with_new_basis(e, TABLE, BranchKind(BSpline(16)))
    assert np.abs(new.values(TABLE) - e.values(TABLE)).max() < 0.01
    assert all(isinstance(branch.curve.basis, BSpline) for branch in new.branches)


def test_random_branches_do_not_change_the_values():
    e = random_equations(n_branches=0)
    new = add_random_branches(e, TABLE, 2, BranchKind(Polynomial(3)), np.random.default_rng(1))
    np.testing.assert_array_equal(new.values(TABLE), e.values(TABLE))
    assert new.n_branches == 2


def test_new_states_and_units_keep_the_input_output_behaviour():
    e = random_equations()
    rng = np.random.default_rng(3)
    matrix, centre = rng.standard_normal((3, 3)), rng.standard_normal(3)
    new = e.with_states(matrix, centre)
    old_values, new_table = e.values(TABLE), TABLE.copy()
    new_table[:, :3] = np.linalg.solve(matrix, (TABLE[:, :3] - centre).T).T
    values = new.values(new_table)
    np.testing.assert_allclose(values[:, 3:], old_values[:, 3:], atol=1e-9)
    np.testing.assert_allclose(values[:, :3] @ matrix.T + centre, old_values[:, :3], atol=1e-9)
    scaling = SignalScaling(
        np.array([1.0, -2.0]), np.array([1e3, 0.1]), np.ones(2), np.array([1e-4, 5.0])
    )
    user = scaling.to_user(e)
    table = TABLE.copy()
    table[:, 3:] = TABLE[:, 3:] * scaling.u_spread + scaling.u_mean
    expected = old_values[:, 3:] * scaling.y_spread + scaling.y_mean
    np.testing.assert_allclose(user.values(table)[:, 3:], expected, atol=1e-9)
    again = scaling.from_user(user)
    np.testing.assert_allclose(again.values(TABLE), old_values, atol=1e-9)


def test_saturation_is_found_where_the_extreme_is_repeated():
    y = np.random.default_rng(0).standard_normal((1000, 2))
    u = y[:, :1]
    assert detect_saturation([Record(u, y)]) is None
    clipped = np.column_stack([np.minimum(y[:, 0], 1.0), y[:, 1]])
    low, high = detect_saturation([Record(u, clipped)])
    assert high.tolist() == [1.0, np.inf]
    assert np.all(np.isinf(low))
    quantised = np.round(y, 1)
    assert detect_saturation([Record(u, quantised)]) is None


def test_branches_that_fit_the_data_keep_their_knots():
    kind = BranchKind(BSpline(7))
    bound = with_new_basis(random_equations(n_states=3), TABLE, kind)
    again = with_new_basis(bound, 0.97 * TABLE, kind)
    np.testing.assert_allclose(again.values(TABLE), bound.values(TABLE), atol=1e-9)
    for basis, table in ((BSpline(9), TABLE), (BSpline(7), 2.0 * TABLE), (BSpline(7), 0.5 * TABLE)):
        other = with_new_basis(bound, table, BranchKind(basis))
        for branch, z in zip(other.branches, (table @ other.V).T, strict=True):
            assert branch.n_parameters == basis.bind(z).n_functions
            np.testing.assert_allclose(
                np.ptp(z) * kind.widen, np.diff(branch.interval)[0], rtol=0.05
            )


@pytest.mark.parametrize("extrapolate", ["linear", "constant", "basis"])
@pytest.mark.parametrize("basis", [Polynomial(3), BSpline(7), SignedSquare()], ids=repr)
def test_values_and_slopes_at_once(basis, extrapolate):
    z = np.linspace(-1, 1, 50)
    branch = replace(fit_branch(basis, z, np.sin(3 * z)), extrapolate=extrapolate)
    wide = np.linspace(-2, 2, 78)  # not at the edges, where a constant has a corner
    values, slopes = branch.linearise(wide)
    np.testing.assert_allclose(values, branch(wide), atol=1e-12)
    np.testing.assert_allclose(slopes, branch.derivative(wide), atol=1e-12)
