"""Tests of constraints."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid import BranchConstraint, InvalidOptionError
from unbraid.cases import toy_samples
from unbraid.solvers import Explicit, Implicit
from unbraid.solvers._axis import make_axis
from unbraid.solvers._constraints import detect_breaks, estimate_curvature

Z = np.linspace(-1, 1, 41)


def test_detects_no_break_in_few_points():
    axis = make_axis(Z[:20])
    assert detect_breaks(axis, np.sign(Z[:20] + 0.6)) == []
    z = np.linspace(-1, 1, 300)
    assert detect_breaks(make_axis(z), np.sign(z)) == [pytest.approx(0, abs=0.01)]


def test_detects_jumps_and_nothing_else(rng):
    z = np.sort(rng.uniform(-1, 1, 200))
    smooth = np.sin(3 * z)
    assert detect_breaks(make_axis(z), smooth) == []
    broken = smooth + np.where(z > 0.3, 1.5, 0.0)
    found = detect_breaks(make_axis(z), broken)
    assert len(found) == 1
    assert abs(found[0] - 0.3) < 0.03


def test_curvature_of_a_parabola():
    z = np.sort(np.random.default_rng(0).uniform(-1, 1, 60))
    np.testing.assert_allclose(estimate_curvature(make_axis(z), 6 * z, 5), 6.0, atol=1e-8)


@pytest.mark.parametrize(
    "options",
    [
        {"breaks": "abc"},
        {"breaks": [None]},
        {"limits": (1,)},
        {"breaks": "guess"},
        {"breaks": (np.nan,)},
        {"limits": (1, -1)},
    ],
)
def test_rejects_invalid_constraints(options):
    with pytest.raises(InvalidOptionError):
        BranchConstraint(**options)


@pytest.mark.parametrize("package", [unbraid, unbraid.solvers])
def test_former_name_of_the_class_warns(package):
    with pytest.warns(FutureWarning, match="BranchConstraint"):
        assert package.Mould is BranchConstraint
    with pytest.raises(AttributeError, match="Mold"):
        package.Mold  # noqa: B018


@pytest.mark.parametrize("method", [Implicit, Explicit])
def test_former_name_of_the_option_warns(method):
    kept = BranchConstraint(breaks=(0.1,))
    with pytest.warns(FutureWarning, match="constraints"):
        assert method(moulds=kept) == method(constraints=kept)
    with pytest.raises(InvalidOptionError, match="constraints alone"):
        method(moulds=kept, constraints=kept)


def test_decouple_takes_the_former_name_of_the_option():
    options = {"n_branches": 1, "method": "implicit", "n_starts": 2, "random_state": 0}
    with pytest.warns(FutureWarning, match="constraints"):
        d = unbraid.decouple(toy_samples(40, 0), moulds=BranchConstraint(), **options)
    assert d.solution.details["constraints"] == (BranchConstraint(),)
    with pytest.raises(InvalidOptionError, match="'moulds' belongs to method='implicit'"):
        unbraid.decouple(toy_samples(40, 0), n_branches=1, moulds=BranchConstraint())
