"""Tests of search."""

import pytest

from unbraid import DegenerateBranchError, Polynomial
from unbraid.cases import toy_samples
from unbraid.solvers import VarPro
from unbraid.solvers.varpro import _search as search


def test_reports_that_no_start_survived(monkeypatch):
    monkeypatch.setattr(search, "_list_optima", lambda _: [])
    with pytest.raises(DegenerateBranchError, match="survived"):
        VarPro(basis=Polynomial(3), n_starts=2).solve(toy_samples(60, random_state=0), 2)
