"""Tests of search."""

import numpy as np
import pytest

from unbraid import DegenerateBranchError, Polynomial
from unbraid.cases import toy_samples
from unbraid.solvers import VarPro
from unbraid.solvers._factors import unit_columns
from unbraid.solvers._problem import make_problem
from unbraid.solvers.varpro import _search as search
from unbraid.solvers.varpro._data import make_data
from unbraid.solvers.varpro._joint import evaluate
from unbraid.solvers.varpro._stack import make_stack


def test_reports_that_no_start_survived(monkeypatch):
    monkeypatch.setattr(search, "_list_optima", lambda _: [])
    with pytest.raises(DegenerateBranchError, match="survived"):
        VarPro(basis=Polynomial(3), n_starts=2).solve(toy_samples(60, random_state=0), 2)


def make_fit(samples, W, V):
    problem = make_problem(samples, W.shape[2])
    stack = make_stack(Polynomial(3), problem.points @ V)
    return evaluate(make_data(problem), stack, W, V)


def test_finds_starts_that_met():
    samples = toy_samples(60, random_state=0)
    rng = np.random.default_rng(0)
    W, V = (unit_columns(rng.standard_normal((2, 2, 3))) for _ in range(2))
    turned = W[:1, :, ::-1], -V[:1, :, ::-1]  # the first again, in another order and sign
    fit = make_fit(samples, *(np.concatenate(pair) for pair in zip((W, V), turned, strict=True)))
    assert search._find_first_met(fit).tolist() == [0, 1, 0]


def test_optima_with_the_same_directions_agree():
    rng = np.random.default_rng(1)
    W, V, other = (unit_columns(rng.standard_normal((3, 3))) for _ in range(3))
    optima = [
        search.LocalOptimum(W, V, 1e-6),
        search.LocalOptimum(W, V + 1e-4, 1.2e-6),  # polished less
        search.LocalOptimum(W, other, 1.01e-6),
        search.LocalOptimum(W, other, 1e-3),
    ]
    assert search.SearchResult(Polynomial(3), optima).agreeing == (3, 2)
