"""Tests of the search for decoupled equations."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid import BSpline
from unbraid.statespace._estimation import prepare
from unbraid.statespace._identification import SearchOptions, spawn_seeds
from unbraid.statespace._search import Search
from unbraid.statespace._starts import ModelForm, StartSettings

COARSE, FINER = BSpline(6), (BSpline(12), BSpline(24))


def levels(n_samples=500, seed=0):
    """Inflow of two tanks and the level of the lower one: roots with a steep end."""
    rng = np.random.default_rng(seed)
    u = np.repeat(rng.uniform(0, 1, n_samples), 12)[:n_samples]
    x, y = np.array([0.3, 0.3]), np.empty(n_samples)
    for t in range(n_samples):
        y[t] = x[1]
        flow = 0.3 * np.sqrt(np.maximum(x, 0))
        x = x + 0.4 * np.array([0.3 * u[t] - flow[0], flow[0] - flow[1]])
    return u, y + 0.002 * y.std() * rng.standard_normal(n_samples)


def make_search(finer=FINER):
    data = prepare(*levels())
    form = ModelForm(COARSE, "linear", finer_bases=finer)
    return SearchOptions(data, form, spawn_seeds(0, 2), 1, 0.2, False).make_search(2)


def sizes(found):
    return [branch.n_parameters + 1 for branch in found.system.branches]


@pytest.fixture(scope="module")
def two_branches():
    return make_search().choose_branches(2)


def test_the_basis_is_chosen_again_for_more_branches(two_branches):
    """With one branch the error of the missing one hides what finer splines gain."""
    search, found = two_branches
    assert found.system.n_branches == 2
    assert set(sizes(found)) <= {12, 24}
    assert search.form.basis.n_coefficients == sizes(found)[0]
    first, _ = make_search().choose_basis(make_search().fit(1))
    assert first.form.basis == COARSE


def test_a_basis_is_tried_once(two_branches):
    search, found = two_branches
    assert all(b.n_coefficients > sizes(found)[0] for b in search.form.finer_bases)


def test_finer_splines_lower_the_held_out_error(two_branches):
    search, found = two_branches
    _, coarse = make_search(()).choose_branches(2)
    assert np.mean(search.held_out_errors(found)) < np.mean(search.held_out_errors(coarse))


def test_a_model_that_settles_is_preferred(two_branches, monkeypatch):
    """A smaller error on the record does not make up for a limit cycle beside it."""
    search, found = two_branches
    linear = search.linear
    assert search.best([linear, found]) is found
    monkeypatch.setattr(Search, "settles", lambda self, model: model is linear)
    assert search.best([linear, found]) is linear
    assert search.best([found]) is found
    assert search.smallest_gain(found, linear) > search.smallest_gain(linear, found)


def test_convergence_never_raises_the_held_out_error(two_branches):
    search, found = two_branches
    before, after = (
        np.mean(search.held_out_errors(model)) for model in (found, search.converge(found))
    )
    assert after <= before


@pytest.mark.parametrize(("n_samples", "expected"), [(100, 100), (2730, 75), (9000, 25)])
def test_short_records_get_more_iterations(n_samples, expected):
    problem = prepare(*levels(n_samples)).problem
    assert StartSettings().iterations_in_basis(problem) == expected
